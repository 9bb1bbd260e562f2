/** How many lines came and went. */
export interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const MAX_EDITS = 1_000;

/**
 * Length of the shortest way from one list of lines to the other (E. W. Myers, An O(ND) Difference Algorithm, 1986); undefined
 * when it is longer than we care to find out.
 */
const distance = (from: readonly string[], to: readonly string[]): number | undefined => {
  const reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(from.length + to.length, MAX_EDITS); edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = reach.get(diagonal + 1) ?? -1;
      const beside = reach.get(diagonal - 1) ?? -1;
      let x = diagonal === -edits || (diagonal !== edits && beside < below) ? below : beside + 1;
      while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1;
      if (x >= from.length && x - diagonal >= to.length) return edits;
      reach.set(diagonal, x);
    }
  }
  return undefined;
};

/** Counts as `git diff --stat` does; of texts that have next to nothing in common, all lines. */
export const lineChanges = (before: string, after: string): LineChanges => {
  const from = linesOf(before);
  const to = linesOf(after);
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const old = from.slice(head, from.length - tail);
  const now = to.slice(head, to.length - tail);
  const edits = distance(old, now) ?? old.length + now.length;
  return { added: (edits + now.length - old.length) / 2, removed: (edits + old.length - now.length) / 2 };
};
