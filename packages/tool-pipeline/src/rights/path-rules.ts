import { checkGlob, isUnder, matches, widest } from "./globs.js";

/**
 * Which paths somebody may read, or write, in canonical form: a path is covered when each list of `allow` has a glob
 * that matches it and no glob of `deny` does. `allow: []` is every path, `allow: [[]]` none.
 */
export interface PathRules {
  readonly allow: readonly (readonly string[])[];
  readonly deny: readonly string[];
}

/** How path rules are written: every path, none, globs that allow, or globs that allow less globs that deny. */
export type PathRulesInput =
  | "all"
  | "none"
  | readonly string[]
  | { readonly allow?: readonly string[]; readonly deny: readonly string[] };

const NO_PATHS: PathRules = Object.freeze({
  allow: Object.freeze([Object.freeze([])]),
  deny: Object.freeze([]),
});

/** True when every glob of `inner` lies under one of `outer`, so that the list `outer` asks nothing more. */
const implies = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.every((glob) => outer.some((other) => isUnder(glob, other)));

const compare = (a: readonly string[], b: readonly string[]): number => {
  const [left, right] = [a.join("\n"), b.join("\n")];
  return left < right ? -1 : left > right ? 1 : 0;
};

/**
 * The canonical form. Each step is monotone (globs under a denied one go, then lists that a stricter list implies go), so
 * that the form does not depend on the order in which rules were put together.
 */
const canonical = (allow: readonly (readonly string[])[], deny: readonly string[]): PathRules => {
  const denied = widest(deny);
  const lists = allow.map((list) =>
    widest(list).filter((glob) => !denied.some((other) => isUnder(glob, other))),
  );
  if (lists.some((list) => list.length === 0) || denied.includes("/**")) return NO_PATHS;
  const kept = lists.filter(
    (list, at) =>
      !list.includes("/**") &&
      !lists.some(
        (other, index) => index !== at && implies(other, list) && (compare(other, list) !== 0 || index < at),
      ),
  );
  return Object.freeze({
    allow: Object.freeze(kept.sort(compare).map((list) => Object.freeze(list))),
    deny: Object.freeze(denied),
  });
};

/** @throws {PipelineError} `invalid_rights` when a glob is not one. */
export const pathRules = (input: PathRulesInput): PathRules => {
  if (input === "none") return NO_PATHS;
  if (input === "all") return canonical([], []);
  const { allow, deny } = Array.isArray(input)
    ? { allow: input as readonly string[], deny: [] }
    : (input as { allow?: readonly string[]; deny: readonly string[] });
  return canonical(allow === undefined ? [] : [allow.map(checkGlob)], deny.map(checkGlob));
};

export const meetPaths = (a: PathRules, b: PathRules): PathRules =>
  canonical([...a.allow, ...b.allow], [...a.deny, ...b.deny]);

export const isNoPaths = (rules: PathRules): boolean => rules.allow.some((list) => list.length === 0);

/** `path` in canonical form. */
export const coversPath = (rules: PathRules, path: string): boolean =>
  rules.allow.every((list) => list.some((glob) => matches(glob, path))) &&
  !rules.deny.some((glob) => matches(glob, path));
