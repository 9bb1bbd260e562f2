import { fold, type Folding } from "./folded-text.js";

/** Half-open, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a text stands, at most `limit` places; overlapping ones count, for each of them could be meant. */
export const occurrences = (text: string, wanted: string, limit = Infinity): number[] => {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < limit; at = text.indexOf(wanted, at + 1))
    found.push(at);
  return found;
};

/** The places that do not overlap, from the left, as a replacement of all takes them. */
export const separateOccurrences = (text: string, wanted: string): number[] => {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
};

const MAX_FOUND = 20;

/** The spans of the original that are equal to the wanted text after folding. */
export const foldedSpans = (text: string, wanted: string, folding: Folding): Span[] => {
  const target = fold(wanted, folding).text;
  // Nothing but white space is left: it would match anywhere.
  if (target.trim() === "") return [];
  const folded = fold(text, folding);
  return occurrences(folded.text, target, MAX_FOUND).map((at) => {
    const last = at + target.length - 1;
    return { start: folded.starts[at] as number, end: folded.ends[last] as number };
  });
};
