import type { FileChange } from "../commit/file-change.js";
import type { FileAccess } from "../rights/file-access.js";
import type { ChangeGuard, GuardedBackend } from "./change-guard.js";

/**
 * A backend of whose changes each is looked at by a guard of ours, which is given the caller's to call as well. What the
 * backend cannot do, this one cannot either.
 *
 * @param again how the same is done to the backend once it is restricted.
 */
export const withGuard = (
  backend: GuardedBackend,
  guard: (outer?: ChangeGuard) => ChangeGuard,
  again: (restricted: GuardedBackend) => GuardedBackend,
): GuardedBackend => {
  const commit = backend.commit?.bind(backend);
  const restrict = backend.restrict?.bind(backend);
  const upload = backend.uploadFiles?.bind(backend);
  return {
    guarded: true,
    ls: (path) => backend.ls(path),
    read: (path, offset, limit) => backend.read(path, offset, limit),
    readRaw: (path) => backend.readRaw(path),
    grep: (pattern, path, glob, maxCount) => backend.grep(pattern, path, glob, maxCount),
    glob: (pattern, path) => backend.glob(pattern, path),
    write: (path, content, outer) => backend.write(path, content, guard(outer)),
    edit: (path, oldString, newString, replaceAll, outer) =>
      backend.edit(path, oldString, newString, replaceAll, guard(outer)),
    delete: (path, outer) => backend.delete(path, guard(outer)),
    ...(commit
      ? { commit: (changes: readonly FileChange[], outer?: ChangeGuard) => commit(changes, guard(outer)) }
      : {}),
    ...(restrict ? { restrict: (access: FileAccess) => again(restrict(access)) } : {}),
    ...(upload
      ? {
          uploadFiles: (files: [string, Uint8Array][], outer?: ChangeGuard) => upload(files, guard(outer)),
        }
      : {}),
    ...(backend.downloadFiles ? { downloadFiles: backend.downloadFiles.bind(backend) } : {}),
  };
};
