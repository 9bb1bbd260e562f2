import picomatch from "picomatch";
import { FileError } from "./file-error.js";

const OPTIONS = { dot: true, nonegate: true, noextglob: true, flags: "s" } as const;
const MAX_PATTERN_CHARS = 2_000;

const compile = (pattern: string): ((path: string) => boolean) => {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw new FileError("invalid_path", "The glob is longer than 2,000 characters.");
  if (pattern.includes("\0")) throw new FileError("invalid_path", "The glob contains a NUL character.");
  return picomatch(pattern, OPTIONS);
};

/** A glob over paths, and the directory that it can only match in. */
export interface PathGlob {
  /** Names without wildcards in front: where the search can begin. */
  readonly base: readonly string[];
  /** Takes a path relative to where the pattern is applied. */
  matches(path: string): boolean;
}

const MAGIC = /[*?[\]{}()!\\+@]/;

/**
 * `*` and `?` stay within a name, `**` spans directories and also none, `{a,b}` and `[a-z]` as usual, a backslash takes the next
 * character as it is; names with a leading dot are names like others.
 *
 * @throws {FileError} `invalid_path` for an empty pattern.
 */
export const pathGlob = (pattern: string): PathGlob => {
  const relative = pattern.replace(/^(?:\.?\/)+/, "");
  if (relative === "") throw new FileError("invalid_path", "The glob is empty.");
  const names = relative.split("/");
  const firstMagic = names.findIndex(
    (name) => MAGIC.test(name) || name === ".." || name === "." || name === "",
  );
  const base = names.slice(0, firstMagic < 0 ? -1 : firstMagic);
  // `dir/**` means everything below; picomatch takes the directory itself for a match too, which is no file.
  return { base, matches: compile(relative) };
};

/** A filter for file names as grep takes it: without a slash it is matched with the name alone, at any depth. */
export const nameGlob = (pattern: string): ((path: string) => boolean) => {
  const { matches } = pathGlob(pattern);
  const whole = pattern.replace(/^\.?\//, "");
  if (whole.includes("/") || pattern.startsWith("/")) return matches;
  return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
};
