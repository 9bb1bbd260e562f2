import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import type { Directory } from "../workspace/directory.js";
import { FileError } from "../workspace/file-error.js";

/** One file of a change set that is on its way: a file that was prepared takes its place, or it goes. */
export interface RecordedChange {
  /** The directory, from the root. */
  readonly directory: readonly string[];
  readonly name: string;
  /** The prepared file beside it; null when the file goes. */
  readonly temporary: string | null;
  /** SHA-256 in hex of what was there; null for nothing. */
  readonly before: string | null;
}

export interface CommitRecord {
  /** Until everything is prepared a crash undoes the set; from then on whoever comes next completes it. */
  readonly state: "preparing" | "decided";
  readonly changes: readonly RecordedChange[];
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Puts a record in its place at once. */
export const writeRecord = (file: string, record: CommitRecord, fsync: boolean): void => {
  const temporary = `${file}.new`;
  const fd = openSync(temporary, "w", 0o600);
  try {
    writeSync(fd, JSON.stringify(record));
    if (fsync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, file);
  if (fsync) syncDirectory(path.dirname(file));
};

const syncDirectory = (directory: string): void => {
  if (process.platform === "win32") return; // A directory cannot be opened there.
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Opens a directory by its real parts: a link on the way is refused. */
export const enterAll = (openRoot: () => Directory, parts: readonly string[]): Directory => {
  let at = openRoot();
  for (const part of parts) {
    try {
      const next = at.enter(part);
      at.close();
      at = next;
    } catch (error) {
      at.close();
      throw error;
    }
  }
  return at;
};

/** What lies under a name: the hash of a regular file, null for nothing, "" for anything else. */
const hashAt = (directory: Directory, name: string): string | null => {
  let fd: number;
  try {
    fd = openSync(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return null;
    return "";
  }
  try {
    return createHash("sha256").update(readFileSync(fd)).digest("hex");
  } catch {
    return ""; // A directory, or what else cannot be read.
  } finally {
    closeSync(fd);
  }
};

const remove = (directory: Directory, name: string): void => {
  try {
    unlinkSync(directory.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};

/** Does what was decided to one file. What somebody has put there meanwhile stays. */
const complete = (directory: Directory, change: RecordedChange): void => {
  const now = hashAt(directory, change.name);
  if (change.temporary === null) {
    if (now !== null && now === change.before) remove(directory, change.name);
    return;
  }
  const prepared = hashAt(directory, change.temporary);
  if (prepared === null) return; // It was done before the crash.
  if (now === change.before) renameSync(directory.at(change.temporary), directory.at(change.name));
  else remove(directory, change.temporary);
};

/** Brings a change set to its end that a process which is gone has left: all of it, or nothing. */
export const recoverCommit = (file: string, openRoot: () => Directory): void => {
  let record: CommitRecord;
  try {
    record = JSON.parse(readFileSync(file, "utf8")) as CommitRecord;
  } catch (error) {
    if (isMissing(error)) return;
    throw new FileError("failed", "The record of a change set cannot be read.", { cause: error });
  }
  for (const change of record.changes) {
    let directory: Directory;
    try {
      directory = enterAll(openRoot, change.directory);
    } catch {
      continue; // The directory is gone, or something else is there: so is what was prepared in it.
    }
    try {
      if (record.state === "decided") complete(directory, change);
      else if (change.temporary !== null) remove(directory, change.temporary);
    } finally {
      directory.close();
    }
  }
  removeRecord(file);
};

export const removeRecord = (file: string): void => {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};
