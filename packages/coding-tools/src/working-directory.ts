import { realpath, stat } from "node:fs/promises";
import path from "node:path";

/** A directory that a tool was asked to work in and may not, in words for the model. */
export class WorkingDirectoryError extends Error {
  override readonly name = "WorkingDirectoryError";
  readonly code = "invalid_directory";
}

const VIRTUAL_ROOT = "/workspace";

/**
 * Resolves a model's `cwd` to a real directory. The model knows the workspace as `/workspace/`, so that path and
 * relative ones are taken to mean inside the root; anything that leaves the root, by `..` or by a symlink, is refused.
 */
export const resolveDirectory = async (root: string, cwd: string | undefined): Promise<string> => {
  const realRoot = await realpath(root).catch(() => {
    throw new WorkingDirectoryError(`The workspace "${root}" is not there any more.`);
  });
  if (cwd === undefined || cwd === "") return realRoot;
  if (cwd.includes("\0")) throw new WorkingDirectoryError("The directory contains a NUL character.");
  const inside =
    cwd === VIRTUAL_ROOT || cwd.startsWith(`${VIRTUAL_ROOT}/`)
      ? path.join(realRoot, cwd.slice(VIRTUAL_ROOT.length))
      : path.resolve(realRoot, cwd);
  const real = await realpath(inside).catch(() => {
    throw new WorkingDirectoryError(`There is no directory "${cwd}" in the workspace.`);
  });
  const relative = path.relative(realRoot, real);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
    throw new WorkingDirectoryError(`"${cwd}" is outside the workspace; use a path under ${VIRTUAL_ROOT}/.`);
  }
  if (!(await stat(real)).isDirectory()) throw new WorkingDirectoryError(`"${cwd}" is not a directory.`);
  return real;
};
