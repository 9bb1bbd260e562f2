import type { Node } from "web-tree-sitter";
import { isField, nearest, type NameRole, type NameRules } from "./names.js";

const FUNCTIONS = [
  "function_declaration",
  "generator_function_declaration",
  "function_expression",
  "generator_function",
  "arrow_function",
  "method_definition",
  "class_static_block",
  "program",
];
const FUNCTION_SCOPES: ReadonlySet<string> = new Set(FUNCTIONS);
const SCOPES: ReadonlySet<string> = new Set([
  ...FUNCTIONS,
  "function_signature",
  "method_signature",
  "abstract_method_signature",
  "function_type",
  "constructor_type",
  "call_signature",
  "construct_signature",
  "class_declaration",
  "abstract_class_declaration",
  "class",
  "interface_declaration",
  "type_alias_declaration",
  "statement_block",
  "for_statement",
  "for_in_statement",
  "catch_clause",
  "switch_body",
]);

const OTHER: NameRole = { kind: "other" };
const USE: NameRole = { kind: "use" };

const bound = (scope: Node | null, space?: "type" | "value"): NameRole =>
  space ? { kind: "binding", scope, space } : { kind: "binding", scope };

const isHoisted = (declaration: Node | null): boolean =>
  declaration?.type === "variable_declaration" || declaration?.childForFieldName("kind")?.type === "var";

/** A name as a part of what it declares: the whole of `{ a, b: [name] = [] }`. */
const patternAround = (leaf: Node): Node => {
  let node = leaf;
  for (let parent = node.parent; parent; node = parent, parent = node.parent) {
    const goesOn =
      /^(object_pattern|array_pattern|rest_pattern)$/.test(parent.type) ||
      (/^(object_)?assignment_pattern$/.test(parent.type) && isField(parent, "left", node)) ||
      (parent.type === "pair_pattern" && isField(parent, "value", node));
    if (!goesOn) return node;
  }
  return node;
};

const namedDeclaration = (parent: Node): NameRole => {
  const around = nearest(parent.parent, SCOPES);
  switch (parent.type) {
    case "function_declaration":
    case "generator_function_declaration":
    case "function_signature":
      return bound(around, "value");
    case "function_expression":
    case "generator_function":
      return bound(parent, "value");
    case "class":
      return bound(parent);
    case "interface_declaration":
    case "type_alias_declaration":
      return bound(around, "type");
    case "type_parameter":
      return bound(nearest(parent, SCOPES), "type");
    case "variable_declarator":
    case "class_declaration":
    case "abstract_class_declaration":
    case "enum_declaration":
    case "internal_module":
      return bound(around);
    default:
      return USE;
  }
};

const roleOf = (leaf: Node): NameRole => {
  const node = patternAround(leaf);
  const { parent } = node;
  if (!parent) return USE;
  switch (parent.type) {
    case "nested_type_identifier":
      return isField(parent, "name", node) ? OTHER : USE;
    case "jsx_opening_element":
    case "jsx_closing_element":
    case "jsx_self_closing_element":
      return /^[a-z]/.test(leaf.text) ? OTHER : USE;
    case "variable_declarator":
      if (!isField(parent, "name", node)) return USE;
      return bound(nearest(parent, isHoisted(parent.parent) ? FUNCTION_SCOPES : SCOPES), "value");
    case "required_parameter":
    case "optional_parameter":
      if (!isField(parent, "pattern", node)) return USE;
      return bound(nearest(parent, SCOPES), "value");
    case "formal_parameters":
      return bound(nearest(parent, SCOPES), "value");
    case "arrow_function":
    case "catch_clause":
      return isField(parent, "parameter", node) ? bound(parent, "value") : USE;
    case "for_in_statement":
      if (!isField(parent, "left", node) || !parent.childForFieldName("kind")) return USE;
      return bound(isHoisted(parent) ? nearest(parent, FUNCTION_SCOPES) : parent, "value");
    default:
      return isField(parent, "name", node) ? namedDeclaration(parent) : USE;
  }
};

const IS_SHORTHAND = /^shorthand_property_identifier/;

/** Names in JavaScript, TypeScript and their variants with JSX. */
export const javascriptNames: NameRules = {
  leaves: [
    "identifier",
    "type_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
  ],
  scopes: SCOPES,
  roleOf,
  // The property keeps its name.
  renamedUse: (leaf, to) => (IS_SHORTHAND.test(leaf.type) ? `${leaf.text}: ${to}` : to),
};
