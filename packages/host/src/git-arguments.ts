import path from "node:path";
import { HostError } from "./errors.js";
import { windows } from "./process-group.js";

// What `git check-ref-format` allows in a name, less what begins with a dash. `@{` and `..` are looked for apart.
const NAME = /^(?![-/.])[^\p{Cc} ~^:?*[\\]{1,250}$/u;
/** What may stand behind a name: steps to ancestors, and the few reflog and upstream forms. */
const SUFFIX = /^(?:~\d{0,6}|\^\d{0,3}|@\{(?:upstream|u|push|\d{1,6})\})*$/;

const isName = (name: string): boolean =>
  NAME.test(name) &&
  !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)/.test(name) &&
  !name.endsWith("/") &&
  !name.endsWith(".");

/** A reference as git may see it: it names one commit, and can be no option, range, path or search. */
export const checkedRef = (ref: string): string => {
  const match = typeof ref === "string" ? /^(.*?)((?:[~^]|@\{)[^]*)?$/su.exec(ref) : null;
  const [, name = "", suffix = ""] = match ?? [];
  // A lone "@" is HEAD, and "@{upstream}" is that of the current branch.
  const named = isName(name) || (name === "" && suffix.startsWith("@{"));
  if (match && named && SUFFIX.test(suffix)) return ref;
  throw new HostError(
    "invalid_argument",
    `${JSON.stringify(ref)} is no reference: give a branch, a tag or a commit, with ~N, ^N or @{upstream} behind it`,
  );
};

/** The name of a new branch or tag. */
export const checkedNewName = (name: string): string => {
  // What looks like a commit would make each later use of that commit ambiguous.
  const usable =
    typeof name === "string" && isName(name) && name !== "@" && !/^HEAD$|^[0-9a-f]{40,64}$/i.test(name);
  if (usable) return name;
  throw new HostError("invalid_argument", `${JSON.stringify(name)} can be no name of a branch or tag`);
};

/** A path relative to the root, normalised; it never leads out of it. */
export const checkedPath = (given: string): string => {
  if (typeof given !== "string" || given === "" || given.includes("\0"))
    throw new HostError("invalid_argument", `${JSON.stringify(given)} is no path`);
  // `a:/b` and `\\x` are names of files, except on Windows.
  const normal = path.posix.normalize(windows ? given.replaceAll("\\", "/") : given);
  const drive = windows && /^[a-z]:/i.test(normal);
  if (drive || path.posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../"))
    throw new HostError(
      "outside_root",
      `${JSON.stringify(given)} does not lie below the root; give a relative path`,
    );
  return normal;
};

/** `-- paths` at the end of a command. Without paths the root itself is meant, which may be a part of the repository. */
export const pathArguments = (paths: readonly string[] | undefined): string[] => [
  "--",
  ...(paths === undefined ? ["."] : paths.map(checkedPath)),
];

/** For calls that have to be told what they are about: an empty list must not come to mean everything. */
export const requiredPaths = (paths: readonly string[]): string[] => {
  if (!Array.isArray(paths) || paths.length === 0)
    throw new HostError("invalid_argument", 'name the paths; "." means everything below the root');
  return pathArguments(paths);
};

/**
 * The same for `git stash`, which hands patterns of its own to other git programs and so breaks where patterns are off
 * altogether (2.39: `--include-untracked` leaves the untracked files where they are). Use with `PATTERNS_ON`.
 */
export const literalPaths = (paths: readonly string[] | undefined): string[] => {
  const [dashes = "--", ...names] = paths === undefined ? pathArguments(undefined) : requiredPaths(paths);
  return [dashes, ...names.map((name) => `:(literal)${name}`)];
};
export const PATTERNS_ON: Readonly<Record<string, string>> = { GIT_LITERAL_PATHSPECS: "0" };

/** A whole number within bounds. */
export const checkedNumber = (name: string, value: number, min: number, max: number): number => {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new HostError("invalid_argument", `${name} is ${value}; give a whole number from ${min} to ${max}`);
};
