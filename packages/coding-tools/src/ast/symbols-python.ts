import type { Node } from "web-tree-sitter";
import { childrenOf, type SyntaxSymbol } from "./symbol.js";

type Found = Generator<SyntaxSymbol, void>;
type Path = readonly string[];

/** Statements that declare nothing themselves; what is declared inside belongs to whatever they stand in. */
const TRANSPARENT = new Set([
  "block",
  "if_statement",
  "elif_clause",
  "else_clause",
  "try_statement",
  "except_clause",
  "except_group_clause",
  "finally_clause",
  "with_statement",
  "for_statement",
  "while_statement",
]);

const assignmentNames = (left: Node | null): Node[] => {
  if (left?.type === "identifier") return [left];
  return left && /^(pattern_list|tuple_pattern|list_pattern)$/.test(left.type)
    ? childrenOf(left).flatMap(assignmentNames)
    : [];
};

const declared = function* (node: Node, outer: Node, path: Path, local: boolean): Found {
  switch (node.type) {
    case "decorated_definition": {
      const definition = node.childForFieldName("definition");
      if (definition) yield* declared(definition, outer, path, local);
      return;
    }
    case "function_definition":
    case "class_definition": {
      const name = node.childForFieldName("name");
      const body = node.childForFieldName("body");
      if (!name) return;
      const own = [...path, name.text];
      yield { path: own, node: outer, statement: outer, name };
      if (body) yield* inside(body, own, node.type === "function_definition");
      return;
    }
    case "expression_statement": {
      const [assignment] = childrenOf(node);
      // What a function keeps in variables is its own matter.
      if (local || assignment?.type !== "assignment") return;
      for (const name of assignmentNames(assignment.childForFieldName("left")))
        yield { path: [...path, name.text], node: outer, statement: outer, name };
      return;
    }
    case "type_alias_statement": {
      const name = node.childForFieldName("left")?.firstNamedChild;
      if (name) yield { path: [...path, name.text], node: outer, statement: outer, name };
      return;
    }
    default:
      if (TRANSPARENT.has(node.type)) yield* inside(node, path, local);
  }
};

const inside = function* (node: Node, path: Path, local: boolean): Found {
  for (const child of childrenOf(node)) yield* declared(child, child, path, local);
};

/** The symbols of Python. */
export const pythonSymbols = (root: Node): Found => inside(root, [], false);
