import type { ToolFileChange, ToolFiles } from "../tool-files.js";
import { bytesOf, hashOf, utf8Text } from "./file-bytes.js";
import { lineChanges } from "./line-changes.js";

/** What became of one file of a change set. */
export interface ComposedFile {
  readonly path: string;
  readonly what: "created" | "changed" | "deleted" | "renamed";
  /** Where it was before a rename. */
  readonly from?: string;
  /** Lines; undefined for what is no UTF-8 text. */
  readonly added?: number;
  readonly removed?: number;
  /** As the model is told. */
  readonly text: string;
}

type Contents = ReadonlyMap<string, Uint8Array | undefined>;

/** What the files hold now. What cannot be read is left out: the change set itself says why. */
export const lookAt = async (files: ToolFiles, paths: readonly string[]): Promise<Contents> => {
  const found = new Map<string, Uint8Array | undefined>();
  for (const path of paths) {
    try {
      found.set(path, await bytesOf(files, path));
    } catch {
      continue;
    }
  }
  return found;
};

const counted = (before: Uint8Array | undefined, after: Uint8Array | undefined) => {
  const old = before && utf8Text(before);
  const now = after && utf8Text(after);
  if ((before && old === undefined) || (after && now === undefined)) return {};
  return lineChanges(old ?? "", now ?? "");
};

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one === undefined || other === undefined ? one === other : hashOf(one) === hashOf(other);

/** Where what lies at a path at the end was at the beginning. */
const originsOf = (changes: readonly ToolFileChange[]): ReadonlyMap<string, string> => {
  const origins = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === "delete") origins.delete(change.path);
    if (change.kind !== "rename") continue;
    origins.set(change.to, origins.get(change.path) ?? change.path);
    origins.delete(change.path);
  }
  return origins;
};

/** Says of each file what came of it in the end, in the order in which the changes name them. */
export const describeFiles = (
  changes: readonly ToolFileChange[],
  before: Contents,
  after: Contents,
): ComposedFile[] => {
  const origins = originsOf(changes);
  const moved = new Set(origins.values());
  return [...after.keys()].flatMap((path): ComposedFile[] => {
    const origin = origins.get(path);
    const from = origin === path ? undefined : origin;
    const old = before.get(from ?? path);
    const now = after.get(path);
    if (now === undefined && moved.has(path)) return [];
    if (from === undefined && isSame(old, now)) return [];
    const what = from !== undefined ? "renamed" : !old ? "created" : !now ? "deleted" : "changed";
    const lines = counted(old, now);
    const { added, removed } = lines as { added?: number; removed?: number };
    const counts = [added ? `+${added}` : "", removed ? `-${removed}` : ""].filter(Boolean).join(" ");
    const text = `${what} ${from === undefined ? "" : `${from} -> `}${path}${counts === "" ? "" : ` (${counts})`}`;
    return [{ path, what, ...(from === undefined ? {} : { from }), ...lines, text }];
  });
};
