import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { mayHoldOtherwise, type Wanted } from "./grep-file.js";

/** Of each thread that scans. */
export const SCAN_BYTES = 1024 * 1024;

/** Files of one directory, and what to look for in them. */
export interface ScanJob {
  /** Path of the directory, good until the answer is there. */
  readonly directory: string;
  readonly names: readonly string[];
  readonly bytes: Uint8Array;
  readonly ascii: boolean;
}

interface FileCalls {
  openSync(path: string, flags: number): number;
  fstatSync(fd: number): { readonly size: number; isFile(): boolean };
  readSync(fd: number, buffer: Buffer, offset: number, length: number, position: null): number;
  closeSync(fd: number): void;
}

/** What a scan uses, whichever thread it runs in. */
export interface ScanTools {
  readonly fs: FileCalls;
  /** Flags for opening a file without following a link or waiting for the other end of a pipe. */
  readonly flags: number;
  readonly buffer: Buffer;
  mayHoldOtherwise(bytes: Buffer, ascii: boolean): boolean;
}

/**
 * Which of the files are to be looked at closely, by their index: never without one that holds what is looked for, seldom with
 * one that does not. Most files of a tree do not hold it, and making sure of that is nearly all of a search; so many files are
 * read into one buffer, and searched at once as the bytes that they are.
 *
 * Its text is also what helper threads run: it uses nothing but what it is given.
 */
export const scanFiles = (tools: ScanTools, job: ScanJob): number[] => {
  const { fs, buffer } = tools;
  const maybe = new Set<number>();
  let held: { readonly index: number; readonly start: number }[] = [];
  let end = 0;

  const search = (): void => {
    const all = buffer.subarray(0, end);
    let at = 0;
    for (let hit = all.indexOf(job.bytes); hit >= 0 && at < held.length;) {
      while (at + 1 < held.length && (held[at + 1] as { start: number }).start <= hit) at += 1;
      maybe.add((held[at] as { index: number }).index);
      at += 1;
      const next = held[at];
      // What begins in one file and ends in another is in neither, and hides nothing in the next.
      hit = next ? all.indexOf(job.bytes, next.start) : -1;
    }
    held = [];
    end = 0;
  };

  /** False when it is to be looked at closely whatever is in it. */
  const hold = (index: number): boolean => {
    const fd = fs.openSync(`${job.directory}/${job.names[index] as string}`, tools.flags);
    try {
      const stats = fs.fstatSync(fd);
      // One byte more than there should be shows that there is more.
      const length = stats.size + 1;
      if (!stats.isFile() || length > buffer.length) return false;
      if (length > buffer.length - end) search();
      const bytesRead = fs.readSync(fd, buffer, end, length, null);
      if (bytesRead !== stats.size) return false;
      if (tools.mayHoldOtherwise(buffer.subarray(end, end + bytesRead), job.ascii)) return false;
      held.push({ index, start: end });
      end += bytesRead;
      return true;
    } finally {
      fs.closeSync(fd);
    }
  };

  for (const index of job.names.keys()) {
    try {
      if (!hold(index)) maybe.add(index);
    } catch {
      maybe.add(index); // Whoever looks closely finds out what is the matter.
    }
  }
  search();
  return [...maybe].sort((one, other) => one - other);
};

export const SCAN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Scans in this thread. */
export const scanHere = (wanted: Wanted): ((directory: string, names: readonly string[]) => number[]) => {
  const tools: ScanTools = {
    fs: { closeSync, fstatSync, openSync, readSync },
    flags: SCAN_FLAGS,
    buffer: Buffer.allocUnsafe(SCAN_BYTES),
    mayHoldOtherwise: (bytes, ascii) => mayHoldOtherwise(bytes, ascii, isUtf8),
  };
  return (directory, names) =>
    scanFiles(tools, { directory, names, bytes: wanted.bytes, ascii: wanted.ascii });
};
