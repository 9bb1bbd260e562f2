import type { Node } from "web-tree-sitter";

/** A place that does not parse. */
export interface SyntaxFault {
  readonly at: number;
  readonly line: number;
  readonly what: string;
}

const faultOf = (node: Node): SyntaxFault => {
  const text = node.text.split("\n", 1)[0]?.trim().slice(0, 60) ?? "";
  const what = node.isMissing
    ? `"${node.type}" is missing`
    : text === ""
      ? "unexpected end"
      : `unexpected "${text}"`;
  return { at: node.startIndex, line: node.startPosition.row + 1, what };
};

/** The places below a node that do not parse, in order. */
export const faultsIn = (node: Node): SyntaxFault[] => {
  if (!node.hasError) return [];
  if (node.isError || node.isMissing) return [faultOf(node)];
  return node.children.flatMap((child) => (child ? faultsIn(child) : []));
};

/**
 * Faults that an edit brought in: those that were not there before, at the place to which the text around the edit has moved.
 *
 * @param edit the span in the old text, and its end in the new one.
 */
export const newFaults = (
  before: readonly SyntaxFault[],
  after: readonly SyntaxFault[],
  edit: { readonly start: number; readonly end: number; readonly newEnd: number },
): SyntaxFault[] => {
  const kept = new Set(
    before
      .filter(({ at }) => at < edit.start || at >= edit.end)
      .map(({ at }) => (at < edit.start ? at : at + edit.newEnd - edit.end)),
  );
  return after.filter(({ at }) => !kept.has(at));
};

/** `line 3 (unexpected "}")`, for messages. */
export const faultText = (faults: readonly SyntaxFault[]): string => {
  const shown = faults.slice(0, 3).map(({ line, what }) => `line ${line} (${what})`);
  return shown.join(", ") + (faults.length > 3 ? ` and ${faults.length - 3} more places` : "");
};
