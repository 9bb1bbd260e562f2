/** Matching lines of a text: number from 1, start and end in the text (without its end), spans within the line. */
export interface ScannedLine {
  lineNumber: number;
  start: number;
  end: number;
  spans: { start: number; end: number }[];
}

export interface Scan {
  /** The first ones, as many as asked for. */
  lines: ScannedLine[];
  /** All matching lines of the text. */
  total: number;
}

export const MAX_SPANS = 1_000;

/** Finds a literal, case and all. */
export const scanLiteral = (text: string, literal: string, maxLines: number): Scan => {
  const lines: ScannedLine[] = [];
  let total = 0;
  let lineNumber = 1;
  let counted = 0;
  let found = text.indexOf(literal);
  while (found !== -1) {
    for (let at = text.indexOf("\n", counted); at !== -1 && at < found; at = text.indexOf("\n", counted)) {
      lineNumber += 1;
      counted = at + 1;
    }
    const newline = text.indexOf("\n", found);
    const next = newline === -1 ? text.length : newline;
    const end = next > counted && text[next - 1] === "\r" ? next - 1 : next;
    const spans: ScannedLine["spans"] = [];
    while (found !== -1 && found + literal.length <= end) {
      if (spans.length < MAX_SPANS)
        spans.push({ start: found - counted, end: found - counted + literal.length });
      found = text.indexOf(literal, found + literal.length);
    }
    if (spans.length > 0) {
      total += 1;
      if (lines.length < maxLines) lines.push({ lineNumber, start: counted, end, spans });
    }
    // What lies across the CR that ends the line is no match of it.
    if (found !== -1 && found < next) found = text.indexOf(literal, next);
  }
  return { lines, total };
};
