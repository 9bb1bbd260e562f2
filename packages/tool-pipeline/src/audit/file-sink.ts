import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { PipelineError } from "../errors.js";
import { formatHead, GENESIS, lineAfter, parseHead, readLine, type ChainHead } from "./chain.js";
import {
  activeFile,
  headFile,
  keepLane,
  leaveLane,
  rotatedFile,
  rotatedNumbers,
  takeLane,
  TOUCH_MS,
  type Lane,
} from "./lane.js";
import type { AuditRecord, AuditSink } from "./record.js";

/**
 * When a line is forced to the disk: at each line, at most so many milliseconds after it, or when the system does it. In each
 * case a line outlives the process as soon as the call has its result.
 */
export type FsyncPolicy = "always" | "never" | { readonly everyMs: number };

export interface FileAuditSinkOptions {
  /** The folder for `audit.jsonl`; made if it is not there. */
  directory: string;
  /** A file that would become larger is set aside as `audit.000001.jsonl`, and so on; default 50,000,000. */
  maxFileBytes?: number;
  /** Default `{ everyMs: 1_000 }`. */
  fsync?: FsyncPolicy;
}

export interface FileAuditSink extends AuditSink {
  /** The file that is written to; opens it. */
  readonly path: string;
  /** Number and hash of the last line. Kept in another place, it proves later that nothing was cut off the end. */
  head(): ChainHead;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** More than the longest line, of which the arguments are at most 16,000 characters. */
const TAIL_BYTES = 512_000;
const NEW_LINE = 0x0a;

const writeAll = (fd: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
};

/** Drops a last line that a crash cut short, and returns the last whole one and the size of the file. */
const repair = (fd: number): { last: string | undefined; size: number } => {
  const { size } = fstatSync(fd);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf(NEW_LINE);
  const whole = size - tail.length + end + 1;
  if (whole < size) ftruncateSync(fd, whole);
  if (end < 0) return { last: undefined, size: whole };
  const start = end === 0 ? 0 : tail.lastIndexOf(NEW_LINE, end - 1) + 1;
  return { last: tail.toString("utf8", start, end), size: whole };
};

const readHead = (lane: Lane): ChainHead | undefined => {
  try {
    return parseHead(readFileSync(headFile(lane), "utf8"));
  } catch {
    return undefined; // none yet
  }
};

/** An open lane: what is written, and where its chain stands. */
class Writer {
  head: ChainHead;
  #fd: number;
  #size: number;
  readonly #headFd: number;

  constructor(
    readonly lane: Lane,
    readonly maxFileBytes: number,
  ) {
    this.#fd = openSync(activeFile(lane), "a+", 0o600);
    const { last, size } = repair(this.#fd);
    this.#size = size;
    this.head = this.#continueFrom(last) ?? { seq: 0, hash: GENESIS };
    this.#headFd = openSync(headFile(lane), "a+", 0o600);
    closeSync(this.#headFd);
    this.#headFd = openSync(headFile(lane), "r+");
    this.#saveHead();
  }

  get fd(): number {
    return this.#fd;
  }

  /** A line that was tampered with is not continued from: the head knows what it was, and verification will name it. */
  #continueFrom(last: string | undefined): ChainHead | undefined {
    const stored = readHead(this.lane);
    let text = last;
    const older = rotatedNumbers(this.lane).at(-1);
    if (text === undefined && older !== undefined) {
      text = readFileSync(rotatedFile(this.lane, older), "utf8").trimEnd().split("\n").at(-1);
    }
    const line = text === undefined ? undefined : readLine(text);
    if (!line) return stored;
    return stored && stored.seq > line.seq ? stored : { seq: line.seq, hash: line.hash };
  }

  #saveHead(): void {
    writeSync(this.#headFd, formatHead(this.head), 0);
  }

  write(record: AuditRecord): void {
    const { text, head } = lineAfter(this.head, record);
    const bytes = Buffer.from(`${text}\n`);
    if (this.#size > 0 && this.#size + bytes.length > this.maxFileBytes) this.#rotate();
    try {
      writeAll(this.#fd, bytes);
    } catch (error) {
      // A full disk may have taken half of it.
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
    this.#size += bytes.length;
    this.head = head;
    this.#saveHead();
  }

  #rotate(): void {
    fdatasyncSync(this.#fd);
    renameSync(activeFile(this.lane), rotatedFile(this.lane, (rotatedNumbers(this.lane).at(-1) ?? 0) + 1));
    closeSync(this.#fd);
    this.#fd = openSync(activeFile(this.lane), "a+", 0o600);
    this.#size = 0;
  }

  /** Without giving the lane back, which is somebody else's. */
  abandon(): void {
    closeSync(this.#fd);
    closeSync(this.#headFd);
  }

  close(): void {
    this.abandon();
    if (keepLane(this.lane)) leaveLane(this.lane);
  }
}

/**
 * Writes JSON Lines, each with the hash of the one before, so that `verifyAuditLog` names the first line that was changed,
 * removed, inserted or moved. A record is written, not queued: it is in the system's hands when `write` returns, and outlives
 * a kill of the process. Several processes may use one folder; each that is at work has files of its own.
 *
 * @throws {RangeError} for a size or an interval that is none.
 *
 * @example
 * ```ts
 * import { createPipeline, fileAuditSink } from "@fiveseam/tool-pipeline";
 *
 * const sink = fileAuditSink({ directory: "/var/lib/my-agent/audit" }); // opened at the first line
 * const pipeline = createPipeline({ audit: { sink, includeArgs: true } });
 * await sink.close();
 * ```
 */
export const fileAuditSink = (options: FileAuditSinkOptions): FileAuditSink => {
  const { directory, maxFileBytes = 50_000_000, fsync = { everyMs: 1_000 } } = options;
  if (!Number.isInteger(maxFileBytes) || maxFileBytes < 1) {
    throw new RangeError("maxFileBytes must be a whole number from 1 on.");
  }
  if (typeof fsync === "object" && !(fsync.everyMs > 0)) {
    throw new RangeError("fsync.everyMs must be more than 0.");
  }
  let writer: Writer | undefined;
  let closed = false;
  let touchedMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const open = (): Writer => {
    if (closed) throw new PipelineError("audit", "The audit log is closed.");
    if (writer && Date.now() - touchedMs < TOUCH_MS) return writer;
    if (writer && keepLane(writer.lane)) {
      touchedMs = Date.now();
      return writer;
    }
    // It stood still for so long that somebody else took its lane over: what comes now goes into another one.
    writer?.abandon();
    writer = undefined;
    const lane = takeLane(directory);
    try {
      writer = new Writer(lane, maxFileBytes);
      touchedMs = Date.now();
    } catch (error) {
      leaveLane(lane);
      throw error;
    }
    return writer;
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // A file that is rotated meanwhile was synced and closed by that.
    if (writer) await promisify(fdatasync)(writer.fd);
  };

  return {
    get path() {
      return activeFile(open().lane);
    },
    head: () => open().head,
    write(record) {
      open().write(record);
      if (fsync === "always") fdatasyncSync(open().fd);
      else if (fsync !== "never" && timer === undefined) {
        timer = setTimeout(() => void flush().catch(() => undefined), fsync.everyMs);
        timer.unref();
      }
    },
    flush,
    async close() {
      if (closed) return;
      await flush();
      closed = true;
      writer?.close();
      writer = undefined;
    },
  };
};
