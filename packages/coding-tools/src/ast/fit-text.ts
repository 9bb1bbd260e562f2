import type { Node } from "web-tree-sitter";

/** How a comment or a decorator begins. */
export const LEAD = /^(\/\/|\/\*|#|@)/;

/** One line of a text that is put in. */
interface Line {
  readonly text: string;
  /** It begins inside a string, where white space means something. */
  readonly isFixed: boolean;
}

/** A text in lines, without empty ones at both ends. */
export const linesOf = (text: string): string[] => {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines.length > 0 && lines[0]?.trim() === "") lines.shift();
  while (lines.length > 0 && lines.at(-1)?.trim() === "") lines.pop();
  return lines;
};

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

const counts = ({ text, isFixed }: Line): boolean => !isFixed && text.trim() !== "";

/** The white space that all have in common. */
const common = (indents: readonly string[]): string => {
  const [first = "", ...others] = indents;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
};

/** A text that was copied from its place without the white space before its first line: the rest is where it belongs. */
const isInPlace = (lines: readonly Line[], base: string): boolean => {
  const [first, ...rest] = lines.filter(counts);
  const last = rest.at(-1);
  if (base === "" || !first || !last || indentOf(first.text) !== "") return false;
  if (!rest.every(({ text }) => indentOf(text).startsWith(base))) return false;
  const closes = indentOf(last.text) === base && /^[)\]}]/.test(last.text.trim());
  // Were it written from the left margin, what comes after a decorator or comment would be there.
  const hasHead = LEAD.test(first.text);
  return closes || hasHead || rest.every(({ text }) => indentOf(text).length > base.length);
};

/** Spaces for tabs or tabs for spaces, where the file has the other. */
const inUnits = (indent: string, unit: string, own: string): string => {
  if (own === "" || unit === "" || (indent.includes("\t") ? "\t" : " ") === unit[0]) return indent;
  const steps = Math.floor(indent.length / own.length);
  return unit.repeat(steps) + " ".repeat(indent.length - steps * own.length);
};

const smallestStep = (indents: readonly string[]): string =>
  indents.filter((indent) => indent !== "").sort((one, other) => one.length - other.length)[0] ?? "";

/** What one level is in a text: a tab, or the fewest spaces that a line begins with. */
export const indentUnit = (text: string): string => {
  const indents = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(indentOf);
  const tabs = indents.filter((indent) => indent.startsWith("\t")).length;
  const spaces = indents.filter((indent) => indent.startsWith("  ")).length;
  if (tabs > spaces) return "\t";
  return smallestStep(indents.filter((indent) => indent.startsWith("  ")));
};

export interface Place {
  /** The white space that a line there begins with. */
  readonly base: string;
  /** What one level is in the file. */
  readonly unit: string;
}

/** Brings lines to the level of their place. Lines that begin inside a string stay as they are. */
export const fitLines = (lines: readonly string[], fixed: ReadonlySet<number>, place: Place): string[] => {
  const all = lines.map((text, at): Line => ({ text, isFixed: fixed.has(at) }));
  if (isInPlace(all, place.base)) return all.map(({ text }, at) => (at === 0 ? place.base + text : text));
  const shared = common(all.filter(counts).map(({ text }) => indentOf(text)));
  const relative = all.filter(counts).map(({ text }) => indentOf(text).slice(shared.length));
  const own = smallestStep(relative);
  return all.map(({ text, isFixed }) => {
    if (isFixed) return text;
    if (text.trim() === "") return "";
    const indent = indentOf(text);
    return place.base + inUnits(indent.slice(shared.length), place.unit, own) + text.slice(indent.length);
  });
};

const STRINGS = new Set(["template_string", "string", "concatenated_string", "raw_string_literal"]);
const CODE_IN_STRINGS = new Set(["template_substitution", "interpolation"]);

/** A docstring moves with its function, as it does in every editor. */
const isDocstring = (node: Node): boolean =>
  node.parent?.type === "expression_statement" && /^(block|module)$/.test(node.parent.parent?.type ?? "");

/** True for a position inside a string that goes over several lines. */
export const isInString = (root: Node, at: number): boolean => {
  for (let node = root.descendantForIndex(at, at); node; node = node.parent) {
    if (CODE_IN_STRINGS.has(node.type) && node.startIndex < at) return false;
    if (STRINGS.has(node.type) && node.startIndex < at && node.endIndex > at) return !isDocstring(node);
  }
  return false;
};
