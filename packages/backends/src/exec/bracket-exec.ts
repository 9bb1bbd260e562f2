import { checkOptions } from "../check-options.js";
import { BackendError } from "../errors.js";
import type { GuardedBackend, OutsideChange } from "../workspace/change-guard.js";
import type { Observation, ObservationLimits, SeenFile } from "./observation.js";

export interface BracketOptions extends Partial<ObservationLimits> {}

/** What a command changed in the tree, by paths as the agent knows them, each list in their order. */
export interface CommandChanges {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  /** Those among them that cannot be taken back: the old content was too large to be kept, or a file was moved in from elsewhere. */
  readonly unkept: readonly string[];
  /** True when the tree was too large to be looked at whole: there may be more. */
  readonly incomplete: boolean;
}

/** Runs a command and finds out what it changed. What the command throws is thrown on, its changes recorded. */
export type CommandBracket = <Result>(
  command: () => Promise<Result>,
) => Promise<{ readonly result: Result; readonly changes: CommandChanges }>;

const DEFAULTS: ObservationLimits = {
  maxFiles: 50_000,
  maxBytes: 64 * 1024 * 1024,
  maxFileBytes: 1024 * 1024,
  maxMs: 2_000,
};

/** The clock of a disk moves in steps. */
const CLOCK_MS = 50;

interface Found extends CommandChanges {
  readonly record: readonly OutsideChange[];
}

const beforeOf = ({ path, file, mode, content }: SeenFile): OutsideChange["before"] => ({
  path,
  file,
  mode,
  content,
});

/** What is another file now, and what is gone or new. */
const compare = (before: Observation, after: Observation, sinceMs: number): Found => {
  const record: OutsideChange[] = [];
  const lists = {
    created: [] as string[],
    changed: [] as string[],
    deleted: [] as string[],
    unkept: [] as string[],
  };
  const note = (kind: "created" | "changed" | "deleted", change: OutsideChange): void => {
    lists[kind].push(change.file);
    if (change.before && !change.before.content) lists.unkept.push(change.file);
    record.push(change);
  };
  const moved = new Set([...after.gone].map((path) => before.files.get(path)?.hash));
  moved.delete(undefined);
  for (const old of before.files.values()) {
    const now = after.files.get(old.path);
    const { path, file } = old;
    if (now) {
      const same =
        now.identity === old.identity ||
        (now.hash !== undefined && now.hash === old.hash && now.mode === old.mode);
      if (!same) note("changed", { path, file, before: beforeOf(old), hashAfter: now.hash ?? "", sinceMs });
    } else if (after.gone.has(path)) {
      note("deleted", { path, file, before: beforeOf(old), hashAfter: null, sinceMs });
    }
  }
  const rulesChanged = record.some(({ path }) => path.endsWith("/.gitignore"));
  if (before.complete) {
    for (const now of after.files.values()) {
      if (before.files.has(now.path)) continue;
      const { path, file, hash } = now;
      if (now.bornMs >= sinceMs - CLOCK_MS || moved.has(hash)) {
        note("created", { path, file, before: null, hashAfter: hash ?? "", sinceMs });
      } else if (!rulesChanged) {
        // Moved here from where nobody looked: taking it away would be the end of it.
        lists.created.push(file);
        lists.unkept.push(file);
      }
    }
  }
  for (const list of Object.values(lists)) list.sort();
  return { ...lists, incomplete: !before.complete || !after.complete, record };
};

/**
 * A bracket around shell commands, which reach files without any backend: it looks at the tree before and after, without what
 * .gitignore names, and lets `withUndo` and `withFreshness` know what changed, so that it can be taken back and a change that
 * is based on an older reading is refused. Contents are held in memory within limits, from one command to the next.
 *
 * @throws {BackendError} `invalid_option` when the backend cannot be looked at.
 *
 * @example
 * ```ts
 * import { execFile } from "node:child_process";
 * import { promisify } from "node:util";
 * import { bracketExec, withUndo, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = withUndo(new WorkspaceBackend({ root: process.cwd() }), { directory: "/var/tmp/undo", runId: "1" });
 * const bracket = bracketExec(files);
 * const { changes } = await bracket(() => promisify(execFile)("touch", ["made.txt"]));
 * console.log(changes.created); // ["/made.txt"]
 * await files.undo({ run: "1" });
 * ```
 */
export const bracketExec = (backend: GuardedBackend, options: BracketOptions = {}): CommandBracket => {
  const observe = backend.observe?.bind(backend);
  if (!observe)
    throw new BackendError(
      "invalid_option",
      "bracketExec needs a backend whose files can be looked at (WorkspaceBackend, or a decorator of one).",
    );
  checkOptions("bracketExec", options, {
    maxFiles: ["number"],
    maxBytes: ["number"],
    maxFileBytes: ["number"],
    maxMs: ["number"],
  });
  const limits = { ...DEFAULTS, ...options };
  let last: Observation | undefined;
  const look = async (): Promise<Observation> => (last = await observe(last, limits));

  return async (command) => {
    const before = await look();
    const sinceMs = Date.now();
    let ended: { result: Awaited<ReturnType<typeof command>> } | { error: unknown };
    try {
      ended = { result: await command() };
    } catch (error) {
      ended = { error };
    }
    const { record, ...changes } = compare(before, await look(), sinceMs);
    if (record.length > 0) await backend.record?.(record);
    if ("error" in ended) throw ended.error;
    return { result: ended.result, changes };
  };
};
