import type { Node } from "web-tree-sitter";

/** What a name does where it stands. */
export type NameRole =
  /** It names no variable, function or type: a property, a keyword argument. */
  | { readonly kind: "other" }
  | {
      readonly kind: "use";
      /** Where looking for its declaration begins, when not where it stands. */
      readonly from?: Node | null;
    }
  | {
      readonly kind: "binding";
      /** Where it is known; null outside any scope. */
      readonly scope: Node | null;
      /** From which position on; default everywhere in the scope. */
      readonly since?: number;
      /** Types and values may have the same names. */
      readonly space?: "type" | "value";
      /** What has to stand there for another name, when not just that. */
      readonly renamed?: (to: string) => string;
    }
  /** Python's `global` and `nonlocal`: the scope does not have it. */
  | { readonly kind: "outer"; readonly scope: Node | null };

/** How a language's names find their declarations. */
export interface NameRules {
  /** Types of the leaves that name variables, functions and types. */
  readonly leaves: readonly string[];
  readonly scopes: ReadonlySet<string>;
  /** Scopes whose names are not known in scopes inside of them. */
  readonly closedScopes?: ReadonlySet<string>;
  roleOf(leaf: Node): NameRole;
  /** What stands for a renamed use; default the new name. */
  renamedUse?(leaf: Node, to: string): string;
}

/** The nearest node of these types, the node itself included. */
export const nearest = (node: Node | null, types: ReadonlySet<string>): Node | null => {
  let at = node;
  while (at && !types.has(at.type)) at = at.parent;
  return at;
};

export const isField = (parent: Node, field: string, node: Node): boolean =>
  parent.childrenForFieldName(field).some((child) => child?.id === node.id);
