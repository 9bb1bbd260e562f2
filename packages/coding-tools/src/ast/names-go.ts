import type { Node } from "web-tree-sitter";
import { isField, nearest, type NameRole, type NameRules } from "./names.js";

const FUNCTIONS = [
  "function_declaration",
  "method_declaration",
  "func_literal",
  "function_type",
  "method_elem",
];
const FUNCTION_SCOPES: ReadonlySet<string> = new Set([...FUNCTIONS, "type_spec"]);
const SCOPES: ReadonlySet<string> = new Set([
  ...FUNCTION_SCOPES,
  "source_file",
  "block",
  "if_statement",
  "for_statement",
  "expression_switch_statement",
  "type_switch_statement",
  "expression_case",
  "default_case",
  "type_case",
  "communication_case",
]);

const OTHER: NameRole = { kind: "other" };
const USE: NameRole = { kind: "use" };

/** What `x := x` declares is known behind it only. */
const boundAfter = (statement: Node): NameRole => ({
  kind: "binding",
  scope: nearest(statement, SCOPES),
  since: statement.endIndex,
});

const declares = (node: Node): boolean =>
  node.type === "short_var_declaration" || node.children.some((child) => child?.type === ":=");

const inList = (list: Node): NameRole => {
  const owner = list.parent;
  if (!owner) return USE;
  if (owner.type === "type_switch_statement" && isField(owner, "alias", list))
    return { kind: "binding", scope: owner };
  if (!/^(short_var_declaration|range_clause|receive_statement)$/.test(owner.type)) return USE;
  return isField(owner, "left", list) && declares(owner) ? boundAfter(owner) : USE;
};

const roleOf = (leaf: Node): NameRole => {
  const { parent } = leaf;
  if (!parent) return USE;
  if (parent.type === "expression_list") return inList(parent);
  // A field's name, or a variable: only the types would tell.
  if (parent.type === "literal_element" && parent.parent && isField(parent.parent, "key", parent))
    return OTHER;
  if (!isField(parent, "name", leaf)) return USE;
  switch (parent.type) {
    case "qualified_type":
      return OTHER;
    case "parameter_declaration":
    case "variadic_parameter_declaration":
    case "type_parameter_declaration":
      return { kind: "binding", scope: nearest(parent, FUNCTION_SCOPES) };
    case "var_spec":
    case "const_spec":
      return boundAfter(parent);
    case "type_spec":
    case "type_alias":
    case "function_declaration":
      return { kind: "binding", scope: nearest(parent.parent, SCOPES) };
    default:
      return USE;
  }
};

/** Names in Go. */
export const goNames: NameRules = { leaves: ["identifier", "type_identifier"], scopes: SCOPES, roleOf };
