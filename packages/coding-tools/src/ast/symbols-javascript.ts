import type { Node } from "web-tree-sitter";
import { childrenOf, type SyntaxSymbol } from "./symbol.js";

type Found = Generator<SyntaxSymbol, void>;
type Path = readonly string[];

/** Statements that declare nothing themselves; what is declared inside belongs to whatever they stand in. */
const TRANSPARENT = new Set([
  "statement_block",
  "if_statement",
  "else_clause",
  "try_statement",
  "catch_clause",
  "finally_clause",
  "for_statement",
  "for_in_statement",
  "while_statement",
  "do_statement",
  "labeled_statement",
  "switch_statement",
  "switch_body",
  "switch_case",
  "switch_default",
]);

const FUNCTIONS = new Set(["arrow_function", "function_expression", "generator_function"]);

const unquoted = (name: Node): string => (name.type === "string" ? name.text.slice(1, -1) : name.text);

/** What is named inside a value: a function's declarations, a class's members, an object's entries. */
const insideValue = function* (value: Node | null, path: Path): Found {
  if (!value) return;
  if (FUNCTIONS.has(value.type)) yield* insideBody(value, path);
  else if (value.type === "class") yield* members(value.childForFieldName("body"), path);
  else if (value.type === "object") yield* entries(value, path);
  else if (/^(as_expression|satisfies_expression|parenthesized_expression)$/.test(value.type))
    yield* insideValue(value.firstNamedChild, path);
};

const insideBody = function* (owner: Node, path: Path): Found {
  const body = owner.childForFieldName("body");
  if (body) for (const child of childrenOf(body)) yield* declared(child, child, path, true);
};

const members = function* (body: Node | null, path: Path): Found {
  for (const member of body ? childrenOf(body) : []) {
    // An enum's member without a value is its bare name.
    const bare = member.type === "property_identifier" ? member : null;
    const name = member.childForFieldName("name") ?? member.childForFieldName("property") ?? bare;
    if (!name) continue;
    const own = [...path, unquoted(name)];
    yield { path: own, node: member, statement: member, name };
    if (member.type === "method_definition") yield* insideBody(member, own);
    else yield* insideValue(member.childForFieldName("value"), own);
  }
};

const entries = function* (object: Node, path: Path): Found {
  for (const entry of childrenOf(object)) {
    const name = entry.childForFieldName(entry.type === "pair" ? "key" : "name");
    if (!name) continue;
    const own = [...path, unquoted(name)];
    yield { path: own, node: entry, statement: entry, name };
    if (entry.type === "method_definition") yield* insideBody(entry, own);
    else yield* insideValue(entry.childForFieldName("value"), own);
  }
};

/** The names that `const { a, b: [c] } = …` makes. */
const patternNames = (pattern: Node): Node[] => {
  switch (pattern.type) {
    case "identifier":
    case "shorthand_property_identifier_pattern":
      return [pattern];
    case "pair_pattern":
      return patternNames(pattern.childForFieldName("value") as Node);
    case "assignment_pattern":
    case "object_assignment_pattern":
      return patternNames(pattern.childForFieldName("left") as Node);
    default:
      return childrenOf(pattern).flatMap(patternNames);
  }
};

const isNamedValue = (value: Node | null): boolean =>
  value !== null && (FUNCTIONS.has(value.type) || value.type === "class");

const variables = function* (declaration: Node, outer: Node, path: Path, local: boolean): Found {
  const declarators = childrenOf(declaration).filter(({ type }) => type === "variable_declarator");
  for (const declarator of declarators) {
    const value = declarator.childForFieldName("value");
    // What a function keeps in variables is its own matter, but for the functions in it.
    if (local && !isNamedValue(value)) continue;
    const node = declarators.length === 1 ? outer : declarator;
    for (const name of patternNames(declarator.childForFieldName("name") as Node)) {
      const own = [...path, name.text];
      yield { path: own, node, statement: outer, name };
      yield* insideValue(value, own);
    }
  }
};

/** `exports.parse = …`, `Parser.prototype.parse = …`. */
const assigned = function* (assignment: Node, outer: Node, path: Path): Found {
  const left = assignment.childForFieldName("left");
  const right = assignment.childForFieldName("right");
  if (left?.type !== "member_expression" || !right) return;
  const own = [...path, ...left.text.split(".")];
  const isModule = left.text === "module.exports";
  if (!isModule && !isNamedValue(right) && right.type !== "object") return;
  const name = left.childForFieldName("property") ?? undefined;
  yield { path: own, node: outer, statement: outer, name };
  yield* insideValue(right, isModule ? path : own);
};

const named = function* (node: Node, outer: Node, path: Path): Found {
  const name = node.childForFieldName("name");
  if (!name) return;
  const own = [...path, ...(name.type === "nested_identifier" ? name.text.split(".") : [unquoted(name)])];
  yield { path: own, node: outer, statement: outer, name };
  const body = node.childForFieldName("body");
  if (body?.type === "statement_block" && !/function/.test(node.type)) {
    for (const child of childrenOf(body)) yield* declared(child, child, own, false);
  } else if (body?.type === "statement_block") yield* insideBody(node, own);
  else yield* members(body, own);
};

const exported = function* (node: Node, outer: Node, path: Path): Found {
  const value = node.childForFieldName("value");
  const inner = node.childForFieldName("declaration") ?? value;
  const isDefault = node.children.some((child) => child?.type === "default");
  if (isDefault && inner && !inner.childForFieldName("name")) {
    yield { path: [...path, "default"], node: outer, statement: outer, name: undefined };
    yield* insideValue(inner, [...path, "default"]);
    if (inner.type === "class_declaration")
      yield* members(inner.childForFieldName("body"), [...path, "default"]);
  } else if (inner) yield* declared(inner, outer, path, false);
};

/** The symbols that a statement declares. `outer` is the statement with `export`, `declare` and what else is around it. */
const declared = function* (node: Node, outer: Node, path: Path, local: boolean): Found {
  switch (node.type) {
    case "export_statement":
      yield* exported(node, outer, path);
      return;
    case "ambient_declaration":
      for (const child of childrenOf(node)) {
        // `declare global { … }` has no name of its own.
        if (child.type === "statement_block") {
          for (const inner of childrenOf(child)) yield* declared(inner, inner, [...path, "global"], false);
        } else yield* declared(child, outer, path, false);
      }
      return;
    case "expression_statement": {
      const [expression] = childrenOf(node);
      if (expression?.type === "assignment_expression") yield* assigned(expression, outer, path);
      else if (expression?.type === "internal_module") yield* named(expression, outer, path);
      return;
    }
    case "lexical_declaration":
    case "variable_declaration":
      yield* variables(node, outer, path, local);
      return;
    default:
      if (TRANSPARENT.has(node.type)) {
        for (const child of childrenOf(node)) yield* declared(child, child, path, local);
      } else if (/_(declaration|signature)$|^(internal_)?module$/.test(node.type)) {
        yield* named(node, outer, path);
      }
  }
};

/** The symbols of JavaScript, TypeScript and their variants with JSX. */
export const javascriptSymbols = function* (root: Node): Found {
  for (const child of childrenOf(root)) yield* declared(child, child, [], false);
};
