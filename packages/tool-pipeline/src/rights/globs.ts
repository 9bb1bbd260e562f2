import { PipelineError } from "../errors.js";
import { globMatcher } from "./glob-match.js";

// What is syntax in other dialects and would be a plain character here: a rule that means less than it says.
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
  if (/\{[^{},]*\.\.[^{},]*\}|\[\[:/.test(glob))
    refuse("ranges in braces and classes by name are not known here");
  if (/\[[^\]]*$/.test(glob) || /\[\]?[^\]]*\//.test(glob)) refuse("a bracket is not closed");
  if (/[^/]\*\*|\*\*[^/]/.test(glob)) refuse("** stands for whole names, as in /src/**/test");
  globMatcher(glob);
  return glob;
};

const compiled = new Map<string, (path: string) => boolean>();

/** True when a canonical path matches the glob; names that begin with a dot are names like others. */
export const matches = (glob: string, path: string): boolean => {
  let matcher = compiled.get(glob);
  if (!matcher) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    matcher = globMatcher(glob);
    compiled.set(glob, matcher);
  }
  return matcher(path);
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
