import { randomUUID } from "node:crypto";
import { checkOptions } from "../check-options.js";
import { BackendError } from "../errors.js";
import { ownDirectory } from "../own-directory.js";
import { callingStep } from "../workspace/call-report.js";
import type { ChangeGuard, GuardedBackend, OutsideChange, PlannedChange } from "../workspace/change-guard.js";
import { hashOf } from "../workspace/file-content.js";
import type { FileErrorKind } from "../workspace/file-error.js";
import { withGuard } from "../workspace/with-guard.js";
import type { CommitResult, FileChange } from "../commit/file-change.js";
import { UndoJournal, type JournalEntry } from "./journal.js";
import { planUndo, type FileUndo, type RefusedUndo } from "./plan-undo.js";

export interface UndoOptions {
  /** Path of a directory for the journal, outside the workspace; made when it is not there. */
  directory: string;
  /**
   * The run that changes belong to, or who knows it at each change; default the thread of the tool call that is under way, ""
   * outside any.
   */
  runId?: string | ((threadId: string | undefined) => string);
  /** Most bytes of old contents that are kept; default 256 MiB. The oldest runs go first, the one under way never. */
  maxBytes?: number;
}

/**
 * Which changes are undone: all of a run, of a thread, of the last run or of the last step (tool call). The last ones are those of
 * the thread when one is given, and of the run when the backend was made with one.
 */
export type UndoScope =
  | { readonly run: string }
  | { readonly thread: string }
  | { readonly lastRun: true; readonly thread?: string }
  | { readonly lastStep: true; readonly thread?: string };

export interface UndoResult {
  /** Files that are as they were. */
  readonly restored: readonly string[];
  /** Files that are as they were without anything being done. */
  readonly unchanged: readonly string[];
  /** Files that stay as they are, and why: above all those that somebody has changed since. */
  readonly refused: readonly RefusedUndo[];
  /** What was taken away is kept as this run: `undo({ run: redo })` brings it back. */
  readonly redo?: string;
  /** Nothing was restored, for this reason. */
  readonly error?: string;
  readonly errorKind?: FileErrorKind;
}

/** A backend whose changes can be taken back. */
export interface UndoableBackend extends GuardedBackend {
  undo(scope: UndoScope): Promise<UndoResult>;
}

type NewEntry = Omit<JournalEntry, "id">;
type Committing = GuardedBackend & Required<Pick<GuardedBackend, "commit">>;

/** How the runs are called that hold what an undo has taken away. */
const UNDONE = "undone ";

const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Keeps what each change replaces, before it is made, and takes changes back: contents, permission bits, deletions and renames,
 * all files of an undo as one change set. A file that somebody has changed since stays as it is, and the result says so.
 *
 * @throws {BackendError} `invalid_option` when the backend cannot be held while it is looked at, or an option is none.
 *
 * @example
 * ```ts
 * import { withUndo, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = withUndo(new WorkspaceBackend({ root: process.cwd() }), { directory: "/var/tmp/undo", runId: "1" });
 * const { restored, refused } = await files.undo({ run: "1" });
 * console.log(restored, refused);
 * ```
 */
export const withUndo = (backend: GuardedBackend, options: UndoOptions): UndoableBackend => {
  checkOptions("withUndo", options, {
    directory: ["string"],
    runId: ["string", "function"],
    maxBytes: ["number"],
  });
  const { directory, maxBytes = MAX_BYTES } = options;
  if (backend.guarded !== true || !backend.commit)
    throw new BackendError(
      "invalid_option",
      "withUndo needs a backend that is guarded and takes change sets (WorkspaceBackend, or a decorator of one).",
    );
  const own = ownDirectory(backend, directory);
  if (!(maxBytes > 0))
    throw new BackendError("invalid_option", "`maxBytes` must be a number of bytes above 0.");
  return undoable(backend as Committing, new UndoJournal(own, maxBytes), options);
};

/** All that can be made, as one change set: a file that stands in its own way must not keep the others from coming back. */
const commitWhatCan = async (
  backend: Committing,
  changes: readonly FileChange[],
  guard: ChangeGuard,
  onRefused: (change: FileChange, why: string) => void,
): Promise<CommitResult> => {
  let left = [...changes];
  for (;;) {
    const result = await backend.commit(left, guard);
    const refused = result.error === undefined ? undefined : left[result.failedAt ?? -1];
    if (result.error === undefined || !refused) return result;
    onRefused(refused, result.error);
    left = left.filter((change) => change !== refused);
  }
};

const undoable = (backend: Committing, journal: UndoJournal, options: UndoOptions): UndoableBackend => {
  const { runId } = options;

  const origin = () => {
    const call = callingStep();
    const thread = call?.threadId;
    const run = (typeof runId === "function" ? runId(thread) : runId) ?? thread ?? "";
    return {
      run,
      atMs: Date.now(),
      ...(thread === undefined ? {} : { thread }),
      step: call?.id ?? randomUUID(),
    };
  };

  const guard = (outer?: ChangeGuard, from = origin()): ChangeGuard => {
    const entriesOf = async ({ target, after }: PlannedChange): Promise<NewEntry[]> => {
      const hashAfter = after && hashOf(after);
      const entries: NewEntry[] = [];
      const lost = await target.eachFile(async ({ path: at, file, content, mode }) => {
        const before = journal.keep(content, mode, from.run);
        entries.push({ ...from, path: at, file, before, after: hashAfter });
      });
      if (entries.length === 0 && (after !== null || lost > 0))
        entries.push({ ...from, path: target.path, file: target.file, before: null, after: hashAfter });
      const [first, ...rest] = entries;
      // What was a directory is nothing in itself.
      return first ? [lost > 0 ? { ...first, lost } : first, ...rest] : [];
    };
    return {
      ...outer,
      async ready(changes) {
        await outer?.ready?.(changes);
        await journal.alone(async () => {
          const entries: NewEntry[] = [];
          for (const change of changes) entries.push(...(await entriesOf(change)));
          if (entries.length > 0) journal.add(entries);
        });
      },
    };
  };

  const hashNow = async (at: string): Promise<string | null | undefined> => {
    const [answer] = (await backend.downloadFiles?.([at])) ?? [];
    if (answer?.error === "file_not_found") return null;
    return answer?.content ? hashOf(answer.content) : undefined;
  };

  const chosen = (scope: UndoScope): JournalEntry[] => {
    const entries = journal.entries();
    if ("run" in scope) return entries.filter(({ run }) => run === scope.run);
    const own = entries.filter(
      ({ run, thread }) =>
        !run.startsWith(UNDONE) &&
        (typeof runId !== "string" || run === runId) &&
        (scope.thread === undefined || thread === scope.thread),
    );
    const last = own.at(-1);
    if (!last || !("lastRun" in scope || "lastStep" in scope)) return own;
    return own.filter(({ run, step }) => run === last.run && ("lastRun" in scope || step === last.step));
  };

  const undo = async (scope: UndoScope): Promise<UndoResult> => {
    const entries = chosen(scope);
    const byPath = new Map<string, JournalEntry[]>();
    for (const entry of entries) byPath.set(entry.path, [...(byPath.get(entry.path) ?? []), entry]);
    const plans: (FileUndo & { ids: string[] })[] = [];
    for (const [at, own] of byPath) {
      const now = await hashNow(at);
      const { file } = own[0] as JournalEntry;
      const plan: FileUndo =
        now === undefined
          ? { kind: "refused", file, why: "what is there now cannot be read as a file" }
          : planUndo(own, now, (kept) => journal.contentOf(kept));
      plans.push({ ...plan, ids: own.map(({ id }) => id) });
    }
    const of = (kind: FileUndo["kind"]): string[] =>
      plans.filter((plan) => plan.kind === kind).map(({ file }) => file);
    const refused: RefusedUndo[] = plans.flatMap((plan) =>
      plan.kind === "refused" ? [{ file: plan.file, why: plan.why }] : [],
    );
    for (const { file, lost } of entries)
      if (lost)
        refused.push({ file, why: `${lost} links or special files went with it, which are not kept` });
    const changes = plans.flatMap((plan): FileChange[] => (plan.kind === "change" ? [plan.change] : []));
    const redo = `${UNDONE}${randomUUID()}`;
    const kept = guard(undefined, { run: redo, atMs: Date.now(), step: redo });
    const result = await commitWhatCan(backend, changes, kept, (change, why) => {
      const at = plans.findIndex((plan) => plan.kind === "change" && plan.change === change);
      const [plan] = plans.splice(at, 1);
      if (plan) refused.push({ file: plan.file, why });
    });
    if (result.error !== undefined) {
      const { error, errorKind } = result;
      return { restored: [], unchanged: of("unchanged"), refused, error, errorKind };
    }
    const restored = result.receipts.map(({ file }) => file);
    const done = plans.flatMap((plan) => (plan.kind === "refused" ? [] : plan.ids));
    if (done.length > 0)
      await journal.alone(async () => {
        journal.undone(done);
      });
    const unchanged = [...of("unchanged"), ...of("change").filter((file) => !restored.includes(file))];
    return { restored, unchanged, refused, ...(restored.length > 0 ? { redo } : {}) };
  };

  const record = async (changes: readonly OutsideChange[]): Promise<void> => {
    const from = origin();
    await journal.alone(async () => {
      const known = journal.entries();
      const entries = changes.flatMap(({ path: at, file, before, hashAfter, sinceMs }): NewEntry[] => {
        // Made through the backend while the command ran, and written down then.
        const own = known.filter((entry) => entry.path === at && (entry.atMs ?? 0) >= sinceMs);
        const [first, last] = [own[0], own.at(-1)];
        const hashBefore = before?.content ? hashOf(before.content) : null;
        const isSame = first && (first.before?.hash ?? null) === hashBefore && last?.after === hashAfter;
        if (isSame && first.before?.mode === before?.mode && hashAfter !== "") return [];
        const kept = before && journal.keep(before.content, before.mode, from.run);
        return [{ ...from, path: at, file, before: kept, after: hashAfter }];
      });
      if (entries.length > 0) journal.add(entries);
    });
    await backend.record?.(changes);
  };

  return {
    ...withGuard(backend, guard, (restricted) => undoable(restricted as Committing, journal, options)),
    record,
    undo,
  };
};
