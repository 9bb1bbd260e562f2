import { DatabaseFile, type DatabaseFileDependencies } from "./database-file.js";
import type { FileSystem } from "./file-system.js";

interface Entry {
  readonly file: DatabaseFile;
  users: number;
  closing?: Promise<void>;
}

/**
 * The open database files of this process. Two savers on one path share one `DatabaseFile`, so they cannot overwrite
 * each other and see each other's writes at once. Keyed by file system first, which only tests vary.
 */
const registries = new WeakMap<FileSystem, Map<string, Entry>>();

/** A use of a shared file. */
export interface FileLease {
  readonly file: DatabaseFile;
  /** The last lease to go closes the file. */
  release(): Promise<void>;
}

/** `path` must be canonical. Users may differ about `lock`; then it is taken. */
export const leaseFile = (path: string, deps: DatabaseFileDependencies): FileLease => {
  let entries = registries.get(deps.fs);
  if (!entries) registries.set(deps.fs, (entries = new Map()));
  const known = entries.get(path);
  const entry: Entry =
    known && !known.closing ? known : { file: new DatabaseFile(path, deps, known?.closing), users: 0 };
  entry.users += 1;
  if (deps.lock) entry.file.requireLock();
  entries.set(path, entry);
  let released = false;
  return {
    file: entry.file,
    async release() {
      if (released) return;
      released = true;
      entry.users -= 1;
      if (entry.users > 0) return;
      entry.closing = entry.file.close();
      await entry.closing;
      if (entries.get(path) === entry) entries.delete(path);
    },
  };
};
