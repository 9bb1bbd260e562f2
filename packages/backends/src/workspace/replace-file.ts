import { randomBytes } from "node:crypto";
import { accessSync, constants, openSync, renameSync, unlinkSync, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { HeldLock } from "./file-locks.js";
import type { Place } from "./resolve.js";

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface ReplaceOptions {
  /** Force file and directory to the disk. */
  readonly fsync: boolean;
  /** Called right before the new file takes the place of the old one; what it throws leaves the old one. */
  confirm(): void;
}

/** Mode and owner of the file that is replaced, as far as this process may give them. */
const takeOver = async (handle: FileHandle, before: BigIntStats): Promise<void> => {
  const now = await handle.stat({ bigint: true });
  if (now.uid !== before.uid || now.gid !== before.gid) {
    // Only root may give a file away; a group that this process is in can be kept.
    await handle
      .chown(Number(before.uid), Number(before.gid))
      .catch(() => handle.chown(Number(now.uid), Number(before.gid)).catch(() => undefined));
  }
  // After the owner: changing that drops the set-user-id bit.
  await handle.chmod(Number(before.mode & 0o7777n));
};

/** Makes the system write down what is in a directory. Windows and some network file systems cannot. */
export const syncDirectory = async (directory: string): Promise<void> => {
  try {
    const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!["EINVAL", "EISDIR", "EPERM", "EACCES", "ENOTSUP"].includes(code ?? "")) throw error;
  }
};

/**
 * Puts new bytes in the place of a file, or where there is none: at every moment, and after a crash, there is the whole old
 * file or the whole new one.
 */
export const replaceFile = async (
  place: Place,
  bytes: Uint8Array,
  lock: HeldLock,
  { fsync, confirm }: ReplaceOptions,
): Promise<BigIntStats> => {
  const { directory, name, stats } = place;
  // A rename would get past a file that its owner made read-only.
  if (stats) accessSync(directory.at(name), constants.W_OK);
  const temporaryName = `.fiveseam-${randomBytes(8).toString("hex")}.tmp`;
  const temporary = directory.at(temporaryName);
  lock.noteTemporary(path.join(directory.real, temporaryName));
  const handle = await open(temporary, CREATE, 0o666);
  let renamed = false;
  try {
    try {
      await handle.writeFile(bytes);
      if (stats) await takeOver(handle, stats);
      if (fsync) await handle.sync();
      // From here to the rename nothing waits.
      confirm();
      directory.verify();
      renameSync(temporary, directory.at(name));
      renamed = true;
      return await handle.stat({ bigint: true });
    } finally {
      await handle.close();
      if (!renamed) unlinkSync(temporary);
    }
  } finally {
    if (renamed && fsync) await syncDirectory(directory.self);
  }
};

/** Opens a file for reading, without following a link and without waiting for the other end of a pipe. */
export const openForReading = (place: Place): number =>
  openSync(place.directory.at(place.name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
