import { closingIndex, openingIndex, type Token } from "../tokens.js";
import { insertAt, replaceToken, type Mutation, type Mutator } from "./mutation.js";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The arguments between the brackets at `open`, as stretches of the source; undefined when there are none. */
const argumentsAt = (tokens: readonly Token[], open: number): readonly Span[] => {
  const close = closingIndex(tokens, open);
  const spans: Span[] = [];
  let first = open + 1;
  for (let index = open + 1; index <= close; index += 1) {
    const token = tokens[index];
    if (!token) break;
    if (index === close || token.text === ",") {
      const from = tokens[first];
      const to = tokens[index - 1];
      if (from && to && index > first) spans.push({ start: from.start, end: to.end });
      first = index + 1;
    } else if (["(", "[", "{"].includes(token.text) && token.kind === "punctuator")
      index = closingIndex(tokens, index);
  }
  return spans;
};

const NOT_CALLS = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "function",
  "return",
  "constructor",
  "typeof",
]);

/** `f(a, b)` for `f(b, a)`. A list of parameters is not a call and is left alone. */
export const swappedArguments: Mutator = ({ tokens, source }, index) => {
  const open = tokens[index + 1];
  const callee = tokens[index];
  if (callee?.kind !== "name" || open?.text !== "(" || NOT_CALLS.has(callee.text)) return [];
  // The order of these makes no difference.
  if (tokens[index - 1]?.text === "function" || /^(?:max|min)$/.test(callee.text)) return [];
  const after = tokens[closingIndex(tokens, index + 1) + 1]?.text;
  if (after === "{" || after === "=>") return [];
  const spans = argumentsAt(tokens, index + 1);
  return spans.slice(1).flatMap((second, at): Mutation[] => {
    const first = spans[at];
    if (!first) return [];
    const left = source.slice(first.start, first.end);
    const right = source.slice(second.start, second.end);
    // Nobody swaps a callback with a value, and a swap across lines is more than one small change.
    if (left === right || [left, right].some((text) => text.includes("=>") || text.includes("\n"))) return [];
    const between = source.slice(first.end, second.start);
    return [
      {
        kind: "swap",
        start: first.start,
        end: second.end,
        replacement: right + between + left,
        line: callee.line,
        weight: spans.length === 2 ? 0.6 : 0.45,
      },
    ];
  });
};

/** `a - b` for `b - a`, where both are names, members or numbers. */
export const swappedOperands: Mutator = ({ tokens, source }, index) => {
  const token = tokens[index];
  if (token?.kind !== "punctuator" || !["-", "/", "%"].includes(token.text)) return [];
  const isPart = (part: Token | undefined): boolean => part?.kind === "name" || part?.kind === "number";
  let first = index - 1;
  if (!isPart(tokens[first])) return [];
  while (tokens[first - 1]?.text === "." && isPart(tokens[first - 2])) first -= 2;
  let last = index + 1;
  if (!isPart(tokens[last])) return [];
  while (tokens[last + 1]?.text === "." && isPart(tokens[last + 2])) last += 2;
  if (["(", "["].includes(tokens[last + 1]?.text ?? "") || tokens[first - 1]?.text === ".") return [];
  const start = tokens[first]?.start ?? 0;
  const end = tokens[last]?.end ?? 0;
  const left = source.slice(start, tokens[index - 1]?.end);
  const right = source.slice(tokens[index + 1]?.start, end);
  if (left === right || right === "1") return [];
  // `(a, b) => a - b`: both orders look right, which is why this one is so often wrong.
  const comparator =
    token.text === "-" && tokens[first - 1]?.text === "=>" && tokens[first - 2]?.text === ")";
  const replacement = right + source.slice(tokens[index - 1]?.end, tokens[index + 1]?.start) + left;
  return [{ kind: "swap", start, end, replacement, line: token.line, weight: comparator ? 0.85 : 0.5 }];
};

const CONTROL = new Set(["if", "for", "while", "switch", "catch", "with"]);

/** Whether the function whose parameter list ends at `close` is async; undefined when that is no function. */
const isAsyncHead = (tokens: readonly Token[], close: number): boolean | undefined => {
  const open = tokens[close]?.text === ")" ? openingIndex(tokens, close) : close;
  const name = tokens[open - 1];
  if (name && CONTROL.has(name.text)) return undefined;
  return [1, 2, 3, 4].some((back) => {
    const token = tokens[open - back];
    return (
      token?.text === "async" &&
      tokens.slice(open - back + 1, open).every(({ kind, text }) => kind === "name" || text === "*")
    );
  });
};

/** Whether `await` is allowed at a token: the innermost function around it is async. */
const insideAsync = (tokens: readonly Token[], index: number): boolean => {
  let expression = true;
  for (let at = index - 1; at >= 0; at -= 1) {
    const text = tokens[at]?.text ?? "";
    const before = tokens[at - 1]?.text;
    if (text === ")" || text === "]" || text === "}") at = openingIndex(tokens, at);
    else if (text === "," || text === ";") expression = false;
    else if (text === "=>" && expression) return isAsyncHead(tokens, at - 1) ?? false;
    else if (text === "{" && (before === ")" || before === "=>")) {
      const async = isAsyncHead(tokens, before === "=>" ? at - 2 : at - 1);
      if (async !== undefined) return async;
      expression = true;
    } else if (text === "{" || text === "(" || text === "[") expression = true;
  }
  return false;
};

const AWAIT_AFTER = new Set([
  "=",
  "return",
  "(",
  "=>",
  ";",
  "{",
  "}",
  "!",
  ",",
  "[",
  "...",
  "of",
  "&&",
  "||",
  "+",
  "?",
  ":",
]);

/** `await` before a call in an async function that has none. */
export const missingAwait: Mutator = ({ tokens, source, vocabulary }, index) => {
  const token = tokens[index];
  const previous = tokens[index - 1];
  if (token?.kind !== "name" || !previous || previous.text === "await" || NOT_CALLS.has(token.text))
    return [];
  const next = tokens[index + 1]?.text;
  if (
    !["(", ".", "?."].includes(next ?? "") ||
    ["async", "new", "function", "await", "super"].includes(token.text)
  )
    return [];
  if (!AWAIT_AFTER.has(previous.text) && previous.line === token.line) return [];
  if (!insideAsync(tokens, index)) return [];
  let end = index;
  let called = false;
  while (["(", ".", "?.", "["].includes(tokens[end + 1]?.text ?? "")) {
    const opener = tokens[end + 1]?.text;
    called = opener === "(";
    end = opener === "(" || opener === "[" ? closingIndex(tokens, end + 1) : end + 2;
    if (called) break;
  }
  if (!called || ["{", "=>"].includes(tokens[end + 1]?.text ?? "")) return [];
  const last = tokens[end];
  const member = tokens[end + 1]?.text === "." || tokens[end + 1]?.text === "[";
  // The usual statement of such a mistake is a value kept or returned; a member of the result needs brackets.
  const callee = tokens[(last ? openingIndex(tokens, end) : 0) - 1]?.text ?? "";
  const returned = previous.text === "return" || previous.text === "=>";
  const weight = vocabulary.asyncNames.has(callee) ? (returned ? 0.6 : 1.1) : 0.3;
  if (!member || !last) return [insertAt(token.start, token.line, "await ", "await", weight)];
  return [
    {
      kind: "await",
      start: token.start,
      end: last.end,
      replacement: `(await ${source.slice(token.start, last.end)})`,
      line: token.line,
      weight: weight - 0.1,
    },
  ];
};

/** `/x/` without the flag that makes it match everywhere or in any case. */
export const regexFlags: Mutator = ({ tokens }, index) => {
  const token = tokens[index];
  if (token?.kind !== "regex") return [];
  const flags = token.text.slice(token.text.lastIndexOf("/") + 1);
  const argument = tokens[index - 1]?.text === "(";
  return [["g", argument ? 0.65 : 0.1] as const, ["i", 0.25] as const]
    .filter(([flag]) => !flags.includes(flag))
    .map(([flag, weight]) => replaceToken(token, token.text + flag, "regex", weight));
};
