import { closingIndex, tokenize, type Token } from "./tokens.js";

/** A named stretch of a source: a function, a method, or a top-level value. */
export interface Region {
  readonly name: string;
  /** 1-based first line. */
  readonly firstLine: number;
  /** 1-based last line, inclusive. */
  readonly lastLine: number;
  readonly kind: "function" | "value" | "class" | "test";
  /** Names that occur inside, which is as close to "what it calls" as words alone can come. */
  readonly words: ReadonlySet<string>;
}

const NOT_METHODS = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "function",
  "return",
  "await",
  "super",
  "with",
]);
const TEST_CALLS = new Set(["test", "it", "specify"]);

const isName = (token: Token | undefined): token is Token => token?.kind === "name";
const is = (token: Token | undefined, text: string): boolean =>
  token?.kind === "punctuator" && token.text === text;

/** End of an expression that starts at `from`: the token before a comma, semicolon or closing bracket of its level. */
const expressionEnd = (tokens: readonly Token[], from: number): number => {
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token) break;
    if (is(token, "(") || is(token, "[") || is(token, "{")) index = closingIndex(tokens, index);
    else if (is(token, ",") || is(token, ";") || is(token, ")") || is(token, "]") || is(token, "}"))
      return index - 1;
    const next = tokens[index + 1];
    // Code without semicolons: a declaration on a new line ends what came before.
    if (
      next &&
      next.line > (tokens[index]?.line ?? 0) &&
      /^(?:export|const|let|var|function|class|async|module)$/.test(next.text)
    ) {
      return index;
    }
  }
  return tokens.length - 1;
};

/** The index of the last token of a function whose parameter list may start at `from`; undefined when none does. */
const functionEnd = (tokens: readonly Token[], from: number): number | undefined => {
  let index = from;
  if (tokens[index]?.text === "async") index += 1;
  if (tokens[index]?.text === "function") {
    index += 1;
    if (is(tokens[index], "*")) index += 1;
    if (isName(tokens[index])) index += 1;
    if (!is(tokens[index], "(")) return undefined;
    const body = closingIndex(tokens, index) + 1;
    return is(tokens[body], "{") ? closingIndex(tokens, body) : undefined;
  }
  const arrow = is(tokens[index], "(") ? closingIndex(tokens, index) + 1 : index + 1;
  if (!is(tokens[arrow], "=>")) return undefined;
  return is(tokens[arrow + 1], "{") ? closingIndex(tokens, arrow + 1) : expressionEnd(tokens, arrow + 1);
};

/** What a `test("name", …)` call, a function, a method or a class at `at` is called and where it ends. */
const regionAt = (
  tokens: readonly Token[],
  at: number,
  depth: number,
): { name: string; end: number; kind: Region["kind"] } | undefined => {
  const token = tokens[at];
  const next = tokens[at + 1];
  const previous = tokens[at - 1];
  if (!isName(token)) return undefined;
  if (TEST_CALLS.has(token.text) && !is(previous, ".")) {
    const open = is(next, ".") ? at + 3 : at + 1;
    const title = tokens[open + 1];
    if (is(tokens[open], "(") && (title?.kind === "string" || title?.kind === "template")) {
      return { name: title.text.slice(1, -1), end: closingIndex(tokens, open), kind: "test" };
    }
  }
  if (token.text === "class" && isName(next)) {
    const open = tokens.findIndex((candidate, index) => index > at && is(candidate, "{"));
    return open < 0 ? undefined : { name: next.text, end: closingIndex(tokens, open), kind: "class" };
  }
  if (token.text === "function" && isName(next)) {
    const end = functionEnd(tokens, at);
    return end === undefined ? undefined : { name: next.text, end, kind: "function" };
  }
  if (is(next, "=") || is(next, ":")) {
    const end = functionEnd(tokens, at + 2);
    if (end !== undefined) return { name: token.text, end, kind: "function" };
    const declares = previous && ["const", "let", "var"].includes(previous.text);
    if (depth === 0 && is(next, "=") && declares) {
      return { name: token.text, end: expressionEnd(tokens, at + 2), kind: "value" };
    }
    return undefined;
  }
  if (is(next, "(") && !NOT_METHODS.has(token.text) && !is(previous, ".") && previous?.text !== "new") {
    const body = closingIndex(tokens, at + 1) + 1;
    if (is(tokens[body], "{") && depth > 0)
      return { name: token.text, end: closingIndex(tokens, body), kind: "function" };
  }
  return undefined;
};

const wordsOf = (tokens: readonly Token[]): Set<string> =>
  new Set(tokens.filter((token) => token.kind === "name").map((token) => token.text.replace(/^#/, "")));

/** Every named region of a source, outer ones before the ones inside them. */
export const regionsOf = (source: string): readonly Region[] => {
  const tokens = tokenize(source);
  const regions: Region[] = [];
  const classes: { name: string; end: number }[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (is(token, "{") || is(token, "(") || is(token, "[")) depth += 1;
    if (is(token, "}") || is(token, ")") || is(token, "]")) depth -= 1;
    const found = regionAt(tokens, index, depth);
    if (!found) continue;
    if (found.kind === "class") classes.push(found);
    const inside = classes.findLast((owner) => owner.end >= index);
    // `new Cart()` is how a constructor is called, so that is the name to find it by.
    const name = found.name === "constructor" && inside ? inside.name : found.name.replace(/^#/, "");
    regions.push({
      name,
      kind: found.kind,
      firstLine: token.line,
      lastLine: lastLineOf(tokens[found.end], token.line),
      words: found.kind === "class" ? new Set() : wordsOf(tokens.slice(index + 1, found.end + 1)),
    });
  }
  return regions;
};

const lastLineOf = (token: Token | undefined, fallback: number): number =>
  token ? token.line + (token.text.split("\n").length - 1) : fallback;
