const BEFORE = 24;
const LENGTH = 80;

const short = (text: string, from: number): string => {
  const start = Math.max(0, from - BEFORE);
  const cut = text.slice(start, start + LENGTH).replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${cut}${start + LENGTH < text.length ? "…" : ""}`;
};

/** Both texts around the first character in which they differ, on one line each. */
export const excerpts = (before: string, after: string): { before: string; after: string } => {
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at += 1;
  return { before: short(before, at), after: short(after, at) };
};
