import type { Node } from "web-tree-sitter";
import { isField, nearest, type NameRole, type NameRules } from "./names.js";

const COMPREHENSIONS = [
  "list_comprehension",
  "set_comprehension",
  "dictionary_comprehension",
  "generator_expression",
];
const FUNCTIONS: ReadonlySet<string> = new Set([
  "function_definition",
  "lambda",
  "class_definition",
  "module",
]);
const SCOPES: ReadonlySet<string> = new Set([...FUNCTIONS, ...COMPREHENSIONS]);
const COMPREHENSION: ReadonlySet<string> = new Set(COMPREHENSIONS);
const PATTERNS = /^(pattern_list|tuple_pattern|list_pattern|list_splat_pattern|dictionary_splat_pattern)$/;

const OTHER: NameRole = { kind: "other" };

const bound = (scope: Node | null): NameRole => ({ kind: "binding", scope });

/** Defaults, annotations and the first iterable of a comprehension are evaluated outside of what they stand in. */
const evaluatedAt = (leaf: Node): NameRole => {
  let node = leaf;
  for (let parent = node.parent; parent; node = parent, parent = node.parent) {
    if (/^(lambda_)?parameters$/.test(parent.type))
      return { kind: "use", from: parent.parent?.parent ?? null };
    if (parent.type === "function_definition" && isField(parent, "return_type", node))
      return { kind: "use", from: parent.parent };
    if (parent.type === "for_in_clause" && isField(parent, "right", node)) {
      const whole = nearest(parent, COMPREHENSION);
      const first = whole?.namedChildren.find((child) => child?.type === "for_in_clause");
      return first?.id === parent.id ? { kind: "use", from: whole?.parent ?? null } : { kind: "use" };
    }
    if (SCOPES.has(parent.type)) break;
  }
  return { kind: "use" };
};

/** `import a`, `from m import a`: another name for it needs an `as`. */
const imported = (leaf: Node, dotted: Node): NameRole => {
  const statement = dotted.parent;
  const isSource = statement && isField(statement, "module_name", dotted);
  if (isSource || statement?.type === "aliased_import" || dotted.namedChildCount > 1) return OTHER;
  if (!statement || !/^(import_statement|import_from_statement)$/.test(statement.type))
    return { kind: "use" };
  return {
    kind: "binding",
    scope: nearest(statement, FUNCTIONS),
    renamed: (to) => `${leaf.text} as ${to}`,
  };
};

const roleOf = (leaf: Node): NameRole => {
  let node = leaf;
  while (node.parent && PATTERNS.test(node.parent.type)) node = node.parent;
  const { parent } = node;
  if (!parent) return { kind: "use" };
  const owner = nearest(parent, FUNCTIONS);
  switch (parent.type) {
    case "attribute":
      return isField(parent, "attribute", node) ? OTHER : evaluatedAt(leaf);
    case "keyword_argument":
      return isField(parent, "name", node) ? OTHER : evaluatedAt(leaf);
    case "global_statement":
    case "nonlocal_statement":
      return { kind: "outer", scope: owner };
    case "dotted_name":
      if (parent.parent?.type === "case_pattern" && parent.namedChildCount === 1) return bound(owner);
      return imported(leaf, parent);
    case "aliased_import":
      return isField(parent, "alias", node) ? bound(owner) : OTHER;
    case "parameters":
    case "lambda_parameters":
      return bound(parent.parent);
    case "typed_parameter":
      return parent.firstNamedChild?.id === node.id ? bound(owner) : evaluatedAt(leaf);
    case "default_parameter":
    case "typed_default_parameter":
      return isField(parent, "name", node) ? bound(owner) : evaluatedAt(leaf);
    case "assignment":
    case "augmented_assignment":
    case "for_statement":
      return isField(parent, "left", node) ? bound(owner) : evaluatedAt(leaf);
    case "for_in_clause":
      return isField(parent, "left", node) ? bound(nearest(parent, COMPREHENSION)) : evaluatedAt(leaf);
    case "named_expression":
      return isField(parent, "name", node) ? bound(owner) : evaluatedAt(leaf);
    case "as_pattern_target":
      return bound(owner);
    case "function_definition":
    case "class_definition":
      return isField(parent, "name", node) ? bound(nearest(parent.parent, FUNCTIONS)) : evaluatedAt(leaf);
    default:
      return evaluatedAt(leaf);
  }
};

/** Names in Python. */
export const pythonNames: NameRules = {
  leaves: ["identifier"],
  scopes: SCOPES,
  closedScopes: new Set(["class_definition"]),
  roleOf,
};
