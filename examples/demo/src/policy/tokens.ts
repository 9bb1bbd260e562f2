/**
 * A tokenizer for JavaScript that is just good enough to find places to change: it never looks inside comments, and it
 * tells strings, templates and regular expressions from code. It is not a parser and accepts what no parser would.
 */
export type TokenKind = "name" | "number" | "string" | "template" | "regex" | "punctuator";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offset of the first character in the source. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  /** 1-based line of the first character. */
  readonly line: number;
}

// Longest first, so that `>=` is never read as `>` and `=`.
const PUNCTUATORS = [
  ">>>=",
  "...",
  "===",
  "!==",
  "**=",
  "<<=",
  ">>=",
  ">>>",
  "&&=",
  "||=",
  "??=",
  "=>",
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "??",
  "?.",
  "++",
  "--",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
  "<<",
  ">>",
  "**",
];

const NAME = /[\p{L}_$#][\p{L}\p{N}_$]*/uy;
const NUMBER = /0[xob][\da-f_]+n?|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?n?|\.\d+/iy;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const STRING = /"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'/y;
const BEFORE_REGEX_NAMES = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "await",
  "yield",
]);

/** After a value a slash divides; anywhere else it opens a regular expression. */
const regexMayFollow = (previous: Token | undefined): boolean => {
  if (!previous) return true;
  if (previous.kind === "name") return BEFORE_REGEX_NAMES.has(previous.text);
  return previous.kind === "punctuator" && ![")", "]", "}"].includes(previous.text);
};

const matchAt = (pattern: RegExp, source: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
};

/** The tokens of a source, in order. Template literals give a token for each literal piece and the tokens between. */
export const tokenize = (source: string): readonly Token[] => {
  const tokens: Token[] = [];
  // For each template that is open: how many braces are open inside its current `${`.
  const templates: number[] = [];
  let at = 0;
  let line = 1;

  const take = (kind: TokenKind, text: string): void => {
    tokens.push({ kind, text, start: at, end: at + text.length, line });
    skip(text);
  };
  const skip = (text: string): void => {
    at += text.length;
    for (const character of text) if (character === "\n") line += 1;
  };
  /** Reads a piece of a template from its opening backtick or closing brace to the next `${` or backtick. */
  const takeTemplatePiece = (): void => {
    let end = at + 1;
    while (end < source.length) {
      if (source[end] === "\\") end += 2;
      else if (source[end] === "`") {
        take("template", source.slice(at, end + 1));
        return;
      } else if (source.startsWith("${", end)) {
        take("template", source.slice(at, end + 2));
        templates.push(0);
        return;
      } else end += 1;
    }
    take("template", source.slice(at));
  };

  while (at < source.length) {
    const character = source[at] ?? "";
    if (/\s/.test(character)) skip(character);
    else if (source.startsWith("//", at) || source.startsWith("#!", at)) {
      const end = source.indexOf("\n", at);
      skip(source.slice(at, end < 0 ? undefined : end));
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      skip(source.slice(at, end < 0 ? undefined : end + 2));
    } else if (character === "`") takeTemplatePiece();
    else if (character === "}" && templates.at(-1) === 0) {
      templates.pop();
      takeTemplatePiece();
    } else {
      const regex =
        character === "/" && regexMayFollow(tokens.at(-1)) ? matchAt(REGEX, source, at) : undefined;
      const string = matchAt(STRING, source, at);
      const number = matchAt(NUMBER, source, at);
      const name = matchAt(NAME, source, at);
      if (regex) take("regex", regex);
      else if (string) take("string", string);
      else if (number) take("number", number);
      else if (name) take("name", name);
      else {
        const innermost = templates.length - 1;
        if (character === "{" && innermost >= 0) templates[innermost] = (templates[innermost] ?? 0) + 1;
        if (character === "}" && innermost >= 0) templates[innermost] = (templates[innermost] ?? 0) - 1;
        take("punctuator", PUNCTUATORS.find((text) => source.startsWith(text, at)) ?? character);
      }
    }
  }
  return tokens;
};

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const opens = (token: Token): boolean => token.kind === "punctuator" && token.text in CLOSERS;
const closes = (token: Token): boolean => token.kind === "punctuator" && [")", "]", "}"].includes(token.text);

/** Index of the token that closes the bracket at `open`, or the last token when nothing does. */
export const closingIndex = (tokens: readonly Token[], open: number): number => {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token) break;
    if (opens(token)) depth += 1;
    if (closes(token)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
};

/** Index of the token that opened the bracket closed at `close`, or 0 when nothing did. */
export const openingIndex = (tokens: readonly Token[], close: number): number => {
  let depth = 0;
  for (let index = close; index >= 0; index -= 1) {
    const token = tokens[index];
    if (!token) break;
    if (closes(token)) depth += 1;
    if (opens(token)) depth -= 1;
    if (depth === 0) return index;
  }
  return 0;
};

const OPENING_NAMES = new Set([
  "return",
  "await",
  "typeof",
  "case",
  "throw",
  "else",
  "in",
  "of",
  "void",
  "delete",
]);

/** Whether an operator after this token would take it as its left operand. */
export const endsValue = (token: Token | undefined): boolean => {
  if (!token) return false;
  if (token.kind === "punctuator") return [")", "]", "}"].includes(token.text);
  if (token.kind === "name") return !OPENING_NAMES.has(token.text);
  return !(token.kind === "template" && token.text.endsWith("${"));
};
