import { constants } from "node:fs";
import { open } from "node:fs/promises";

export interface FileBytes {
  bytes: Buffer;
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  binary: boolean;
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Undefined for what is no regular file, is too large or can't be read: a search passes it over. */
export const readFileBytes = async (file: string, maxBytes: number): Promise<FileBytes | undefined> => {
  let handle;
  try {
    // A pipe that has taken the place of the file must not keep us waiting.
    handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const bytes = await handle.readFile();
    const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-16be";
    if (wide === "utf-16le" || (bytes[0] === 0xfe && bytes[1] === 0xff))
      return { bytes, encoding: wide, binary: false };
    return { bytes, encoding: "utf-8", binary: bytes.includes(0) };
  } catch (error) {
    // Gone, or not ours to read. Anything that is no system error is a fault of this file.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  } finally {
    await handle?.close();
  }
};

/**
 * The text without a byte-order mark, or several: of two in UTF-16 ripgrep takes both away, the second one when it reads
 * its own UTF-8. What is no character is U+FFFD.
 */
export const decodeText = ({ bytes, encoding }: FileBytes): string => {
  const text = encoding === "utf-8" ? bytes.toString("utf8") : new TextDecoder(encoding).decode(bytes);
  return text.startsWith("\uFEFF") ? text.replace(/^\uFEFF+/, "") : text;
};
