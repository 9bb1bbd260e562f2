import { closingIndex, endsValue } from "../tokens.js";
import { insertAt, replaceToken, type Mutation, type MutationKind, type Mutator } from "./mutation.js";

type Alternatives = readonly (readonly [replacement: string, kind: MutationKind, weight: number])[];

/** For each binary operator the ones that people write by mistake in its place. */
const ALTERNATIVES: Readonly<Record<string, Alternatives>> = {
  "<": [
    ["<=", "boundary", 0.8],
    [">", "comparison", 0.6],
    [">=", "comparison", 0.5],
  ],
  "<=": [
    ["<", "boundary", 0.8],
    [">=", "comparison", 0.6],
    [">", "comparison", 0.5],
  ],
  ">": [
    [">=", "boundary", 0.8],
    ["<", "comparison", 0.6],
    ["<=", "comparison", 0.5],
  ],
  ">=": [
    [">", "boundary", 0.8],
    ["<=", "comparison", 0.6],
    ["<", "comparison", 0.5],
  ],
  "===": [["!==", "comparison", 0.7]],
  "!==": [["===", "comparison", 0.7]],
  "==": [
    ["!=", "comparison", 0.5],
    ["===", "comparison", 0.4],
  ],
  "!=": [
    ["==", "comparison", 0.5],
    ["!==", "comparison", 0.4],
  ],
  "+": [
    ["-", "arithmetic", 0.7],
    ["*", "arithmetic", 0.25],
  ],
  "-": [["+", "arithmetic", 0.75]],
  "*": [
    ["/", "arithmetic", 0.65],
    ["+", "arithmetic", 0.35],
  ],
  "/": [
    ["*", "arithmetic", 0.65],
    ["%", "arithmetic", 0.4],
  ],
  "%": [["/", "arithmetic", 0.5]],
  "**": [["*", "arithmetic", 0.5]],
  "+=": [
    ["-=", "assignment", 0.65],
    ["=", "assignment", 0.4],
  ],
  "-=": [
    ["+=", "assignment", 0.7],
    ["=", "assignment", 0.3],
  ],
  "*=": [
    ["/=", "assignment", 0.6],
    ["+=", "assignment", 0.4],
  ],
  "/=": [["*=", "assignment", 0.6]],
  "&&": [["||", "logic", 0.65]],
  "||": [
    ["&&", "logic", 0.65],
    ["??", "logic", 0.5],
  ],
  "??": [["||", "logic", 0.4]],
};

export const operators: Mutator = ({ tokens }, index) => {
  const token = tokens[index];
  const previous = tokens[index - 1];
  if (token?.kind !== "punctuator" || !endsValue(previous)) return [];
  const texts = [previous, tokens[index + 1]].some(
    (side) => side?.kind === "string" || side?.kind === "template",
  );
  return (ALTERNATIVES[token.text] ?? [])
    .filter(([, kind]) => !(texts && kind === "arithmetic"))
    .map(([replacement, kind, weight]) => replaceToken(token, replacement, kind, weight));
};

/** `total = x` inside a block where `total += x` was meant. Declarations stay as they are. */
export const accumulation: Mutator = ({ tokens }, index) => {
  const token = tokens[index];
  if (token?.kind !== "punctuator" || token.text !== "=" || tokens[index - 1]?.kind !== "name") return [];
  const before = tokens[index - 2];
  const starts = !before || [";", "}", "{", ")"].includes(before.text);
  if (!starts) return [];
  const name = tokens[index - 1]?.text;
  // A counter is a variable that starts as a number.
  const counter = tokens.some(
    (other, at) => other.text === "let" && tokens[at + 1]?.text === name && tokens[at + 3]?.kind === "number",
  );
  return [replaceToken(token, "+=", "assignment", counter ? 0.65 : 0.25)];
};

const CONDITIONS = new Set(["if", "while"]);

/** Drops a `!`, or puts one before the whole condition of an `if` or before a returned value. */
export const negation: Mutator = ({ tokens, source }, index) => {
  const token = tokens[index];
  if (!token) return [];
  const next = tokens[index + 1];
  if (token.kind === "punctuator" && token.text === "!" && !endsValue(tokens[index - 1])) {
    return [replaceToken(token, "", "negation", 0.7)];
  }
  const found: Mutation[] = [];
  const condition = token.text === "(" && CONDITIONS.has(tokens[index - 1]?.text ?? "");
  const returned = token.kind === "name" && token.text === "return" && next?.line === token.line;
  const callback = token.text === "=>" && next?.text !== "{" && next?.text !== "(" && next?.text !== "[";
  const callee = next?.kind === "name" && next.text !== "await" && next.text !== "new";
  // Before anything but a name or a call a `!` would apply to the first operand only, which is another change.
  if (callee && (condition || returned || callback)) {
    const end = endOfCallee(tokens, index + 1);
    const after = tokens[end + 1]?.text ?? ";";
    const alone =
      [";", ")", "}", ","].includes(after) || source.slice(tokens[end]?.end ?? 0).startsWith("\n");
    if (alone) found.push(insertAt(next.start, next.line, "!", "negation", 0.2));
  }
  return found;
};

/** Index of the last token of `a.b(c).d` that starts at `from`. */
const endOfCallee = (tokens: Parameters<Mutator>[0]["tokens"], from: number): number => {
  let index = from;
  for (;;) {
    const next = tokens[index + 1];
    if (next?.text === "." || next?.text === "?.") index += 2;
    else if (next?.text === "(" || next?.text === "[") {
      index = closingIndex(tokens, index + 1);
    } else return index;
  }
};
