import { createHash } from "node:crypto";
import { closeSync, fstatSync, read as readCallback, readSync, type BigIntStats } from "node:fs";
import { promisify } from "node:util";
import { FileError } from "./file-error.js";
import { LineWindow } from "./line-window.js";
import { describeBinary, mediaTypeOf } from "./media.js";
import { openForReading } from "./replace-file.js";
import type { Place } from "./resolve.js";
import { decodeText, detectFormat, textDecoder, type TextFormat } from "./text-codec.js";

const readInto = promisify(readCallback);

/** Files up to this size are read at once; larger ones in pieces. */
const WHOLE_BYTES = 4 * 1024 * 1024;
/** Files below this size are read without giving way to others. */
const AT_ONCE_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const SAMPLE_BYTES = 128 * 1024;
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** @throws {FileError} when the entry is not a regular file. */
export const checkRegular = (stats: BigIntStats, shown: string): void => {
  if (stats.isDirectory()) throw new FileError("is_directory", `${shown} is a directory.`);
  if (stats.isFile()) return;
  throw new FileError(
    "denied",
    `${shown} is a special file (a pipe, a socket or a device), which is not opened.`,
  );
};

/** An open regular file. */
export interface OpenFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly shown: string;
  readonly name: string;
}

/** Opens what is there, closes it again whatever happens. */
export const withFile = async <T>(place: Place, work: (file: OpenFile) => Promise<T>): Promise<T> => {
  const { shown } = place;
  if (place.stats) checkRegular(place.stats, shown);
  const fd = openForReading(place);
  try {
    const stats = fstatSync(fd, { bigint: true });
    checkRegular(stats, shown);
    return await work({ fd, stats, shown, name: place.name });
  } finally {
    closeSync(fd);
  }
};

const readAt = async (fd: number, length: number, position: number | null): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await readInto(
      fd,
      buffer,
      filled,
      length - filled,
      position === null ? null : position + filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

/** Waiting for a thread takes longer than reading a small file. */
const readNow = (fd: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const bytesRead = readSync(fd, buffer, filled, length - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

/** @throws {FileError} `too_large` */
export const readWhole = async ({ fd, stats, shown }: OpenFile, maxBytes: number): Promise<Buffer> => {
  const size = Number(stats.size);
  if (size > maxBytes)
    throw new FileError("too_large", `${shown} has ${size} bytes; the limit here is ${maxBytes}.`);
  // One byte more than there should be shows whether there is more: the file may have grown, and /proc tells no sizes.
  const first = size < AT_ONCE_BYTES ? readNow(fd, size + 1) : await readAt(fd, size + 1, null);
  if (first.length <= size) return first;
  const pieces = [first];
  for (let total = first.length; ;) {
    const more = await readAt(fd, 64 * 1024, null);
    if (more.length === 0) break;
    pieces.push(more);
    total += more.length;
    if (total > maxBytes) throw new FileError("too_large", `${shown} is larger than ${maxBytes} bytes.`);
  }
  return Buffer.concat(pieces);
};

export const binaryError = (shown: string, bytes: Uint8Array, size: number): FileError =>
  new FileError(
    "binary",
    `${shown} is binary (${describeBinary(bytes)}, ${size} bytes); it is not shown or edited as text.`,
  );

/** What a page of a file holds. */
export type Page =
  | { kind: "media"; bytes: Buffer; mimeType: string; hash: string }
  | {
      kind: "text";
      lines: readonly string[];
      totalLines: number;
      /** Part of a line that is shown was cut. */
      cut: boolean;
      hash: string;
    };

/** Reads a page of lines. Of a large file no more than the page is held, but all of it is read, to count and to know it by. */
export const readPage = async (file: OpenFile, offset: number, limit: number): Promise<Page> => {
  const size = Number(file.stats.size);
  if (size <= WHOLE_BYTES) {
    const bytes = await readWhole(file, Infinity);
    const mimeType = mediaTypeOf(file.name, bytes);
    if (mimeType) return { kind: "media", bytes, mimeType, hash: hashOf(bytes) };
    const format = detectFormat(bytes);
    if (!format) throw binaryError(file.shown, bytes, bytes.length);
    const window = new LineWindow(offset, limit);
    window.push(decodeText(bytes, format));
    return pageOf(window, hashOf(bytes));
  }
  const sample = await readAt(file.fd, SAMPLE_BYTES, 0);
  const mimeType = mediaTypeOf(file.name, sample);
  if (mimeType) {
    const bytes = await readWhole(file, MAX_MEDIA_BYTES);
    return { kind: "media", bytes, mimeType, hash: hashOf(bytes) };
  }
  const format = detectFormat(sample, false);
  if (!format) throw binaryError(file.shown, sample, size);
  return readLargePage(file, format, offset, limit);
};

const readLargePage = async (
  { fd }: OpenFile,
  format: TextFormat,
  offset: number,
  limit: number,
): Promise<Page> => {
  const window = new LineWindow(offset, limit);
  const hash = createHash("sha256");
  const decoder = textDecoder(format);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  for (;;) {
    const { bytesRead } = await readInto(fd, buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    const text = decoder.write(piece);
    window.push(position === 0 && format.bom ? text.replace(/^\ufeff/, "") : text);
    position += bytesRead;
  }
  window.push(decoder.end());
  return pageOf(window, hash.digest("hex"));
};

const pageOf = (window: LineWindow, hash: string): Page => {
  window.end();
  return { kind: "text", lines: window.lines, totalLines: window.count, cut: window.cut, hash };
};
