import picomatch from "picomatch";
import { PipelineError } from "../errors.js";

// `|`, parentheses and a leading `!` are regular-expression syntax to picomatch ("/docs/a|/etc/b" matches both), and a
// backslash is an escape. Without them a glob that begins with the text "/docs/" matches nothing outside /docs.
const REFUSED = /[|()\\]|^!/;
/** The characters that end the literal part of a glob. */
const SPECIAL = /[*?[\]{}!+]/;
const MAX_COMPILED = 2_000;

/**
 * The canonical form of a virtual path (absolute, no `.`, `..`, empty name or trailing slash), or undefined when the
 * text names no path. Rights match this form only: `/workspace/./secret/x` gets past a rule for `/workspace/secret/**`.
 */
export const canonicalPath = (path: string): string | undefined => {
  if (!path.startsWith("/") || path.includes("\0") || path.includes("\\")) return undefined;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return `/${names.join("/")}`;
};

/** @throws {PipelineError} `invalid_rights` */
export const checkGlob = (glob: string): string => {
  const refuse = (why: string): never => {
    throw new PipelineError("invalid_rights", `"${glob}" is not a path rule: ${why}.`);
  };
  if (typeof glob !== "string" || !glob.startsWith("/")) refuse('it must be absolute, as in "/docs/**"');
  if (REFUSED.test(glob)) refuse("use only *, **, ?, [..] and {a,b}");
  if (glob.includes("\0")) refuse("it contains a NUL character");
  if (
    glob !== "/" &&
    glob
      .split("/")
      .slice(1)
      .some((name) => name === "" || name === "." || name === "..")
  )
    refuse('"." and ".." and empty names never match a path; leave out a "/" at the end');
  return glob;
};

const compiled = new Map<string, (path: string) => boolean>();

// picomatch's `**` stops at a line break (seen with 4.0.7: "/secret/**" misses "/secret/a\nb"), which would let a name
// with one through a rule that denies.
const flat = (text: string): string => text.replaceAll(/[\n\r\u2028\u2029]/g, "\uFFFD");

/** True when a canonical path matches the glob; names that begin with a dot are names like others. */
export const matches = (glob: string, path: string): boolean => {
  let matcher = compiled.get(glob);
  if (!matcher) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    matcher = picomatch(flat(glob), { dot: true, nonegate: true, noextglob: true });
    compiled.set(glob, matcher);
  }
  return matcher(flat(path));
};

/**
 * True when every path that `inner` matches is surely matched by `outer`: they are equal, or `outer` is a whole
 * subtree (`/docs/**`) and `inner` begins inside it. A partial order; false does not mean that one lies outside.
 */
export const isUnder = (inner: string, outer: string): boolean => {
  if (inner === outer) return true;
  if (!outer.endsWith("/**")) return false;
  const base = outer.slice(0, -"/**".length);
  return !SPECIAL.test(base) && (inner === base || inner.startsWith(`${base}/`));
};

/** The globs without those that lie under another of them, sorted. */
export const widest = (globs: Iterable<string>): string[] => {
  const all = [...new Set(globs)];
  return all.filter((glob) => !all.some((other) => other !== glob && isUnder(glob, other))).sort();
};
