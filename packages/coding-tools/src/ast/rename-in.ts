import type { Node } from "web-tree-sitter";
import { AstEditError } from "./errors.js";
import { nearest, type NameRole, type NameRules } from "./names.js";
import { lineOf, type SyntaxSymbol } from "./symbol.js";

/** A text to put in the place of a name. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Leaf {
  readonly node: Node;
  readonly role: NameRole;
}

/** All that one declaration is named by. */
interface Group {
  /** Undefined: it is declared outside of the symbol. */
  readonly scope: Node | undefined;
  readonly leaves: Leaf[];
}

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** On the way from a function to the symbol that it is. */
const WRAPPERS =
  /^(export_statement|ambient_declaration|decorated_definition|(lexical|variable)_declaration|variable_declarator|pair|(public_)?field_definition|expression_statement|assignment_expression|function_declaration|method_definition)$/;

const isWithin = (inner: Node, outer: Node): boolean =>
  inner.startIndex >= outer.startIndex && inner.endIndex <= outer.endIndex;

const spaceOf = ({ node, role }: Leaf): "type" | "value" | undefined => {
  if (role.kind === "binding") return role.space;
  return node.type === "type_identifier" ? "type" : "value";
};

const fits = (one: "type" | "value" | undefined, other: "type" | "value" | undefined): boolean =>
  one === undefined || other === undefined || one === other;

/** The scope inside the symbol that a name is declared in. */
const scopeOf = (leaf: Leaf, leaves: readonly Leaf[], rules: NameRules, symbol: Node): Node | undefined => {
  const { node, role } = leaf;
  const inside = (scope: Node | null): Node | undefined =>
    scope && isWithin(scope, symbol) ? scope : undefined;
  if (role.kind === "other") return undefined;
  const disowned = leaves.flatMap((each) => (each.role.kind === "outer" ? [each.role.scope?.id] : []));
  if (role.kind === "binding" && !disowned.includes(role.scope?.id)) return inside(role.scope);
  const start =
    role.kind === "use" ? (role.from === undefined ? node.parent : role.from) : (role.scope?.parent ?? null);
  let passed = false;
  for (let at = start; at && isWithin(at, symbol); at = at.parent) {
    if (!rules.scopes.has(at.type)) continue;
    const scope = at;
    const isClosed = passed && rules.closedScopes?.has(scope.type) === true;
    passed = true;
    if (isClosed || disowned.includes(scope.id)) continue;
    const isKnown = leaves.some(
      (each) =>
        each.role.kind === "binding" &&
        each.role.scope?.id === scope.id &&
        (each.role.since ?? 0) <= node.startIndex &&
        fits(spaceOf(each), rules.leaves.includes("type_identifier") ? spaceOf(leaf) : undefined),
    );
    if (isKnown) return scope;
  }
  return undefined;
};

const isOwn = (scope: Node, symbol: Node): boolean => {
  for (let at = scope; at.id !== symbol.id;) {
    const { parent } = at;
    if (!parent) return false;
    if (parent.id !== symbol.id && !WRAPPERS.test(parent.type)) return false;
    at = parent;
  }
  return true;
};

/** Each use is compared with each: more take too long. */
const MAX_USES = 3_000;

const groupsOf = (leaves: readonly Leaf[], rules: NameRules, symbol: Node): Group[] => {
  const groups = new Map<number | undefined, Group>();
  for (const leaf of leaves) {
    if (leaf.role.kind === "other") continue;
    const scope = scopeOf(leaf, leaves, rules, symbol);
    const group = groups.get(scope?.id) ?? { scope, leaves: [] };
    group.leaves.push(leaf);
    groups.set(scope?.id, group);
  }
  return [...groups.values()];
};

/** The symbol's own variable of that name, else the one that is known in all of the symbol. */
const meant = (groups: readonly Group[], symbol: Node, name: string): Group => {
  const own = groups.find(({ scope }) => scope && isOwn(scope, symbol));
  const outside = groups.find(({ scope }) => !scope);
  const widest = groups.find(({ scope }) =>
    groups.every((other) => scope && other.scope && isWithin(other.scope, scope)),
  );
  const found = own ?? outside ?? widest;
  if (found) return found;
  const lines = groups.map(({ leaves }) => (leaves[0] ? lineOf(leaves[0].node) : 0));
  throw new AstEditError(
    "ambiguous_name",
    `"${name}" means ${groups.length} different things in it, at the lines ${lines.join(", ")}: use edit_file.`,
  );
};

const replacement = ({ node, role }: Leaf, rules: NameRules, to: string): Replacement => ({
  start: node.startIndex,
  end: node.endIndex,
  text: (role.kind === "binding" && role.renamed?.(to)) || (rules.renamedUse?.(node, to) ?? to),
});

const checkNames = (symbol: Node, rules: NameRules, to: string): void => {
  if (!IDENTIFIER.test(to)) throw new AstEditError("syntax_error", `"${to}" is no name.`);
  const taken = symbol
    .descendantsOfType([...rules.leaves])
    .find((node) => node?.text === to && rules.roleOf(node).kind !== "other");
  if (taken)
    throw new AstEditError(
      "name_taken",
      `"${to}" stands in it already, at line ${lineOf(taken)}: two things would have one name. Take another.`,
    );
};

/**
 * What has to be replaced to rename a variable, function or type within a symbol: those that mean the same one. Another of the
 * same name in an inner scope stays.
 *
 * @throws {AstEditError} `name_not_found`, `name_taken`, `ambiguous_name`, `too_many_uses`.
 */
export const renamesIn = (
  symbol: SyntaxSymbol,
  rules: NameRules,
  names: { readonly from: string; readonly to: string },
): Replacement[] => {
  const { from, to } = names;
  const { node, name } = symbol;
  checkNames(node, rules, to);
  // A method's or field's own name is no variable; what uses it is found by its type only.
  const isMember =
    name !== undefined &&
    (!rules.leaves.includes(name.type) ||
      rules.closedScopes?.has(nearest(node.parent, rules.scopes)?.type ?? "") === true);
  if (isMember && name.text === from) return [{ start: name.startIndex, end: name.endIndex, text: to }];
  const leaves = node
    .descendantsOfType([...rules.leaves])
    .filter((leaf) => leaf !== null && leaf.text === from)
    .map((leaf): Leaf => ({ node: leaf as Node, role: rules.roleOf(leaf as Node) }));
  if (leaves.length > MAX_USES)
    throw new AstEditError(
      "too_many_uses",
      `"${from}" stands in it ${leaves.length} times, more than can be told apart: name a smaller symbol, or use edit_file.`,
    );
  const groups = groupsOf(leaves, rules, node);
  if (groups.length === 0)
    throw new AstEditError("name_not_found", `No variable, function or type "${from}" stands in it.`);
  return meant(groups, node, from).leaves.map((leaf) => replacement(leaf, rules, to));
};
