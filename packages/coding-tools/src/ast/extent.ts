import type { Node } from "web-tree-sitter";
import { beginsLine, indentAt, lineEnd, lineStart } from "./lines.js";

/** What belongs to a declaration, as positions in the text. */
export interface Extent {
  /** Where its doc comment begins, else the same as `start`. */
  readonly documented: number;
  /** Where it begins, decorators and `export` included. */
  readonly start: number;
  /** Behind it. */
  readonly bareEnd: number;
  /** Behind the `;` or `,` that ends it, else the same as `bareEnd`. */
  readonly end: number;
}

const isComment = ({ type }: Node): boolean => type === "comment";

/** TypeScript has the decorators of a method before it in the class's body. */
const decorated = (node: Node): Node => {
  let first = node;
  for (let at = node.previousNamedSibling; at; at = at.previousNamedSibling) {
    if (at.type === "decorator") first = at;
    else if (!isComment(at)) break;
  }
  return first;
};

/** The comment that fills the line before a position, and nothing else. */
const commentAbove = (root: Node, text: string, at: number): Node | undefined => {
  const start = lineStart(text, at);
  if (start === 0) return undefined;
  const above = lineStart(text, start - 1);
  const line = text.slice(above, lineEnd(text, above));
  if (line.trim() === "" || (above === 0 && line.startsWith("#!"))) return undefined;
  const end = above + line.trimEnd().length;
  const node = root.descendantForIndex(end - 1, end);
  return node && isComment(node) && node.endIndex >= end && beginsLine(text, node.startIndex)
    ? node
    : undefined;
};

/** Comments right above, without an empty line in between. */
const documentedFrom = (root: Node, text: string, start: number): number => {
  if (!beginsLine(text, start)) return start;
  let first = start;
  for (let above = commentAbove(root, text, first); above; above = commentAbove(root, text, first))
    first = above.startIndex;
  return first;
};

/** Python's grammar leaves a comment at the end of a body outside of it. */
const withDeeperComments = (root: Node, text: string, start: number, end: number): number => {
  const depth = indentAt(text, start).length;
  let last = end;
  for (;;) {
    const next = lineEnd(text, last) + (text[lineEnd(text, last)] === "\r" ? 2 : 1);
    if (next >= text.length) return last;
    const indent = /^[ \t]*/.exec(text.slice(next, lineEnd(text, next)))?.[0] ?? "";
    const node = root.descendantForIndex(next + indent.length, next + indent.length + 1);
    if (!node || !isComment(node) || indent.length <= depth) return last;
    last = node.endIndex;
  }
};

/** How far a declaration reaches. */
export const extentOf = (root: Node, text: string, node: Node, options: { byIndent: boolean }): Extent => {
  const start = decorated(node).startIndex;
  let end = node.endIndex;
  // Some grammars count the line's end in.
  while (end > start && /\s/.test(text[end - 1] as string)) end -= 1;
  if (options.byIndent) end = withDeeperComments(root, text, start, end);
  const mark = /^[ \t]*[;,]/.exec(text.slice(end, end + 80))?.[0] ?? "";
  return { documented: documentedFrom(root, text, start), start, bareEnd: end, end: end + mark.length };
};
