import type { BackendProtocolV2 } from "deepagents";
import { isWithin } from "./canonical-path.js";

export interface ReadOnlyOptions {
  /**
   * Prefixes that stay writable. deepagents itself stores large tool results and old history through the backend, so
   * a delegate keeps these even when it has no tool to write with.
   */
  except?: readonly string[];
  /** Who is refused, for the message; for instance a role's name. */
  who?: string;
}

/**
 * A backend through which nothing can be changed. Every write, edit, delete and upload outside `except` is refused with
 * a text the model can act on; commands (`execute`) are not passed on at all.
 *
 * @example
 * ```ts
 * import { readOnly } from "@fiveseam/backends";
 * import { FilesystemBackend } from "deepagents";
 *
 * const files = readOnly(new FilesystemBackend({ rootDir: process.cwd(), virtualMode: true }));
 * const result = await files.write("/notes.txt", "hello");
 * console.log(result.error); // says that files are read-only here
 * ```
 */
export const readOnly = (
  backend: BackendProtocolV2,
  options: ReadOnlyOptions = {},
): BackendProtocolV2 & { readonly routePrefixes?: readonly string[] } => {
  const except = options.except ?? [];
  const who = options.who ? `${options.who} may only read files` : "files are read-only here";
  const writable = (path: string): boolean => {
    try {
      return except.some((prefix) => isWithin(path, prefix));
    } catch {
      // A path that has no canonical form is not one that was excepted.
      return false;
    }
  };
  const refusal = (path: string): string =>
    `Denied: ${who}, so ${path} was not changed. Report what you would change.`;

  const wrapped: BackendProtocolV2 = {
    ls: (path) => backend.ls(path),
    read: (path, offset, limit) => backend.read(path, offset, limit),
    readRaw: (path) => backend.readRaw(path),
    grep: (pattern, path, glob, maxCount) => backend.grep(pattern, path, glob, maxCount),
    glob: (pattern, path) => backend.glob(pattern, path),
    write: (path, content) => (writable(path) ? backend.write(path, content) : { error: refusal(path) }),
    edit: (path, oldString, newString, replaceAll) =>
      writable(path) ? backend.edit(path, oldString, newString, replaceAll) : { error: refusal(path) },
    delete: (path) => (writable(path) && backend.delete ? backend.delete(path) : { error: refusal(path) }),
    uploadFiles: async (files) => {
      const allowed = files.filter(([path]) => writable(path));
      const stored = allowed.length > 0 && backend.uploadFiles ? await backend.uploadFiles(allowed) : [];
      // By position: a backend may answer with another form of the path.
      let next = 0;
      return files.map(
        ([path]) =>
          (writable(path) ? stored[next++] : undefined) ?? { path, error: "permission_denied" as const },
      );
    },
    downloadFiles: (paths) =>
      backend.downloadFiles
        ? backend.downloadFiles(paths)
        : paths.map((path) => ({ path, content: null, error: "file_not_found" as const })),
  };
  const { routePrefixes } = backend as { routePrefixes?: readonly string[] };
  return routePrefixes ? Object.assign(wrapped, { routePrefixes }) : wrapped;
};
