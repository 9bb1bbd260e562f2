import type { Node } from "web-tree-sitter";
import { childrenOf, type SyntaxSymbol } from "./symbol.js";

type Found = Generator<SyntaxSymbol, void>;

const SPECS = new Set(["type_spec", "type_alias", "const_spec", "var_spec"]);

const namesOf = (node: Node): Node[] =>
  node.childrenForFieldName("name").filter((name) => name !== null && name.isNamed) as Node[];

/** `T` of `(t *T[K])`. */
const receiverType = (method: Node): string | undefined => {
  const receiver = method.childForFieldName("receiver");
  return receiver?.descendantsOfType("type_identifier")[0]?.text;
};

const membersOf = function* (type: Node | null, owner: string): Found {
  const list =
    type?.type === "struct_type" ? type.firstNamedChild : type?.type === "interface_type" ? type : null;
  for (const member of list ? childrenOf(list) : []) {
    for (const name of namesOf(member))
      yield { path: [owner, name.text], node: member, statement: member, name };
  }
};

/** `type ( A …; B … )` holds specs of their own; `type A …` is its only one. */
const specsOf = (declaration: Node): { spec: Node; isGrouped: boolean }[] => {
  const list = childrenOf(declaration).find(({ type }) => type === "var_spec_list");
  const isGrouped = list !== undefined || declaration.children.some((child) => child?.type === "(");
  return childrenOf(list ?? declaration)
    .filter(({ type }) => SPECS.has(type))
    .map((spec) => ({ spec, isGrouped }));
};

/** The symbols of Go: what stands at the top of a file, fields, and methods by their type. */
export const goSymbols = function* (root: Node): Found {
  for (const child of childrenOf(root)) {
    if (child.type === "function_declaration" || child.type === "method_declaration") {
      const [name] = namesOf(child);
      const owner = child.type === "method_declaration" ? receiverType(child) : undefined;
      if (!name) continue;
      yield {
        path: owner === undefined ? [name.text] : [owner, name.text],
        node: child,
        statement: child,
        name,
      };
      continue;
    }
    for (const { spec, isGrouped } of specsOf(child)) {
      const node = isGrouped ? spec : child;
      for (const name of namesOf(spec)) {
        yield { path: [name.text], node, statement: node, name };
        yield* membersOf(spec.childForFieldName("type"), name.text);
      }
    }
  }
};
