import type { Node, Tree } from "web-tree-sitter";
import { extentOf, type Extent } from "./extent.js";
import { fitLines, indentUnit, isInString, LEAD, linesOf } from "./fit-text.js";
import type { Parse } from "./grammars.js";
import { beginsLine, endingNear, indentAt, lineEnd, lineStart } from "./lines.js";
import type { SyntaxSymbol } from "./symbol.js";

export type Placement = "replace" | "insert_before" | "insert_after";

/** A text with one span of it replaced. */
export interface Splice {
  readonly text: string;
  readonly tree: Tree;
  /** The span in the old text; `newEnd` is its end in the new one. */
  readonly start: number;
  readonly end: number;
  readonly newEnd: number;
}

export interface Source {
  readonly text: string;
  readonly root: Node;
  /** White space is grammar. */
  readonly byIndent: boolean;
}

/** Where lines go: the span that they replace, and what stands around them. */
interface Slot {
  readonly start: number;
  readonly end: number;
  readonly base: string;
  /** The white space before the first line is there already. */
  readonly isIndented: boolean;
  readonly before: string;
  readonly after: string;
}

/** Members of these are parted by commas. */
const LISTS = new Set(["object", "enum_body"]);

const neighbour = (node: Node, side: "previousNamedSibling" | "nextNamedSibling"): Node | null => {
  let at = node[side];
  while (at && /^(comment|decorator)$/.test(at.type)) at = at[side];
  return at;
};

/** Empty lines between a declaration and the ones beside it, as the file has them. */
const gapOf = (
  { text, root, byIndent }: Source,
  node: Node,
  lines: readonly string[],
  own: Extent,
): number => {
  const isLine = lines.length === 1 && node.endPosition.row === node.startPosition.row;
  if (isLine) return 0;
  const between = (end: number, start: number): number =>
    Math.min(2, Math.max(0, text.slice(end, Math.max(end, start)).split("\n").length - 2));
  const next = neighbour(node, "nextNamedSibling");
  if (next) return between(own.end, extentOf(root, text, next, { byIndent }).documented);
  const previous = neighbour(node, "previousNamedSibling");
  if (previous) return between(extentOf(root, text, previous, { byIndent }).end, own.documented);
  return byIndent && node.startPosition.column === 0 ? 2 : 1;
};

/** A comment or decorator that is put before a declaration belongs to it. */
const isLead = (lines: readonly string[]): boolean => {
  const last = lines.at(-1)?.trim() ?? "";
  return lines.every((line) => LEAD.test(line.trim()) || line.trim().startsWith("*")) && last !== "";
};

const needsComma = (lines: readonly string[]): boolean =>
  !isLead(lines) && !lines.at(-1)?.trimEnd().endsWith(",");

const before = (source: Source, { statement }: SyntaxSymbol, lines: readonly string[]): Slot => {
  const { text, root, byIndent } = source;
  const extent = extentOf(root, text, statement, { byIndent });
  const eol = endingNear(text, extent.start);
  const base = indentAt(text, extent.start);
  // A decorator goes below the doc comment.
  const isDecorator = isLead(lines) && lines.at(-1)?.trim().startsWith("@") === true;
  const at = isDecorator ? extent.start : extent.documented;
  const comma = LISTS.has(statement.parent?.type ?? "") && needsComma(lines) ? "," : "";
  if (!beginsLine(text, at))
    return { start: at, end: at, base, isIndented: true, before: "", after: comma + eol + base };
  const gap = isLead(lines) ? 0 : gapOf(source, statement, lines, extent);
  const start = lineStart(text, at);
  return { start, end: start, base, isIndented: false, before: "", after: comma + eol.repeat(1 + gap) };
};

const after = (source: Source, { statement }: SyntaxSymbol, lines: readonly string[]): Slot => {
  const { text, root, byIndent } = source;
  const extent = extentOf(root, text, statement, { byIndent });
  const eol = endingNear(text, extent.start);
  const base = indentAt(text, extent.start);
  const rest = text.slice(extent.end, lineEnd(text, extent.end));
  const last = root.descendantForIndex(extent.end + rest.length - 1, extent.end + rest.length);
  const isAlone = rest.trim() === "" || (last?.type === "comment" && LEAD.test(rest.trim()));
  const isListed = LISTS.has(statement.parent?.type ?? "");
  const comma = isListed && text[extent.end - 1] !== "," ? "," : "";
  // Behind the comment that ends the line, unless a comma has to go before it.
  const at = isAlone && comma === "" ? extent.end + rest.length : extent.end;
  const ownComma = isListed && comma === "" && needsComma(lines) ? "," : "";
  const gap = isAlone ? gapOf(source, statement, lines, extent) : 0;
  return {
    start: at,
    end: at,
    base,
    isIndented: false,
    before: comma + eol.repeat(1 + gap),
    after: ownComma + (isAlone ? "" : eol + base),
  };
};

/** Where a declaration begins without its decorators, `export` and `declare`. */
export const coreStart = (node: Node): number => {
  const inner =
    node.childForFieldName("declaration") ??
    (node.type === "export_statement" ? node.childForFieldName("value") : null) ??
    node.childForFieldName("definition") ??
    (node.type === "ambient_declaration" ? node.lastNamedChild : null);
  if (inner) return coreStart(inner);
  const decorators = node.children.findLastIndex((child) => child?.type === "decorator");
  return (decorators < 0 ? node : (node.children[decorators + 1] ?? node)).startIndex;
};

/** What stands before a declaration goes when the text brings its own. */
const headStart = (node: Node, extent: Extent, first: string): number => {
  if (/^(@|export\b|declare\b)/.test(first)) return extent.start;
  return LEAD.test(first) ? extent.documented : coreStart(node);
};

const instead = (source: Source, { node }: SyntaxSymbol, lines: readonly string[]): Slot => {
  const { text, root, byIndent } = source;
  const extent = extentOf(root, text, node, { byIndent });
  // The mark behind it goes only when the text brings its own.
  const bringsMark =
    lines
      .at(-1)
      ?.trimEnd()
      .endsWith(text[extent.end - 1] as string) === true;
  return {
    start: headStart(node, extent, lines[0]?.trim() ?? ""),
    end: bringsMark ? extent.end : extent.bareEnd,
    base: indentAt(text, extent.start),
    isIndented: true,
    before: "",
    after: "",
  };
};

const SLOTS = { replace: instead, insert_before: before, insert_after: after };

/** Puts a text in the place of a symbol, before it or after it, at its level. */
export const placeText = (
  source: Source,
  parse: Parse,
  request: { readonly symbol: SyntaxSymbol; readonly placement: Placement; readonly text: string },
): Splice => {
  const lines = linesOf(request.text);
  const slot = SLOTS[request.placement](source, request.symbol, lines);
  const eol = endingNear(source.text, request.symbol.node.startIndex);
  const place = { base: slot.base, unit: indentUnit(source.text) };
  const head = source.text.slice(0, slot.start) + slot.before;
  const attempt = (fixed: ReadonlySet<number>): { splice: Splice; starts: number[] } => {
    const fitted = fitLines(lines, fixed, place);
    if (slot.isIndented) fitted[0] = (fitted[0] ?? "").slice(slot.base.length);
    const starts: number[] = [];
    let at = head.length;
    for (const line of fitted) {
      starts.push(at);
      at += line.length + eol.length;
    }
    const put = fitted.join(eol);
    const text = head + put + slot.after + source.text.slice(slot.end);
    const newEnd = head.length + put.length + slot.after.length;
    return { splice: { text, tree: parse(text), start: slot.start, end: slot.end, newEnd }, starts };
  };
  const first = attempt(new Set());
  const fixed = new Set(
    [...lines.keys()].filter((at) => isInString(first.splice.tree.rootNode, first.starts[at] ?? 0)),
  );
  return fixed.size === 0 ? first.splice : attempt(fixed).splice;
};
