import type { DeleteResult, EditResult, FileUploadResponse, WriteResult } from "deepagents";
import type { CommitResult, FileChange } from "../commit/file-change.js";
import type { FileAccess } from "../rights/file-access.js";
import type { ChangeGuard, GuardedBackend } from "./change-guard.js";

type ChangeResult = WriteResult | EditResult | DeleteResult | CommitResult | FileUploadResponse[];

/** Makes a change, any number of times; each time with another guard. */
export type MakeChange<Result> = (guard: ChangeGuard | undefined) => Result | Promise<Result>;

/**
 * Stands around each change of a backend.
 *
 * @param outer the caller's guard, to be called as well.
 */
export type AroundChange = <Result extends ChangeResult>(
  change: MakeChange<Result>,
  outer: ChangeGuard | undefined,
) => Promise<Result>;

/**
 * A backend of whose changes each goes through `around`. What the backend cannot do, this one cannot either.
 *
 * @param again how the same is done to the backend once it is restricted.
 */
export const withChanges = (
  backend: GuardedBackend,
  around: AroundChange,
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
    write: (path, content, outer) => around((guard) => backend.write(path, content, guard), outer),
    edit: (path, oldString, newString, replaceAll, outer) =>
      around((guard) => backend.edit(path, oldString, newString, replaceAll, guard), outer),
    delete: (path, outer) => around((guard) => backend.delete(path, guard), outer),
    ...(commit
      ? {
          commit: (changes: readonly FileChange[], outer?: ChangeGuard) =>
            around((guard) => commit(changes, guard), outer),
        }
      : {}),
    ...(restrict ? { restrict: (access: FileAccess) => again(restrict(access)) } : {}),
    ...(upload
      ? {
          // One by one: each is a change of its own.
          async uploadFiles(files: [string, Uint8Array][], outer?: ChangeGuard) {
            const answers: FileUploadResponse[] = [];
            for (const file of files)
              answers.push(...(await around(async (guard) => upload([file], guard), outer)));
            return answers;
          },
        }
      : {}),
    ...(backend.locate ? { locate: backend.locate.bind(backend) } : {}),
    ...(backend.contains ? { contains: backend.contains.bind(backend) } : {}),
    ...(backend.observe ? { observe: backend.observe.bind(backend) } : {}),
    ...(backend.record ? { record: backend.record.bind(backend) } : {}),
    ...(backend.downloadFiles ? { downloadFiles: backend.downloadFiles.bind(backend) } : {}),
  };
};

/** The same where a guard of ours is all that it takes. */
export const withGuard = (
  backend: GuardedBackend,
  guard: (outer?: ChangeGuard) => ChangeGuard,
  again: (restricted: GuardedBackend) => GuardedBackend,
): GuardedBackend => withChanges(backend, async (change, outer) => change(guard(outer)), again);
