/** A text in a form in which some differences are gone, with the place where each of its characters comes from. */
export interface FoldedText {
  readonly text: string;
  /** `starts[i]` is where in the original the i-th code unit begins; one more entry for the end. */
  readonly starts: Uint32Array;
  /** `ends[i]` is where it ends. */
  readonly ends: Uint32Array;
}

/** Which differences do not count. */
export interface Folding {
  /** CRLF and LF. Always folded. */
  readonly trailingSpace?: boolean;
  /** Typographic quotes, dashes and spaces, and the normal form of accented letters. */
  readonly typography?: boolean;
}

const SAME: ReadonlyMap<string, string> = new Map(
  (
    [
      ["'", "\u2018\u2019\u201a\u201b\u2032"],
      ['"', "\u201c\u201d\u201e\u201f\u2033"],
      ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"],
      [" ", "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"],
    ] as const
  ).flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)),
);

/** A character with the marks that combine with it. */
const CLUSTER = /[\s\S]\p{M}+|[\s\S]/gu;
const SPACE_AT_END = /[ \t\u00a0]+$/;

/** Folds a text, keeping where everything was. */
export const fold = (original: string, folding: Folding): FoldedText => {
  const out: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const push = (piece: string, start: number, end: number): void => {
    for (let at = 0; at < piece.length; at += 1) {
      out.push(piece[at] as string);
      starts.push(start);
      ends.push(end);
    }
  };
  let lineStart = 0;
  const line = (start: number, end: number): void => {
    const text = original.slice(start, end);
    const kept = folding.trailingSpace ? text.replace(SPACE_AT_END, "") : text;
    if (!folding.typography) {
      for (let at = 0; at < kept.length; at += 1) push(kept[at] as string, start + at, start + at + 1);
      return;
    }
    for (const match of kept.matchAll(CLUSTER)) {
      const from = start + match.index;
      const cluster = match[0];
      push(SAME.get(cluster) ?? cluster.normalize("NFC"), from, from + cluster.length);
    }
  };
  for (;;) {
    const newline = original.indexOf("\n", lineStart);
    const end = newline < 0 ? original.length : newline;
    const textEnd = newline > lineStart && original[newline - 1] === "\r" ? newline - 1 : end;
    line(lineStart, textEnd);
    if (newline < 0) break;
    // What is dropped before a line's end belongs to the newline, so that a match that ends with it takes it along.
    push("\n", ends.length === 0 ? lineStart : Math.max(lineStart, ends.at(-1) as number), newline + 1);
    lineStart = newline + 1;
  }
  starts.push(original.length);
  ends.push(original.length);
  return { text: out.join(""), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) };
};
