import type { Node } from "web-tree-sitter";

/** Something that has a name in a file. */
export interface SyntaxSymbol {
  /** `["Parser", "parse"]` for a method. */
  readonly path: readonly string[];
  /** All of it, with `export` and decorators where these are part of the tree. */
  readonly node: Node;
  /** What other statements or members stand before and after; `const a = 1, b = 2` is one for two symbols. */
  readonly statement: Node;
  /** Undefined for `export default`. */
  readonly name: Node | undefined;
}

/** The symbols of a file, in order. */
export type FindSymbols = (root: Node) => Iterable<SyntaxSymbol>;

export const lineOf = (node: Node): number => node.startPosition.row + 1;

export const childrenOf = (node: Node): Node[] => node.namedChildren.filter((child) => child !== null);
