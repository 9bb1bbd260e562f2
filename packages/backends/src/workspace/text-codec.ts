import chardet from "chardet";
import iconv from "iconv-lite";
import { FileError } from "./file-error.js";
import { hasLoneSurrogate } from "./virtual-path.js";

/** How a text file is stored. */
export interface TextFormat {
  /** `utf-8`, `utf-16le`, `utf-16be`, or a name that iconv-lite knows. */
  readonly encoding: string;
  readonly bom: boolean;
}

export const UTF8: TextFormat = { encoding: "utf-8", bom: false };

const SAMPLE_BYTES = 64 * 1024;
/** In the order in which they are tried when chardet is in doubt; each maps bytes to characters one to one. */
const LEGACY: ReadonlySet<string> = new Set([
  ..."Shift_JIS EUC-JP GB18030 Big5 EUC-KR windows-1250 windows-1251 windows-1252 windows-1253 windows-1254".split(
    " ",
  ),
  ..."windows-1255 windows-1256 ISO-8859-1 ISO-8859-2 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 KOI8-R".split(
    " ",
  ),
]);

const BOMS: readonly (readonly [readonly number[], string | undefined])[] = [
  // UTF-32 first: its little-endian mark begins like that of UTF-16.
  [[0xff, 0xfe, 0x00, 0x00], undefined],
  [[0x00, 0x00, 0xfe, 0xff], undefined],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

const bomBytes = ({ encoding, bom }: TextFormat): Buffer => {
  if (!bom) return Buffer.alloc(0);
  const mark = BOMS.find(([, name]) => name === encoding)?.[0];
  return Buffer.from(mark ?? []);
};

/** Control characters that no text has, in a hundredth of what is there or more. */
const looksBinary = (bytes: Uint8Array): boolean => {
  let odd = 0;
  const end = Math.min(bytes.length, SAMPLE_BYTES);
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] as number;
    // Tab, line feed, form feed, carriage return, escape and backspace do occur in text.
    if (
      byte < 0x20 &&
      byte !== 0x09 &&
      byte !== 0x0a &&
      byte !== 0x0c &&
      byte !== 0x0d &&
      byte !== 0x1b &&
      byte !== 0x08
    )
      odd += 1;
  }
  // One stray NUL in a short source file is a mistake in a text.
  return odd > Math.max(1, end / 100);
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** At most so many bytes from the start, not ending within a UTF-8 character. */
const sampleOf = (bytes: Buffer): Buffer => {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  let end = SAMPLE_BYTES;
  while (end > SAMPLE_BYTES - 4 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
};

const roundTrips = (bytes: Buffer, encoding: string): boolean =>
  iconv.encode(iconv.decode(bytes, encoding), encoding).equals(bytes);

/**
 * How the bytes are stored, by byte-order mark, by being valid UTF-8, or by their statistics; undefined when they are no
 * text that could be written back as it is.
 *
 * @param whole false when only the start of the file is given.
 */
export const detectFormat = (bytes: Buffer, whole = true): TextFormat | undefined => {
  const marked = BOMS.find(([mark]) => startsWith(bytes, mark));
  if (marked) {
    const [mark, encoding] = marked;
    if (encoding === undefined) return undefined;
    const body = bytes.subarray(mark.length);
    if (encoding === "utf-8")
      return isUtf8(whole ? body : sampleOf(body)) ? { encoding, bom: true } : undefined;
    // Half a character at the end, or half a surrogate pair, could not be written back.
    if (!whole) return { encoding, bom: true };
    return body.length % 2 === 0 && roundTrips(body, encoding) ? { encoding, bom: true } : undefined;
  }
  const sample = whole ? bytes : sampleOf(bytes);
  if (isUtf8(sample)) return looksBinary(bytes) ? undefined : UTF8;
  if (sample.includes(0) || looksBinary(sample)) return undefined;
  const guesses = chardet.analyse(sample.subarray(0, SAMPLE_BYTES)).map(({ name }) => name);
  // The last resort has a character for every byte, so that a file is at least kept as it is.
  const encoding = [...guesses, "windows-1252", "ISO-8859-1"].find(
    (name) => LEGACY.has(name) && roundTrips(sample, name),
  );
  return encoding === undefined ? undefined : { encoding, bom: false };
};

/** The text without its byte-order mark. The bytes are of that format. */
export const decodeText = (bytes: Buffer, format: TextFormat): string => {
  const body = format.bom ? bytes.subarray(bomBytes(format).length) : bytes;
  return format.encoding === "utf-8"
    ? utf8.decode(body)
    : iconv.decode(body, format.encoding, { stripBOM: false });
};

/** A whole text, and how it was written. */
export interface TextContent {
  readonly text: string;
  readonly format: TextFormat;
}

/** Undefined for what is no text. */
export const textContentOf = (bytes: Uint8Array): TextContent | undefined => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = detectFormat(buffer);
  return format && { text: decodeText(buffer, format), format };
};

/** Decodes a large file piece by piece. A character may come in two pieces. */
export const textDecoder = (format: TextFormat): { write(bytes: Buffer): string; end(): string } => {
  if (format.encoding === "utf-8") {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = iconv.getDecoder(format.encoding, { stripBOM: false });
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
};

/**
 * @throws {FileError} `invalid_text` when the text holds something that the format cannot say.
 */
export const encodeText = (text: string, format: TextFormat, path: string): Buffer => {
  const refuse = (why: string): never => {
    throw new FileError("invalid_text", `${path} was not changed: ${why}.`);
  };
  if (hasLoneSurrogate(text)) refuse("the text holds half of a surrogate pair, which no file can store");
  if (format.encoding === "utf-8") return Buffer.concat([bomBytes(format), Buffer.from(text)]);
  const body = iconv.encode(text, format.encoding);
  if (iconv.decode(body, format.encoding, { stripBOM: false }) !== text)
    refuse(`the file is stored as ${format.encoding}, which lacks a character of the text`);
  return Buffer.concat([bomBytes(format), body]);
};
