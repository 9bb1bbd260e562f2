import { HostError } from "../errors.js";
import { toJavaScript, toRipgrep } from "./pattern-emit.js";
import { parsePattern } from "./pattern-parser.js";
import { checkPatternText, regexFault } from "./pattern-text.js";
import type { PatternNode } from "./pattern-syntax.js";
import type { TextSearchQuery } from "../text-search-port.js";

/** A pattern in every form that is needed of it. */
export interface SearchPattern {
  /** Set when the pattern is this text and nothing else: then no regular expression is needed. */
  literal?: string;
  source: string;
  flags: string;
  /**
   * For ripgrep: matches every line that the pattern matches, and perhaps more. Absent when the pattern may match
   * nothing at all, as `a*` does in every line: every file is a candidate then.
   */
  ripgrep?: string;
}

const WORD = "[\\p{L}\\p{M}\\p{N}_]";

const literalTree = (text: string): PatternNode => ({
  kind: "sequence",
  parts: [...text].map((char) => ({ kind: "char", code: char.codePointAt(0) as number })),
});

/** Whether it can match without taking a character. */
const matchesNothing = (node: PatternNode): boolean => {
  switch (node.kind) {
    case "char":
    case "any":
    case "class":
      return false;
    case "assert":
    case "look":
    case "reference":
      return true;
    case "group":
      return matchesNothing(node.body);
    case "repeat":
      return node.min === 0 || matchesNothing(node.body);
    case "sequence":
      return node.parts.every(matchesNothing);
    case "alternatives":
      return node.parts.some(matchesNothing);
  }
};

export const compilePattern = (query: TextSearchQuery): SearchPattern => {
  checkPatternText(query.pattern);
  const { root, ignoreCase: inPattern } = query.regex
    ? parsePattern(query.pattern)
    : { root: literalTree(query.pattern), ignoreCase: false };
  const ignoreCase = inPattern || query.caseSensitive === false;
  const body = toJavaScript(root);
  const source = query.word ? `(?<!${WORD})(?:${body})(?!${WORD})` : body;
  const flags = ignoreCase ? "gusi" : "gus";
  const fault = regexFault(source, flags);
  if (fault)
    throw new HostError("invalid_argument", `the regular expression is not understood: ${fault.message}`, {
      cause: fault,
    });
  const plain = !query.regex && !query.word && !ignoreCase;
  const relaxed = toRipgrep(root, ignoreCase);
  // A word that starts and ends with an ASCII word character is one to ripgrep as well; saying so saves candidates.
  const edges =
    query.word === true && !query.regex && !ignoreCase && /^\w(?:.*\w)?$/s.test(query.pattern)
      ? `(?-u:\\b)${relaxed}(?-u:\\b)`
      : relaxed;
  return {
    ...(plain ? { literal: query.pattern } : {}),
    source,
    flags,
    // "$^" is an empty line to JavaScript and nothing to ripgrep.
    ...(matchesNothing(root) ? {} : { ripgrep: ignoreCase ? `(?i:${edges})` : edges }),
  };
};
