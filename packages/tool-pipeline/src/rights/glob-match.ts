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

/** One name with the pattern for one: on a mismatch only the last star takes one character more. */
const nameMatches = (tokens: readonly Token[], chars: readonly string[]): boolean => {
  let token = 0;
  let char = 0;
  let star = -1;
  let resume = 0;
  while (char < chars.length) {
    const current = tokens[token];
    if (current?.kind === "star") {
      star = token;
      resume = char;
      token += 1;
    } else if (current && fits(current, chars[char] as string)) {
      token += 1;
      char += 1;
    } else if (star >= 0) {
      token = star + 1;
      resume += 1;
      char = resume;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === "star");
};

type Part = "**" | readonly Token[];

const partsOf = (pattern: string): Part[] =>
  pattern
    .split("/")
    .slice(1)
    .map((name) => (name === "**" ? "**" : tokensOf(name)));

/** The same with directories: only the last `**` takes one name more. */
const pathMatches = (parts: readonly Part[], names: readonly (readonly string[])[]): boolean => {
  let part = 0;
  let name = 0;
  let star = -1;
  let resume = 0;
  while (name < names.length) {
    const current = parts[part];
    if (current === "**") {
      star = part;
      resume = name;
      part += 1;
    } else if (current !== undefined && nameMatches(current, names[name] as readonly string[])) {
      part += 1;
      name += 1;
    } else if (star >= 0) {
      part = star + 1;
      resume += 1;
      name = resume;
    } else return false;
  }
  return parts.slice(part).every((each) => each === "**");
};

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
