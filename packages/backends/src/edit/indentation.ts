import { fold } from "./folded-text.js";
import type { Span } from "./find-span.js";

/** A place where the wanted lines stand with another indentation, and how to write lines there. */
export interface ShiftedSpan extends Span {
  reindent(text: string): string;
}

interface Line {
  readonly indent: string;
  readonly body: string;
  readonly start: number;
  readonly end: number;
}

const linesOf = (text: string): Line[] => {
  const lines: Line[] = [];
  let start = 0;
  for (const raw of text.split("\n")) {
    const content = raw.replace(/\r$/, "");
    const indent = /^[ \t]*/.exec(content)?.[0] ?? "";
    const body = fold(content.slice(indent.length), { trailingSpace: true, typography: true }).text;
    lines.push({ indent, body, start, end: start + content.length });
    start += raw.length + 1;
  }
  return lines;
};

type Shift = (indent: string) => string | undefined;

/** The width of one step of indentation: the smallest there is. */
const unitOf = (lines: readonly Line[]): number => {
  const widths = lines.map(({ indent }) => indent.length).filter((width) => width > 0);
  return widths.length === 0 ? 4 : Math.min(...widths);
};

/**
 * One rule that turns each wanted indentation into the one that is there: more or less of it in front, or tabs for so many
 * spaces. Undefined when the lines are not shifted as one block.
 */
const shiftOf = (wanted: readonly Line[], there: readonly Line[], unit: number): Shift | undefined => {
  const pairs = wanted.flatMap((line, at) =>
    line.body === "" ? [] : [[line.indent, there[at]?.indent ?? ""] as const],
  );
  const fits = (shift: Shift): boolean => pairs.every(([from, to]) => shift(from) === to);
  const [first] = pairs;
  if (!first) return undefined;
  const [from, to] = first;
  const candidates: Shift[] = [];
  if (to.endsWith(from)) candidates.push((indent) => to.slice(0, to.length - from.length) + indent);
  if (from.endsWith(to)) {
    const dropped = from.slice(0, from.length - to.length);
    candidates.push((indent) => (indent.startsWith(dropped) ? indent.slice(dropped.length) : undefined));
  }
  for (const width of new Set([2, 4, 8, unit])) {
    const spaces = " ".repeat(width);
    candidates.push((indent) => indent.replaceAll("\t", spaces));
    candidates.push((indent) => indent.replaceAll(spaces, "\t"));
  }
  return candidates.find(fits);
};

/**
 * Where whole lines stand that differ from the wanted ones by their indentation only, all of them by the same rule. A block
 * that is nested in itself differently is another block.
 */
export const shiftedSpans = (text: string, wanted: string): ShiftedSpan[] => {
  const endsWithNewline = wanted.endsWith("\n");
  const wantedLines = linesOf(endsWithNewline ? wanted.slice(0, -1) : wanted);
  if (wantedLines.every(({ body }) => body === "")) return [];
  const all = linesOf(text);
  const unit = unitOf(all);
  const found: ShiftedSpan[] = [];
  for (let at = 0; at + wantedLines.length <= all.length; at += 1) {
    if (!wantedLines.every(({ body }, line) => all[at + line]?.body === body)) continue;
    const there = all.slice(at, at + wantedLines.length);
    const shift = shiftOf(wantedLines, there, unit);
    if (!shift) continue;
    const last = there.at(-1) as Line;
    const next = all[at + wantedLines.length];
    if (endsWithNewline && !next) continue;
    found.push({
      start: (there[0] as Line).start,
      end: endsWithNewline ? (next as Line).start : last.end,
      reindent: (replacement) =>
        replacement
          .split("\n")
          .map((line) => {
            const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
            if (indent.length === line.replace(/\r$/, "").length) return line.slice(indent.length);
            return (shift(indent) ?? indent) + line.slice(indent.length);
          })
          .join("\n"),
    });
  }
  return found;
};
