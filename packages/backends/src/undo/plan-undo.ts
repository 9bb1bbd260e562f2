import type { FileChange } from "../commit/file-change.js";
import type { JournalEntry, KeptFile } from "./journal.js";

/** A file that is not restored, and why. */
export interface RefusedUndo {
  readonly file: string;
  readonly why: string;
}

/** What is to be done to one file. */
export type FileUndo =
  | { readonly kind: "change"; readonly file: string; readonly change: FileChange }
  | { readonly kind: "unchanged"; readonly file: string }
  | { readonly kind: "refused"; readonly file: string; readonly why: string };

const hashBefore = (entry: JournalEntry): string | null | undefined =>
  // A file that was too large to be looked at is like no other.
  entry.before === null ? null : (entry.before.hash ?? undefined);

/**
 * Decides what restores one file, from its entries, the oldest first, and from what is there now. An entry is written before its
 * change is made, so the change may not have happened.
 */
export const planUndo = (
  entries: readonly JournalEntry[],
  now: string | null,
  contentOf: (file: KeptFile) => Uint8Array | undefined,
): FileUndo => {
  const [first] = entries;
  if (!first) throw new TypeError("There is no entry.");
  const { file, path, before } = first;
  // What may be there after the changes so far: the last one counts in both ways, for it may not have happened.
  let possible = [hashBefore(first)];
  for (const entry of entries) {
    const found = hashBefore(entry);
    if (!possible.includes(found))
      return { kind: "refused", file, why: "somebody else has changed it between the changes of the agent" };
    possible = [found, entry.after];
  }
  const same = now === hashBefore(first);
  if (!same && !possible.includes(now))
    return {
      kind: "refused",
      file,
      why: `it was ${now === null ? "deleted" : "changed"} since the agent's change`,
    };
  if (before === null)
    return same
      ? { kind: "unchanged", file }
      : { kind: "change", file, change: { kind: "delete", path, expect: now } };
  const content = contentOf(before);
  if (!content)
    return same
      ? { kind: "unchanged", file }
      : { kind: "refused", file, why: "its content was too large to be kept" };
  // The same content too: its permission bits may be others. A change set leaves alone what is as it should be.
  return { kind: "change", file, change: { kind: "write", path, content, mode: before.mode, expect: now } };
};
