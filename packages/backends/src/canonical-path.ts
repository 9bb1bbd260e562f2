import { BackendError } from "./errors.js";

/**
 * The one form of a virtual path: absolute, `/` between names, no `.`, no `..`, no empty name, no trailing slash
 * (except for the root itself). Rules are matched against this form only, since `/a/./b` and `/a//b` name `/a/b` too.
 *
 * @throws {BackendError} `invalid_path` when the path is relative, climbs above the root, or has a NUL or a backslash.
 *
 * @example
 * ```ts
 * import { canonicalPath } from "@fiveseam/backends";
 *
 * canonicalPath("/workspace/./src//index.ts"); // "/workspace/src/index.ts"
 * ```
 */
export const canonicalPath = (path: string): string => {
  const refuse = (why: string): never => {
    throw new BackendError("invalid_path", `"${path.replaceAll("\0", "\\0")}" is not a path here: ${why}.`);
  };
  if (!path.startsWith("/")) refuse('it must begin with "/"');
  if (path.includes("\0")) refuse("it contains a NUL character");
  if (path.includes("\\")) refuse('names are separated by "/"');
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) refuse("it climbs above the root");
  }
  return `/${names.join("/")}`;
};

/** True when the path is the directory that the prefix names, or below it. Both are taken in canonical form. */
export const isWithin = (path: string, prefix: string): boolean => {
  const base = canonicalPath(prefix);
  const at = canonicalPath(path);
  return base === "/" || at === base || at.startsWith(`${base}/`);
};
