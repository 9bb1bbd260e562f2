import { createHash } from "node:crypto";
import { applyPatch, structuredPatch, type StructuredPatch } from "diff";
import { diff3Merge } from "node-diff3";
import { encodeText, textContentOf } from "../workspace/text-codec.js";

/** Merging takes time with the square of the lines; more are not worth waiting for. */
const MAX_LINES = 10_000;

const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * What two people made of one text, each in places of their own; undefined where both changed the same lines in different ways,
 * where one of them is no text, or where they have more than 10,000 lines.
 */
export const mergeContents = (
  base: Uint8Array,
  mine: Uint8Array,
  theirs: Uint8Array,
): Uint8Array | undefined => {
  if (Buffer.compare(mine, theirs) === 0 || Buffer.compare(base, mine) === 0) return theirs;
  if (Buffer.compare(base, theirs) === 0) return mine;
  const [o, a, b] = [textContentOf(base), textContentOf(mine), textContentOf(theirs)];
  if (!o || !a || !b) return undefined;
  const [mineLines, baseLines, theirLines] = [lines(a.text), lines(o.text), lines(b.text)];
  if (Math.max(mineLines.length, baseLines.length, theirLines.length) > MAX_LINES) return undefined;
  const regions = diff3Merge(mineLines, baseLines, theirLines, { excludeFalseConflicts: true });
  if (regions.some((region) => region.conflict)) return undefined;
  const merged = regions.flatMap((region) => region.ok ?? []).join("");
  try {
    // As whoever has the file open now writes it.
    return encodeText(merged, b.format, "the merged file");
  } catch {
    return undefined;
  }
};

/** Lines that belong together. */
export interface Hunk {
  /** The same as long as its lines are, whatever becomes of the other hunks. */
  readonly id: string;
  /** Where it stands: "@@ -3,7 +3,8 @@". */
  readonly header: string;
  /** Each with " ", "-" or "+" in front. */
  readonly lines: readonly string[];
}

const patchOf = (before: string, after: string): StructuredPatch | undefined =>
  structuredPatch("a", "b", before, after, undefined, undefined, { context: 3, timeout: 2_000 });

/** By their lines; of equal ones the later get a number. */
const idsOf = (hunks: readonly { readonly lines: readonly string[] }[]): string[] => {
  const seen = new Map<string, number>();
  return hunks.map(({ lines: changed }) => {
    const id = createHash("sha256").update(changed.join("\n")).digest("hex").slice(0, 12);
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    return nth === 1 ? id : `${id}-${nth}`;
  });
};

/** Undefined when one of them is no text, or they are too large to be compared. */
export const hunksOf = (before: Uint8Array, after: Uint8Array): Hunk[] | undefined => {
  const [one, other] = [textContentOf(before), textContentOf(after)];
  const patch = one && other && patchOf(one.text, other.text);
  if (!patch) return undefined;
  const ids = idsOf(patch.hunks);
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines: changed }, at) => ({
    id: ids[at] as string,
    header: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    lines: changed,
  }));
};

/** The text with some of the hunks that make the other one of it; undefined when there are no such hunks. */
export const withHunks = (
  before: Uint8Array,
  after: Uint8Array,
  chosen: ReadonlySet<string>,
): Uint8Array | undefined => {
  const [one, other] = [textContentOf(before), textContentOf(after)];
  const patch = one && other && patchOf(one.text, other.text);
  if (!patch) return undefined;
  const ids = idsOf(patch.hunks);
  if ([...chosen].some((id) => !ids.includes(id))) return undefined;
  if (chosen.size === ids.length) return after;
  const hunks = patch.hunks.filter((_, at) => chosen.has(ids[at] as string));
  const text = hunks.length === 0 ? one.text : applyPatch(one.text, { ...patch, hunks });
  return text === false ? undefined : encodeText(text, other.format, "the file");
};
