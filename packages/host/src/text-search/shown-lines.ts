import type { TextSearchContext, TextSearchMatch, TextSpan } from "../text-search-port.js";
import type { ScannedLine } from "./line-scan.js";
import type { SearchCaps } from "./query.js";

const lowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
};

/** The part of a line that is shown: all of it, or a window that `focus` lies in, with no character cut in half. */
const windowOf = (
  line: string,
  focus: number,
  maxColumns: number,
): { text: string; textStart: number; lineLength: number } => {
  if (line.length <= maxColumns) return { text: line, textStart: 0, lineLength: line.length };
  let start = Math.max(0, Math.min(focus - Math.floor(maxColumns / 4), line.length - maxColumns));
  let end = start + maxColumns;
  if (lowSurrogate(line, start)) start += 1;
  if (end < line.length && lowSurrogate(line, end)) end -= 1;
  return { text: line.slice(start, Math.max(start, end)), textStart: start, lineLength: line.length };
};

/** The matches of a file and the lines around them, each line once. */
export const shownLines = (
  text: string,
  scanned: readonly ScannedLine[],
  caps: SearchCaps,
): (TextSearchMatch | TextSearchContext)[] => {
  const shown: (TextSearchMatch | TextSearchContext)[] = [];
  const lines = caps.beforeContext + caps.afterContext > 0 ? lineTable(text) : [];
  let next = 1;
  const context = (from: number, to: number): void => {
    for (let lineNumber = Math.max(from, next); lineNumber <= to; lineNumber += 1) {
      const line = lines[lineNumber - 1];
      if (line === undefined) return;
      const content = text.slice(line.start, line.end);
      shown.push({ kind: "context", lineNumber, ...windowOf(content, 0, caps.maxColumns) });
      next = lineNumber + 1;
    }
  };
  scanned.forEach((match, index) => {
    context(match.lineNumber - caps.beforeContext, match.lineNumber - 1);
    const line = text.slice(match.start, match.end);
    const first = match.spans[0]?.start ?? 0;
    const window = windowOf(line, first, caps.maxColumns);
    const length = window.text.length;
    const spans: TextSpan[] = [];
    for (const span of match.spans) {
      const start = Math.max(0, span.start - window.textStart);
      const end = Math.min(length, span.end - window.textStart);
      if (start <= length && (end > start || span.end === span.start) && end >= start)
        spans.push({ start, end });
    }
    shown.push({ kind: "match", lineNumber: match.lineNumber, column: first + 1, ...window, spans });
    next = match.lineNumber + 1;
    const following = scanned[index + 1]?.lineNumber ?? Infinity;
    context(match.lineNumber + 1, Math.min(match.lineNumber + caps.afterContext, following - 1));
  });
  return shown;
};

const lineTable = (text: string): { start: number; end: number }[] => {
  const table: { start: number; end: number }[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const next = newline === -1 ? text.length : newline;
    table.push({ start, end: next > start && text[next - 1] === "\r" ? next - 1 : next });
    start = next + 1;
  }
  return table;
};
