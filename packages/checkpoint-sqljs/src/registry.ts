import { DatabaseCorruptError } from "./errors.js";
import type { FileSystem } from "./file-system.js";
import type { FileDependencies } from "./file-dependencies.js";
import { JournaledFile } from "./journaled-file.js";
import type { Model } from "./loading.js";

interface Entry {
  readonly kind: string;
  readonly file: JournaledFile<never>;
  users: number;
  closing?: Promise<void>;
}

/**
 * The open database files of this process. Two savers on one path share one `JournaledFile`, so they cannot overwrite
 * each other and see each other's writes at once. Keyed by file system first, which only tests vary.
 */
const registries = new WeakMap<FileSystem, Map<string, Entry>>();

/** A use of a shared file. */
export interface FileLease<S> {
  readonly file: JournaledFile<S>;
  /** The last lease to go closes the file. */
  release(): Promise<void>;
}

/** `path` must be canonical. Users may differ about `lock`; then it is taken. Other options are those of the first. */
export const leaseFile = <S>(path: string, model: Model<S>, deps: FileDependencies): FileLease<S> => {
  let entries = registries.get(deps.fs);
  if (!entries) registries.set(deps.fs, (entries = new Map()));
  const known = entries.get(path);
  if (known && !known.closing && known.kind !== model.kind) throw new DatabaseCorruptError(path, "foreign");
  const entry: Entry =
    known && !known.closing
      ? known
      : {
          kind: model.kind,
          file: new JournaledFile(path, model, deps, known?.closing) as unknown as JournaledFile<never>,
          users: 0,
        };
  entry.users += 1;
  if (deps.lock) entry.file.requireLock();
  entries.set(path, entry);
  let released = false;
  return {
    file: entry.file as unknown as JournaledFile<S>,
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

/** True while somebody in this process uses the file. */
export const isLeased = (path: string, fs: FileSystem): boolean => {
  const entry = registries.get(fs)?.get(path);
  return entry !== undefined && !entry.closing;
};
