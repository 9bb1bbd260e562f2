import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync } from "node:fs";
import path from "node:path";
import type { DeleteResult } from "deepagents";
import type { ChangeGuard, FileReceipt } from "./change-guard.js";
import { targetOf } from "./change-target.js";
import type { Directory } from "./directory.js";
import { hashOf, readWhole, withFile } from "./file-content.js";
import { FileError } from "./file-error.js";
import type { HeldLock } from "./file-locks.js";
import { removeTree } from "./remove-tree.js";
import type { Place } from "./resolve.js";
import { parsePath, showPath, type PathParts } from "./virtual-path.js";
import type { WorkspaceRoot } from "./workspace-root.js";

/** Of a file that may be deleted without being readable, or is too large to be read: null. */
const contentHash = (place: Place, maxBytes: number): Promise<string | null> =>
  withFile(place, async (file) => hashOf(await readWhole(file, maxBytes))).catch(() => null);

/** Removes a file, a link (not what it leads to), or a directory with all below. */
export const deleteEntry = async (
  root: WorkspaceRoot,
  filePath: string,
  guard: ChangeGuard | undefined,
): Promise<DeleteResult> => {
  const parts = parsePath(filePath);
  const shown = root.show(parts);
  if (parts.length === 0) throw new FileError("denied", "The root of the workspace is not deleted.");
  root.protection.checkWrite(parts);
  return root.locks.hold(root.entryKeyOf(parts), shown, async (lock) => {
    const place = root.place(parts, {
      followLast: false,
      check: (real) => root.protection.checkWrite(real),
    });
    try {
      if (!place.stats || place.name === "") throw new FileError("not_found", `${shown}: it does not exist.`);
      const target = targetOf(root, place);
      await guard?.before?.(target);
      if (place.stats.isDirectory()) checkNothingProtected(root, place, shown);
      await guard?.ready?.([{ target, after: null }]);
      const hashBefore = place.stats.isFile() ? await contentHash(place, root.maxFileBytes) : null;
      if (place.stats.isDirectory()) await removeDirectory(place, lock);
      else await removeTree(place.directory, place.name);
      const receipt: FileReceipt = { file: target.file, hashBefore, hashAfter: null };
      guard?.after?.(receipt);
      return { path: showPath(parts), filesUpdate: null, metadata: { ...receipt } };
    } finally {
      place.close();
    }
  });
};

/** Takes the whole directory away at once, and then apart. */
const removeDirectory = async (place: Place, lock: HeldLock): Promise<void> => {
  const aside = `.fiveseam-${randomBytes(8).toString("hex")}.deleted`;
  lock.noteTemporary(path.join(place.directory.real, aside));
  renameSync(place.directory.at(place.name), place.directory.at(aside));
  try {
    await removeTree(place.directory, aside);
  } catch (error) {
    renameSync(place.directory.at(aside), place.directory.at(place.name));
    throw error;
  }
};

const checkNothingProtected = (root: WorkspaceRoot, place: Place, shown: string): void => {
  const look = (parent: Directory, name: string, parts: PathParts): void => {
    if (root.protection.isProtected(parts))
      throw new FileError("denied", `${shown} was not deleted: ${root.show(parts)} in it is protected.`);
    if (!lstatSync(parent.at(name)).isDirectory()) return;
    const directory = parent.enter(name);
    try {
      for (const entry of readdirSync(directory.self)) {
        if (!entry.includes("\ufffd")) look(directory, entry, [...parts, entry]);
      }
    } finally {
      directory.close();
    }
  };
  look(place.directory, place.name, place.parts);
};
