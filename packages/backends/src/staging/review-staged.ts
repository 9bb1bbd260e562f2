import { BackendError } from "../errors.js";
import type { FileChange } from "../commit/file-change.js";
import { diffOf } from "../review/proposal.js";
import { unreported } from "../workspace/call-report.js";
import { hashOf } from "../workspace/file-content.js";
import { hunksOf, mergeContents, withHunks } from "./merge-text.js";
import { contentOf } from "./probe.js";
import type {
  AcceptResult,
  RefusedStaged,
  RejectResult,
  StagedChange,
  StagedSelection,
} from "./staged-change.js";
import type { StagedEntry } from "./staging-area.js";
import type { Staging } from "./with-staging.js";

/** A staged file, with what is to be done to it. */
interface Selected {
  readonly path: string;
  readonly file: string;
  readonly entry: StagedEntry;
  /** Undefined: the whole of it. */
  readonly hunks: ReadonlySet<string> | undefined;
  /** What was shown, when the selection says so. */
  readonly shown: string | null | undefined;
}

const select = (
  { area, mount }: Staging,
  selection: StagedSelection | undefined,
): { chosen: Selected[]; refused: RefusedStaged[] } => {
  const entries = area.entries();
  const of = (
    path: string,
    entry: StagedEntry,
    { hunks, hashAfter }: { hunks?: readonly string[]; hashAfter?: string | null } = {},
  ): Selected => ({ path, file: mount + path, entry, hunks: hunks && new Set(hunks), shown: hashAfter });
  if (!selection) return { chosen: [...entries].map(([path, entry]) => of(path, entry)), refused: [] };
  if (!Array.isArray(selection))
    throw new BackendError("invalid_option", "A selection is a list of files, or of { file, hunks }.");
  const chosen = new Map<string, Selected>();
  const refused: RefusedStaged[] = [];
  for (const each of selection) {
    const { file, ...what } = typeof each === "string" ? { file: each } : each;
    const path = mount !== "" && file.startsWith(`${mount}/`) ? file.slice(mount.length) : file;
    const entry = entries.get(path);
    if (!entry) refused.push({ file, why: `nothing of it is staged; what is begins with ${mount}/` });
    else if (chosen.has(path)) refused.push({ file, why: "it is selected more than once" });
    else chosen.set(path, of(path, entry, what));
  }
  return { chosen: [...chosen.values()], refused };
};

const kindOf = ({ base, deleted }: StagedEntry): StagedChange["kind"] =>
  deleted ? "delete" : base === null ? "create" : "change";

export const stagedChanges = async (staging: Staging): Promise<StagedChange[]> => {
  const { area, mount, shadow } = staging;
  const changes: StagedChange[] = [];
  for (const [path, entry] of [...area.entries()].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const after = entry.deleted ? null : await contentOf(shadow, path);
    const before = entry.base === null ? null : area.baseOf(entry);
    const kind = kindOf(entry);
    changes.push({
      file: mount + path,
      kind,
      hashBefore: entry.base,
      hashAfter: after && hashOf(after),
      diff: diffOf(mount + path, before, after),
      hunks: (kind === "change" && before && after && hunksOf(before, after)) || [],
    });
  }
  return changes;
};

/** What is to be on the disk, or why it cannot be. */
type Decided = { readonly content: Uint8Array | null; readonly merged: boolean } | { readonly why: string };

const HUNKS_OF_CHANGES =
  "these are no hunks of it, or not any more: list what is staged again (only a text that changes has hunks)";

const decide = (
  { area }: Staging,
  { entry, hunks, shown }: Selected,
  staged: Uint8Array | null,
  now: Uint8Array | null,
): Decided => {
  const kind = kindOf(entry);
  if (hunks && (kind !== "change" || hunks.size === 0)) return { why: HUNKS_OF_CHANGES };
  if (shown !== undefined && shown !== (staged && hashOf(staged)))
    return { why: "the agent has changed it since; look at it again" };
  const hashNow = now && hashOf(now);
  if (kind === "delete") {
    if (now === null || hashNow === entry.base) return { content: null, merged: false };
    return { why: "it has been changed since its deletion was staged" };
  }
  if (staged === null) return { why: "its staged content is not there any more" };
  if (kind === "create") {
    if (now === null || hashNow === hashOf(staged)) return { content: staged, merged: false };
    return { why: "somebody else has made a file of this name" };
  }
  const base = area.baseOf(entry);
  const wanted = hunks ? withHunks(base, staged, hunks) : staged;
  if (!wanted) return { why: HUNKS_OF_CHANGES };
  if (now === null) return { why: "it has been deleted since the change was staged" };
  if (hashNow === entry.base) return { content: wanted, merged: false };
  const content = mergeContents(base, wanted, now);
  return content ? { content, merged: true } : { why: "the same lines have been changed since" };
};

/** Nothing of the file is staged any more. */
export const drop = async ({ area, shadow }: Staging, path: string): Promise<void> => {
  // The index first: what it does not name is not there.
  area.set(path, undefined);
  await unreported(() => shadow.delete(path));
};

/** What of a file stays staged once some of its hunks are on the disk. */
const keepRest = async (
  staging: Staging,
  { path, entry }: Selected,
  staged: Uint8Array,
  now: Uint8Array,
): Promise<void> => {
  const { area } = staging;
  const rest = mergeContents(area.baseOf(entry), staged, now);
  // It goes on from what it was made of, and is merged when the rest is accepted.
  if (!rest) return;
  if (Buffer.compare(rest, now) === 0) return drop(staging, path);
  // The content first: merged with what it was made of before, it comes to the same.
  if (await isUploaded(staging, path, rest)) area.set(path, { ...entry, base: area.keepBase(now) });
};

const isUploaded = async ({ shadow }: Staging, path: string, content: Uint8Array): Promise<boolean> => {
  const [answer] = await shadow.uploadFiles([[path, content]]);
  return answer?.error === null;
};

export const acceptStaged = async (
  staging: Staging,
  selection: StagedSelection | undefined,
): Promise<AcceptResult> => {
  const { base, shadow } = staging;
  const { chosen, refused } = select(staging, selection);
  const changes: FileChange[] = [];
  const ready: {
    selected: Selected;
    staged: Uint8Array | null;
    content: Uint8Array | null;
    merged: boolean;
  }[] = [];
  for (const selected of chosen) {
    const { path, file, entry } = selected;
    const staged = entry.deleted ? null : await contentOf(shadow, path);
    const now = await contentOf(base, path);
    const decided = decide(staging, selected, staged, now);
    if ("why" in decided) {
      refused.push({ file, why: decided.why });
      continue;
    }
    const { content, merged } = decided;
    ready.push({ selected, staged, content, merged });
    const expect = now && hashOf(now);
    if (content === null) {
      if (now !== null) changes.push({ kind: "delete", path, expect });
      continue;
    }
    const mode = now === null && entry.mode !== undefined ? { mode: entry.mode } : {};
    changes.push({ kind: "write", path, content, expect, ...mode });
  }
  const result = changes.length > 0 ? await base.commit!(changes) : { error: undefined };
  if (result.error !== undefined) {
    const { error, errorKind } = result;
    return { accepted: [], refused, error, errorKind };
  }
  for (const { selected, staged, content } of ready) {
    if (selected.hunks && staged && content) await keepRest(staging, selected, staged, content);
    else await drop(staging, selected.path);
  }
  return { accepted: ready.map(({ selected: { file }, merged }) => ({ file, merged })), refused };
};

export const rejectStaged = async (
  staging: Staging,
  selection: StagedSelection | undefined,
): Promise<RejectResult> => {
  const { area, shadow } = staging;
  const { chosen, refused } = select(staging, selection);
  const rejected: string[] = [];
  for (const { path, file, entry, hunks } of chosen) {
    if (!hunks) {
      await drop(staging, path);
      rejected.push(file);
      continue;
    }
    const staged = kindOf(entry) === "change" ? await contentOf(shadow, path) : null;
    const base = area.baseOf(entry);
    const all = (staged && hunksOf(base, staged)) ?? [];
    const known = all.length > 0 && [...hunks].every((id) => all.some((hunk) => hunk.id === id));
    const rest = known
      ? withHunks(base, staged as Uint8Array, new Set(all.map(({ id }) => id).filter((id) => !hunks.has(id))))
      : undefined;
    if (!rest) {
      refused.push({ file, why: HUNKS_OF_CHANGES });
      continue;
    }
    if (hashOf(rest) === entry.base) await drop(staging, path);
    else if (!(await isUploaded(staging, path, rest))) {
      refused.push({ file, why: "what is left of it could not be stored" });
      continue;
    }
    rejected.push(file);
  }
  return { rejected, refused };
};
