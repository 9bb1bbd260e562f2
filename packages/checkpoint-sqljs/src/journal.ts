import { randomInt } from "node:crypto";
import { crc32 } from "./crc32.js";

/**
 * The journal of one snapshot: a header that names the snapshot, then records, each appended and synced before the call
 * that made it is acknowledged. A record counts only if its length, its checksum, its journal's tag and its number in
 * sequence are right, so the valid ones end where the first byte is wrong.
 *
 *     file   := magic(8) length(4) crc(4) header-as-JSON record*
 *     record := length(4) crc(4) tag(4) sequence(4) payload      crc over tag, sequence and payload
 */
const MAGIC = Buffer.from("5SEALOG1", "latin1");
const HEAD = 16;

/** What a journal belongs to. */
export interface JournalHeader {
  /** Number of the snapshot, counted from 1. */
  readonly generation: number;
  /** Size and checksum of the snapshot. With them the snapshot is verified byte for byte. */
  readonly snapshotBytes: number;
  readonly snapshotCrc: number;
  /** In every record, so that a block of some older journal is not taken for one of this. */
  readonly tag: number;
  /** What the threads of the snapshot are, for listing them without reading it. */
  readonly summary: unknown;
}

export const newTag = (): number => randomInt(0x1_0000_0000);

export const journalPathOf = (file: string, generation: number): string => `${file}.${generation}.log`;

export const encodeHeader = (header: JournalHeader): Uint8Array => {
  const json = Buffer.from(JSON.stringify(header), "utf8");
  const head = Buffer.alloc(HEAD);
  MAGIC.copy(head);
  head.writeUInt32LE(json.length, 8);
  head.writeUInt32LE(crc32(json), 12);
  return Buffer.concat([head, json]);
};

/** The header and where the records begin; undefined when it is cut or damaged. */
export const decodeHeader = (bytes: Uint8Array): { header: JournalHeader; end: number } | undefined => {
  const buffer = asBuffer(bytes);
  if (buffer.length < HEAD || !buffer.subarray(0, 8).equals(MAGIC)) return undefined;
  const end = HEAD + buffer.readUInt32LE(8);
  if (end > buffer.length) return undefined;
  const json = buffer.subarray(HEAD, end);
  if (crc32(json) !== buffer.readUInt32LE(12)) return undefined;
  return { header: JSON.parse(json.toString("utf8")) as JournalHeader, end };
};

export const encodeRecord = (payload: Uint8Array, tag: number, sequence: number): Uint8Array => {
  const record = Buffer.allocUnsafe(HEAD + payload.length);
  record.writeUInt32LE(payload.length, 0);
  record.writeUInt32LE(tag, 8);
  record.writeUInt32LE(sequence, 12);
  record.set(payload, HEAD);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
};

/** The payload of the record at this place, if it is a whole and right one. */
export const decodeRecord = (
  bytes: Uint8Array,
  at: number,
  tag: number,
  sequence?: number,
): { payload: Uint8Array; end: number } | undefined => {
  const buffer = asBuffer(bytes);
  if (at + HEAD > buffer.length) return undefined;
  const end = at + HEAD + buffer.readUInt32LE(at);
  if (end > buffer.length || buffer.readUInt32LE(at + 8) !== tag) return undefined;
  if (sequence !== undefined && buffer.readUInt32LE(at + 12) !== sequence) return undefined;
  if (crc32(buffer.subarray(at + 8, end)) !== buffer.readUInt32LE(at + 4)) return undefined;
  return { payload: buffer.subarray(at + HEAD, end), end };
};

/**
 * Good records behind a place where one is bad: then the journal was not torn by a crash, it was damaged. They build on
 * what is lost and cannot be used, only counted.
 */
export const countRecordsAfter = (bytes: Uint8Array, from: number, tag: number): number => {
  const buffer = asBuffer(bytes);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(tag);
  let count = 0;
  for (let at = buffer.indexOf(mark, from + 8); at >= 0;) {
    const record = decodeRecord(bytes, at - 8, tag);
    if (record) count += 1;
    at = buffer.indexOf(mark, record ? record.end + 8 : at + 1);
  }
  return count;
};

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
