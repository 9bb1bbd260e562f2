import { sha256 } from "../digest.js";
import type { AuditRecord } from "./record.js";

/** The hash that stands before the first line. */
export const GENESIS = "0".repeat(64);

/** Where a chain ends: the number and the hash of its last line. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

const HASH = /,"hash":"([0-9a-f]{64})"\}$/;

/** The next line of a chain, without its line break. The hash covers every character before it. */
export const lineAfter = (head: ChainHead, record: AuditRecord): { text: string; head: ChainHead } => {
  const seq = head.seq + 1;
  const body = JSON.stringify({ seq, ...record, prev: head.hash });
  const hash = sha256(body);
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, head: { seq, hash } };
};

/** What a line says of its place, when its hash is right. */
export interface ChainedLine extends ChainHead {
  readonly prev: string;
}

export const readLine = (text: string): ChainedLine | undefined => {
  const hash = HASH.exec(text)?.[1];
  if (hash === undefined) return undefined;
  const body = `${text.replace(HASH, "")}}`;
  if (sha256(body) !== hash) return undefined;
  try {
    const { seq, prev } = JSON.parse(body) as { seq?: unknown; prev?: unknown };
    return typeof seq === "number" && typeof prev === "string" ? { seq, prev, hash } : undefined;
  } catch {
    return undefined;
  }
};

/** The head as it stands in its file: always as long, so that it is overwritten in place. */
export const formatHead = (head: ChainHead): string => `${String(head.seq).padStart(16, "0")} ${head.hash}\n`;

export const parseHead = (text: string): ChainHead | undefined => {
  const found = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(text);
  return found ? { seq: Number(found[1]), hash: found[2] as string } : undefined;
};
