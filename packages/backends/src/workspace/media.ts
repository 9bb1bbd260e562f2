/** A kind of file that models take as it is. */
interface Media {
  readonly mimeType: string;
  readonly extensions: readonly string[];
  readonly is: (bytes: Uint8Array) => boolean;
}

const ascii = (text: string, at = 0) => {
  const wanted = Buffer.from(text, "latin1");
  return (bytes: Uint8Array): boolean => wanted.every((byte, index) => bytes[at + index] === byte);
};
const both =
  (one: (bytes: Uint8Array) => boolean, other: (bytes: Uint8Array) => boolean) =>
  (bytes: Uint8Array): boolean =>
    one(bytes) && other(bytes);

const MEDIA: readonly Media[] = [
  { mimeType: "image/png", extensions: ["png"], is: ascii("\x89PNG\r\n\x1a\n") },
  { mimeType: "image/jpeg", extensions: ["jpg", "jpeg"], is: ascii("\xff\xd8\xff") },
  { mimeType: "image/gif", extensions: ["gif"], is: ascii("GIF8") },
  { mimeType: "image/webp", extensions: ["webp"], is: both(ascii("RIFF"), ascii("WEBP", 8)) },
  { mimeType: "application/pdf", extensions: ["pdf"], is: ascii("%PDF-") },
];

const OTHERS: readonly (readonly [string, (bytes: Uint8Array) => boolean])[] = [
  ["a zip archive", ascii("PK\x03\x04")],
  ["a gzip archive", ascii("\x1f\x8b")],
  ["an ELF program", ascii("\x7fELF")],
  ["a WebAssembly module", ascii("\0asm")],
  ["an SQLite database", ascii("SQLite format 3\0")],
];

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** The type of an image or a PDF whose name says the same as its content; models are told by the name what they get. */
export const mediaTypeOf = (name: string, bytes: Uint8Array): string | undefined => {
  const extension = extensionOf(name);
  return MEDIA.find(({ extensions, is }) => extensions.includes(extension) && is(bytes))?.mimeType;
};

/** What a binary file seems to be, in words. */
export const describeBinary = (bytes: Uint8Array): string =>
  MEDIA.find(({ is }) => is(bytes))?.mimeType ?? OTHERS.find(([, is]) => is(bytes))?.[0] ?? "binary data";
