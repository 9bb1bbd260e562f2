import type { Hints } from "../hints.js";
import { endsValue } from "../tokens.js";
import { insertAt, replaceToken, type Mutation, type Mutator } from "./mutation.js";

/** Numbers that would turn what came into what was expected, if this constant were added, taken away or multiplied. */
const suggested = (value: number, hints: Hints): readonly number[] =>
  hints.numbers.flatMap(({ expected, actual }) => {
    const shift = expected - actual;
    const ratio = actual === 0 ? 0 : expected / actual;
    return [value + shift, value - shift, value * ratio, ratio === 0 ? 0 : value / ratio];
  });

/** A constant is mistyped, not invented: what is suggested has to be of about the same size. */
const sameSize = (value: number, candidate: number): boolean =>
  value <= 1 || (candidate <= value * 20 && candidate >= value / 20);

const isPlain = (value: number): boolean =>
  Number.isFinite(value) && Math.abs(value) < 1e12 && String(value).replace(/^-?\d*\.?/, "").length <= 4;

const rounded = (value: number): number => Number(value.toPrecision(10));

export const numbers: Mutator = ({ tokens, hints }, index) => {
  const token = tokens[index];
  if (token?.kind !== "number" || !/^\d+(?:\.\d+)?$/.test(token.text.replaceAll("_", ""))) return [];
  const value = Number(token.text.replaceAll("_", ""));
  const found = new Map<number, number>();
  const propose = (candidate: number, weight: number): void => {
    const plain = rounded(candidate);
    // A negative number in place of a positive one would need brackets after an operator.
    if (plain === value || plain < 0 || !isPlain(plain)) return;
    found.set(plain, Math.max(found.get(plain) ?? 0, weight));
  };
  // A key of a table, and the neutral elements, are rarely what is wrong.
  const key = tokens[index + 1]?.text === ":" && ["{", ","].includes(tokens[index - 1]?.text ?? "");
  const usual = (key ? 0.3 : 1) * (value <= 1 && Number.isInteger(value) ? 0.6 : 1);
  const place = tokens[index - 1]?.text === "[" && tokens[index + 1]?.text === "]";
  for (const candidate of place ? [] : suggested(value, hints)) {
    if (sameSize(value, candidate)) propose(candidate, 0.85 * usual);
  }
  if (Number.isInteger(value)) {
    propose(value + 1, 0.5 * usual);
    propose(value - 1, 0.55 * usual);
  }
  if (value >= 10 || value === 0.1 || value === 0.01) {
    propose(value * 10, 0.5 * usual);
    propose(value / 10, 0.5 * usual);
  }
  return [...found].map(([candidate, weight]) => replaceToken(token, String(candidate), "number", weight));
};

/** `+ 1` and `- 1` dropped, and added where the last index is a usual mistake. */
export const offsets: Mutator = ({ tokens, parameters }, index) => {
  const token = tokens[index];
  const previous = tokens[index - 1];
  const next = tokens[index + 1];
  if (!token) return [];
  if ((token.text === "+" || token.text === "-") && next?.text === "1" && previous && endsValue(previous)) {
    return [
      { kind: "offset", start: previous.end, end: next.end, replacement: "", line: token.line, weight: 0.65 },
    ];
  }
  const found: Mutation[] = [];
  const offsetFollows = next?.text === "+" || next?.text === "-";
  if (token.kind === "name" && token.text === "length" && previous?.text === "." && !offsetFollows) {
    found.push(insertAt(token.end, token.line, " - 1", "offset", 0.55));
  }
  const closesIndex = token.text === "]" && previous?.kind === "name" && tokens[index - 2]?.text === "[";
  if (closesIndex && endsValue(tokens[index - 3])) {
    found.push(insertAt(token.start, token.line, " - 1", "offset", 0.45));
    found.push(insertAt(token.start, token.line, " + 1", "offset", 0.45));
  }
  // A name as the last argument of slice, substring and the like.
  const argument =
    token.kind === "name" && previous?.text === "," && next?.text === ")" && !parameters.has(index);
  if (argument) {
    found.push(insertAt(token.end, token.line, " + 1", "offset", 0.3));
    found.push(insertAt(token.end, token.line, " - 1", "offset", 0.25));
  }
  return found;
};

export const booleans: Mutator = ({ tokens }, index) => {
  const token = tokens[index];
  if (token?.kind !== "name" || tokens[index - 1]?.text === ".") return [];
  if (token.text === "true") return [replaceToken(token, "false", "boolean", 0.6)];
  if (token.text === "false") return [replaceToken(token, "true", "boolean", 0.6)];
  return [];
};

const commonPrefix = (left: string, right: string): number => {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
};

const commonSuffix = (left: string, right: string): number => {
  let length = 0;
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length += 1;
  return length;
};

/** What a literal would have to be for the first difference between two texts to go away. */
const correctedLiteral = (literal: string, expected: string, actual: string): string | undefined => {
  const differs = commonPrefix(expected, actual);
  for (let at = actual.indexOf(literal); at >= 0 && at <= differs; at = actual.indexOf(literal, at + 1)) {
    if (at + literal.length < differs) continue;
    // The literal covers the first difference; where the texts agree again ends its replacement.
    const after = actual.slice(at + literal.length);
    for (let length = after.length; length >= Math.min(3, Math.max(1, after.length)); length -= 1) {
      const end = expected.indexOf(after.slice(0, length), at);
      if (end >= at) return expected.slice(at, end);
    }
    if (after === "") return expected.slice(at);
  }
  return undefined;
};

/** Two texts close enough for one to be written by mistake: short, or half the same. */
const isSlip = (literal: string, corrected: string): boolean => {
  const same = commonPrefix(literal, corrected) + commonSuffix(literal, corrected);
  const near = Math.abs(literal.length - corrected.length) <= 3;
  return near && (literal.length <= 3 || same * 2 >= Math.min(literal.length, corrected.length));
};

const escaped = (text: string, quote: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`).replaceAll("\n", "\\n");

export const texts: Mutator = ({ tokens, hints, vocabulary }, index) => {
  const token = tokens[index];
  if (token?.kind !== "string" && token?.kind !== "template") return [];
  const open = token.text[0] ?? "'";
  const close = token.text.endsWith("${") ? "${" : token.text.slice(-1);
  const literal = token.text.slice(1, -close.length);
  const found = new Map<string, number>();
  const known = (text: string): boolean =>
    tokens.some((other) => other.kind === "string" && other.text.slice(1, -1) === text);
  for (const { expected, actual } of hints.texts) {
    const corrected = literal === "" ? undefined : correctedLiteral(literal, expected, actual);
    if (corrected !== undefined && corrected !== literal && corrected.length < 80) {
      // A text that the source already gives elsewhere was chosen wrongly; it is not misspelt here.
      found.set(corrected, known(corrected) || !isSlip(literal, corrected) ? 0.25 : 0.95);
    }
  }
  // A text that is compared, looked up or passed on may be one of the other texts that the project knows.
  if (token.kind === "string" && /^[\w-]{2,24}$/.test(literal) && tokens[index - 1]?.text !== "from") {
    for (const other of vocabulary.counts.keys()) {
      if (other !== literal && isNear(literal, other))
        found.set(other, Math.max(found.get(other) ?? 0, 0.35));
    }
  }
  const quote = open === "}" ? "`" : open;
  return [...found].map(([text, weight]) =>
    replaceToken(
      token,
      `${open}${quote === "`" ? text.replaceAll("`", "\\`") : escaped(text, quote)}${close}`,
      "text",
      weight,
    ),
  );
};

/** Within two changed characters of each other: a slip of the finger, a plural, another case. */
export const isNear = (left: string, right: string): boolean => {
  if (Math.abs(left.length - right.length) > 2 || Math.min(left.length, right.length) < 3) return false;
  if (left.toLowerCase() === right.toLowerCase()) return true;
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[right.length] ?? 9) <= (Math.min(left.length, right.length) < 5 ? 1 : 2);
};
