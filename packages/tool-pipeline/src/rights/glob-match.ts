import { PipelineError } from "../errors.js";

/*
 * Globs are matched by hand and not by a regular expression: a path is the model's, and a pattern with several `*` would let one
 * cost more than a minute. This takes at most (length of the path) x (length of the pattern) steps.
 */

const MAX_ALTERNATIVES = 200;

/** The patterns that a glob with braces stands for. */
const alternatives = (glob: string): string[] => {
  const done: string[] = [];
  const open = [glob];
  while (open.length > 0) {
    const text = open.pop() as string;
    const group = firstGroup(text);
    if (!group) done.push(text);
    else
      for (const each of group.options) open.push(text.slice(0, group.start) + each + text.slice(group.end));
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw new PipelineError(
        "invalid_rights",
        `"${glob}" is not a path rule: its braces stand for more than ${MAX_ALTERNATIVES} patterns.`,
      );
    }
  }
  return done;
};

const firstGroup = (text: string): { start: number; end: number; options: string[] } | undefined => {
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", start + 1)) {
    const options: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start + 1; at < text.length; at += 1) {
      const char = text[at];
      if (char === "{") depth += 1;
      else if (char === "}" && depth > 0) depth -= 1;
      else if (char === "," && depth === 0) {
        options.push(text.slice(from, at));
        from = at + 1;
      } else if (char === "}") {
        options.push(text.slice(from, at));
        // Without a comma it is no group.
        if (options.length > 1) return { start, end: at + 1, options };
        break;
      }
    }
  }
  return undefined;
};

type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | Class;

interface Class {
  readonly kind: "class";
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}

/** A bracket expression, or undefined when the bracket stands for itself. */
const classAt = (chars: readonly string[], at: number): { token: Class; end: number } | undefined => {
  let index = at + 1;
  const negated = chars[index] === "!" || chars[index] === "^";
  if (negated) index += 1;
  const ranges: [string, string][] = [];
  for (let first = true; index < chars.length; first = false) {
    const char = chars[index] as string;
    if (char === "]" && !first) return { token: { kind: "class", negated, ranges }, end: index + 1 };
    const to = chars[index + 2];
    if (chars[index + 1] === "-" && to !== undefined && to !== "]") {
      ranges.push([char, to]);
      index += 3;
    } else {
      ranges.push([char, char]);
      index += 1;
    }
  }
  return undefined;
};

const tokensOf = (name: string): Token[] => {
  const chars = [...name];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length;) {
    const char = chars[at] as string;
    const bracket = char === "[" ? classAt(chars, at) : undefined;
    if (bracket) {
      tokens.push(bracket.token);
      at = bracket.end;
      continue;
    }
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else tokens.push(char === "?" ? { kind: "any" } : { kind: "char", char });
    at += 1;
  }
  return tokens;
};

const fits = (token: Token, char: string): boolean => {
  if (token.kind === "char") return token.char === char;
  if (token.kind === "class")
    return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.negated;
  return token.kind === "any";
};

/** Matches without going back further than a star: on a mismatch only the last star takes one value more. */
const sequenceMatches = <Piece, Value>(
  pieces: readonly Piece[],
  values: readonly Value[],
  isStar: (piece: Piece) => boolean,
  takes: (piece: Piece, value: Value) => boolean,
): boolean => {
  let piece = 0;
  let value = 0;
  let star = -1;
  let resume = 0;
  while (value < values.length) {
    const current = pieces[piece];
    if (current !== undefined && isStar(current)) {
      star = piece;
      resume = value;
      piece += 1;
    } else if (current !== undefined && takes(current, values[value] as Value)) {
      piece += 1;
      value += 1;
    } else if (star >= 0) {
      piece = star + 1;
      resume += 1;
      value = resume;
    } else return false;
  }
  return pieces.slice(piece).every(isStar);
};

const isNameStar = ({ kind }: Token): boolean => kind === "star";

/** One name with the pattern for one. */
const nameMatches = (tokens: readonly Token[], chars: readonly string[]): boolean =>
  sequenceMatches(tokens, chars, isNameStar, fits);

type Part = "**" | readonly Token[];

const partsOf = (pattern: string): Part[] =>
  pattern
    .split("/")
    .slice(1)
    .map((name) => (name === "**" ? "**" : tokensOf(name)));

const isPathStar = (part: Part): boolean => part === "**";

/** The names of a path with the parts of a pattern. */
const pathMatches = (parts: readonly Part[], names: readonly (readonly string[])[]): boolean =>
  sequenceMatches(parts, names, isPathStar, (part, name) => part !== "**" && nameMatches(part, name));

/**
 * A matcher of canonical paths. `*` and `?` stay within a name, `**` as a whole name stands for any number of names, none
 * included; a directory matches its own `dir/**`.
 */
export const globMatcher = (glob: string): ((path: string) => boolean) => {
  const patterns = alternatives(glob).map(partsOf);
  return (path) => {
    const names =
      path === "/"
        ? []
        : path
            .split("/")
            .slice(1)
            .map((name) => [...name]);
    return patterns.some((parts) => pathMatches(parts, names));
  };
};
