import type { Tree } from "web-tree-sitter";
import { AstEditError } from "./errors.js";
import { findSymbol } from "./find-symbol.js";
import { linesOf } from "./fit-text.js";
import type { Parse } from "./grammars.js";
import { lineNumber } from "./lines.js";
import { coreStart, placeText, type Placement } from "./place-text.js";
import { renamesIn, type Replacement } from "./rename-in.js";
import type { SyntaxSymbol } from "./symbol.js";
import { faultsIn, faultText, newFaults } from "./syntax-errors.js";
import type { Syntax } from "./syntax.js";

export type SymbolEdit = {
  /** By its path, `Parser.parse`. */
  readonly symbol: string;
  /** Of several of that name, the one at this line. */
  readonly line?: number | undefined;
  readonly allowSyntaxErrors?: boolean | undefined;
} & (
  | { readonly operation: Placement; readonly text: string }
  | { readonly operation: "rename"; readonly from: string; readonly to: string }
);

export interface EditedText {
  readonly text: string;
  /** The whole path of the symbol that was found. */
  readonly symbol: string;
  /** Lines of the old text that are replaced, counted from 1; of an insertion, the line it comes before. */
  readonly before: { readonly firstLine: number; readonly lastLine: number };
  /** The lines in the new text. */
  readonly after: { readonly firstLine: number; readonly lastLine: number };
  /** What the caller should know besides. */
  readonly notes: readonly string[];
}

interface Change {
  readonly text: string;
  readonly tree: Tree;
  readonly start: number;
  readonly end: number;
  readonly newEnd: number;
  readonly notes: readonly string[];
}

const wordPlaces = (text: string, word: string): number[] => {
  const escaped = word.replaceAll(/[$.*+?^{}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`, "gu");
  return [...text.matchAll(pattern)].map(({ index }) => index);
};

const linesText = (text: string, places: readonly number[]): string => {
  const lines: number[] = [];
  let [line, next] = [1, text.indexOf("\n")];
  // The places are in their order: one way through the text is enough.
  for (const at of places) {
    for (; next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines.slice(0, 10).join(", ") + (lines.length > 10 ? `, and ${lines.length - 10} more` : "");
};

/** Where the old name still stands, so that nobody takes the rename for a whole one. */
const leftovers = (
  text: string,
  { node }: SyntaxSymbol,
  from: string,
  done: readonly Replacement[],
): string[] => {
  const replaced = new Set(done.map(({ start }) => start));
  const left = wordPlaces(text, from).filter((at) => !replaced.has(at));
  const isInside = (at: number): boolean => at >= node.startIndex && at < node.endIndex;
  const inside = left.filter(isInside);
  const outside = left.filter((at) => !isInside(at));
  return [
    ...(inside.length > 0
      ? [
          `Left inside it as other things (a variable of an inner scope, a property, a comment, a string): "${from}" at line ${linesText(text, inside)} of the old file.`,
        ]
      : []),
    ...(outside.length > 0
      ? [`Not touched outside it: "${from}" at line ${linesText(text, outside)} of the old file.`]
      : []),
  ];
};

const rename = (
  text: string,
  parse: Parse,
  { symbol, syntax, from, to }: { symbol: SyntaxSymbol; syntax: Syntax; from: string; to: string },
): Change => {
  const done = renamesIn(symbol, syntax.names, { from, to });
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: name } of done) {
    pieces.push(text.slice(at, start), name);
    at = end;
  }
  const renamed = pieces.join("") + text.slice(at);
  const last = done.at(-1) as Replacement;
  return {
    text: renamed,
    tree: parse(renamed),
    start: (done[0] as Replacement).start,
    end: last.end,
    newEnd: last.end + renamed.length - text.length,
    notes: [
      `${done.length} ${done.length === 1 ? "place" : "places"} renamed.`,
      ...leftovers(text, symbol, from, done),
    ],
  };
};

/** What stood before the old declaration and does not before the new one. */
const lostHeads = (head: string, text: string): string[] => {
  const code = linesOf(text).filter((line) => !/^\s*(\/\/|\/\*|\*|#)/.test(line));
  return [
    ...(/^\s*(@.*\s)?export\b/m.test(head) && !/^\s*export\b/m.test(text)
      ? ["The old one was exported, the new one is not."]
      : []),
    ...(/^\s*@/m.test(head) && code[0]?.trim().startsWith("@") !== true
      ? ["The decorators of the old one are gone."]
      : []),
  ];
};

const put = (
  source: { text: string; tree: Tree; syntax: Syntax },
  parse: Parse,
  request: { symbol: SyntaxSymbol; placement: Placement; text: string },
): Change => {
  const { text, tree, syntax } = source;
  const splice = placeText({ text, root: tree.rootNode, byIndent: syntax.byIndent }, parse, request);
  const head = text.slice(splice.start, coreStart(request.symbol.node));
  return { ...splice, notes: request.placement === "replace" ? lostHeads(head, request.text) : [] };
};

const trimmedSpan = (text: string, start: number, end: number) => {
  let first = start;
  let last = end;
  while (first < last && /\s/.test(text[first] as string)) first += 1;
  while (last > first && /\s/.test(text[last - 1] as string)) last -= 1;
  return { firstLine: lineNumber(text, first), lastLine: lineNumber(text, last) };
};

/**
 * Edits a symbol of a text. Everything outside of the span stays as it is, character by character.
 *
 * @throws {AstEditError}
 */
export const editSymbol = (text: string, syntax: Syntax, parse: Parse, edit: SymbolEdit): EditedText => {
  const tree = parse(text);
  const symbol = findSymbol([...syntax.symbols(tree.rootNode)], edit.symbol, edit.line);
  const allowed = edit.allowSyntaxErrors === true;
  const own = faultsIn(symbol.node);
  if (own.length > 0 && !allowed) {
    throw new AstEditError(
      "syntax_error",
      `${symbol.path.join(".")} does not parse as it is: ${faultText(own)}. Mend it with edit_file, or set allow_syntax_errors.`,
    );
  }
  const change =
    edit.operation === "rename"
      ? rename(text, parse, { symbol, syntax, from: edit.from, to: edit.to })
      : put({ text, tree, syntax }, parse, { symbol, placement: edit.operation, text: edit.text });
  const before = faultsIn(tree.rootNode);
  const faults = newFaults(before, faultsIn(change.tree.rootNode), change);
  if (faults.length > 0 && !allowed) {
    throw new AstEditError(
      "syntax_error",
      `Nothing was changed: the edited file would not parse, at its ${faultText(faults)}. Correct the text, or set allow_syntax_errors.`,
    );
  }
  const elsewhere = before.filter(({ at }) => at < symbol.node.startIndex || at > symbol.node.endIndex);
  return {
    text: change.text,
    symbol: symbol.path.join("."),
    before: trimmedSpan(text, change.start, change.end),
    after: trimmedSpan(change.text, change.start, change.newEnd),
    notes: [
      ...change.notes,
      ...(faults.length > 0 ? [`It does not parse now: ${faultText(faults)}.`] : []),
      ...(elsewhere.length > 0 ? [`The file did not parse before, elsewhere: ${faultText(elsewhere)}.`] : []),
    ],
  };
};
