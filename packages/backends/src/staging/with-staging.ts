import type { DeleteResult, FileUploadResponse } from "deepagents";
import { pathsOf, type CommitResult, type FileChange } from "../commit/file-change.js";
import { checkOptions } from "../check-options.js";
import { BackendError } from "../errors.js";
import { ownDirectory } from "../own-directory.js";
import { reportToCall, unreported } from "../workspace/call-report.js";
import type { ChangeGuard, FileReceipt, GuardedBackend } from "../workspace/change-guard.js";
import { hashOf } from "../workspace/file-content.js";
import { FileError, refuse } from "../workspace/file-error.js";
import type { FileFailure } from "../workspace/options.js";
import { WorkspaceBackend } from "../workspace/workspace-backend.js";
import { overlaid } from "./overlay.js";
import { contentOf, probeEntry, probeFile, type ProbedFile } from "./probe.js";
import { acceptStaged, drop, rejectStaged, stagedChanges } from "./review-staged.js";
import type { AcceptResult, RejectResult, StagedChange, StagedSelection } from "./staged-change.js";
import { StagingArea, type StagedEntry } from "./staging-area.js";

export interface StagingOptions {
  /** Path of a directory for what is staged, outside the workspace; made when it is not there. */
  directory: string;
  /** As the backend was given it. */
  mount?: string;
  /** Is told of each file that was staged, as the agent knows it, inside the call that did it. */
  onStaged?(file: string): void;
}

/** A backend whose changes wait beside the files until they are accepted. */
export interface StagingBackend extends GuardedBackend {
  /** How many files wait. */
  pending(): number;
  /** What waits, in the order of the paths. */
  staged(): Promise<StagedChange[]>;
  /**
   * Makes staged changes real, all or those selected, as one change set. What somebody has typed meanwhile stays: it is merged
   * where the lines are others, and else the file is refused and stays staged.
   */
  accept(selection?: StagedSelection): Promise<AcceptResult>;
  /** Drops staged changes. */
  reject(selection?: StagedSelection): Promise<RejectResult>;
}

/** The parts that all views of one staging area share. */
export interface Staging {
  readonly area: StagingArea;
  /** The files on the disk. */
  readonly base: GuardedBackend;
  /** The staged contents, under the same paths. */
  readonly shadow: Required<Pick<GuardedBackend, "commit" | "uploadFiles">> & GuardedBackend;
  readonly mount: string;
  readonly options: StagingOptions;
}

/**
 * Holds changes back without a pause: the agent goes on and reads what it has staged, nothing on the disk changes, and somebody
 * accepts or rejects, by file or by hunk. Put it right around the files, and `withFreshness` and `withUndo` around it. Commands see the disk, not what
 * is staged; files that .gitignore names are found by `glob` and `grep` while they are staged.
 *
 * @throws {BackendError} `invalid_option` when the backend cannot be held while it is looked at, or `directory` is empty.
 *
 * @example
 * ```ts
 * import { withStaging, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = withStaging(new WorkspaceBackend({ root: process.cwd() }), { directory: "/var/tmp/staged" });
 * await files.write("/notes.md", "Draft\n"); // not on the disk yet
 * const [change] = await files.staged();
 * console.log(change?.kind, change?.diff);
 * const { accepted, refused } = await files.accept(["/notes.md"]);
 * console.log(accepted, refused);
 * ```
 */
export const withStaging = (backend: GuardedBackend, options: StagingOptions): StagingBackend => {
  if (backend.guarded !== true || !backend.commit || !backend.locate)
    throw new BackendError(
      "invalid_option",
      "withStaging needs a backend that is guarded, takes change sets and says where a path leads (WorkspaceBackend, or a decorator of one).",
    );
  checkOptions("withStaging", options, {
    directory: ["string"],
    mount: ["string"],
    onStaged: ["function"],
  });
  const area = new StagingArea(ownDirectory(backend, options.directory));
  const mount = (options.mount ?? "").replace(/\/+$/, "");
  const shadow = new WorkspaceBackend({ root: area.tree, mount }) as unknown as Staging["shadow"];
  return staging({ area, base: backend, shadow, mount, options });
};

const staging = (parts: Staging): StagingBackend => {
  const { area, base, shadow } = parts;
  const changes = new StagedChanges(parts);
  return {
    guarded: true,
    ...overlaid(parts),
    write: (at, content, guard) => changes.one(at, (real) => shadow.write(real, content, guard)),
    edit: (at, oldString, newString, replaceAll, guard) =>
      changes.one(at, (real) => shadow.edit(real, oldString, newString, replaceAll, guard)),
    delete: (at, guard) => changes.remove(at, guard),
    commit: (set, guard) => changes.commit(set, guard),
    async uploadFiles(files, guard) {
      const answers: FileUploadResponse[] = [];
      for (const [at, content] of files) {
        const result = await changes.one(at, async (real) => {
          const [answer] = await shadow.uploadFiles([[real, content]], guard);
          return answer?.error ? { error: answer.error, errorKind: "denied" as const } : {};
        });
        answers.push({
          path: at,
          error: "error" in result && result.error !== undefined ? "permission_denied" : null,
        });
      }
      return answers;
    },
    ...(base.contains ? { contains: base.contains.bind(base) } : {}),
    ...(base.observe ? { observe: base.observe.bind(base) } : {}),
    ...(base.record ? { record: base.record.bind(base) } : {}),
    ...(base.restrict && shadow.restrict
      ? {
          restrict: (access) =>
            staging({
              ...parts,
              base: base.restrict!(access),
              shadow: shadow.restrict!(access) as Staging["shadow"],
            }),
        }
      : {}),
    pending: () => area.entries().size,
    staged: () => stagedChanges(parts),
    accept: (selection) => area.alone(() => acceptStaged(parts, selection)),
    reject: (selection) => area.alone(() => rejectStaged(parts, selection)),
  };
};

/** Takes changes into the staging area. */
class StagedChanges {
  readonly #parts: Staging;

  constructor(parts: Staging) {
    this.#parts = parts;
  }

  /** A change of one file, which `change` makes to its staged copy. */
  one<Result extends object>(
    at: string,
    change: (real: string) => Result | Promise<Result>,
  ): Promise<Result | FileFailure> {
    return this.#parts.area.alone(async () => {
      const probed = await probeFile(this.#parts.base, at);
      if ("error" in probed) return probed;
      const ready = await this.#copy(probed);
      if (ready) return ready;
      const result = await change(probed.path);
      await this.#settle([probed], (result as Partial<FileFailure>).error === undefined);
      return "path" in result ? { ...result, path: at } : result;
    });
  }

  commit(set: readonly FileChange[], guard: ChangeGuard | undefined): Promise<CommitResult> {
    return this.#parts.area.alone(async () => {
      const probed = new Map<string, ProbedFile>();
      const real: FileChange[] = [];
      for (const [failedAt, change] of set.entries()) {
        const itself = change.kind === "delete" || change.kind === "rename";
        const found: ProbedFile[] = [];
        for (const [nth, at] of pathsOf(change).entries()) {
          const each = await probeEntry(this.#parts.base, at, itself && nth === 0);
          if ("error" in each) return { ...each, failedAt };
          found.push(each);
          probed.set(each.path, probed.get(each.path) ?? each);
        }
        const [from, to] = found;
        const moved = change.kind === "rename" ? { to: to?.path ?? change.to } : {};
        real.push({ ...change, path: from?.path ?? change.path, ...moved });
        if (change.kind === "rename" && from && to && to.mode === undefined && from.mode !== undefined)
          probed.set(to.path, { ...to, mode: from.mode });
      }
      for (const each of probed.values()) {
        const failure = await this.#copy(each);
        if (failure) return failure;
      }
      const result = await this.#parts.shadow.commit(real, guard);
      await this.#settle([...probed.values()], result.error === undefined);
      return result.error === undefined ? { ...result, atomic: true } : result;
    });
  }

  remove(at: string, guard: ChangeGuard | undefined): Promise<DeleteResult> {
    return this.#parts.area.alone(async () => {
      const { area, base, mount } = this.#parts;
      const place = await base.locate?.(at);
      const staged = place && "path" in place ? this.#below(place.path) : [];
      if (place && "path" in place && area.entries().get(place.path)?.deleted)
        return refuse("not_found", `${mount}${at}: it does not exist.`);
      const gone: { path: string; content: Buffer | undefined; mode: number }[] = [];
      let others = 0;
      let receipt: FileReceipt | undefined;
      const result = await base.delete(at, {
        ...(guard?.before ? { before: guard.before.bind(guard) } : {}),
        async ready(planned) {
          for (const { target } of planned) {
            others += await target.eachFile(async (file) => {
              gone.push(file);
            });
            receipt = { file: target.file, hashBefore: null, hashAfter: null };
          }
          await guard?.ready?.(planned);
          throw new FileError("conflict", "It is staged instead.");
        },
      });
      if (!receipt) {
        // Nothing is there but what was staged.
        const isNew = (result as Partial<FileFailure>).errorKind === "not_found";
        if (!isNew || staged.every(([, { deleted }]) => deleted)) return result;
        return this.#removeStaged((place as { path: string }).path, staged, guard);
      }
      if (others > 0)
        return refuse(
          "denied",
          `${receipt.file} holds links or special files, whose deletion cannot be staged.`,
        );
      if (gone.some(({ content }) => content === undefined))
        return refuse("too_large", `${receipt.file} is, or holds, a file too large to be staged.`);
      const known = area.entries();
      const isLive = (each: string): boolean => known.get(each)?.deleted !== true;
      if (![...gone.map((each) => each.path), ...staged.map(([each]) => each)].some(isLive))
        return gone.length > 0
          ? refuse("not_found", `${receipt.file}: it does not exist.`)
          : refuse("denied", `${receipt.file} is an empty directory, whose deletion cannot be staged.`);
      for (const [each, { base: made }] of staged) if (made === null) await drop(this.#parts, each);
      for (const { path: each, content, mode } of gone) {
        // Of what was staged already the deletion is based on what that was based on.
        const entry = known.get(each) ?? { base: area.keepBase(content as Buffer), mode };
        area.set(each, { ...entry, deleted: true });
        await unreported(() => this.#parts.shadow.delete(each));
      }
      reportToCall({ ok: true });
      this.#parts.options.onStaged?.(receipt.file);
      guard?.after?.(receipt);
      return { path: at, filesUpdate: null };
    });
  }

  async #removeStaged(
    at: string,
    staged: readonly [string, StagedEntry][],
    guard: ChangeGuard | undefined,
  ): Promise<DeleteResult> {
    const result = await this.#parts.shadow.delete(at, guard);
    if (result.error === undefined) for (const [each] of staged) this.#parts.area.set(each, undefined);
    return result;
  }

  #below(at: string): [string, StagedEntry][] {
    return [...this.#parts.area.entries()].filter(([each]) => each === at || each.startsWith(`${at}/`));
  }

  /** Puts a copy of the file where the change is made; says what is wrong when there is none to be had. */
  async #copy({ path: at, file, content }: ProbedFile): Promise<FileFailure | undefined> {
    const { area, shadow } = this.#parts;
    if (area.entries().has(at)) return undefined;
    // Of a process that was killed before it wrote into the index.
    await unreported(() => shadow.delete(at));
    if (content === null) return undefined;
    if (content === undefined) return refuse("too_large", `${file} is too large to be staged.`);
    const [answer] = await unreported(() => shadow.uploadFiles([[at, content]]));
    return answer?.error ? refuse("failed", `${file} could not be staged.`) : undefined;
  }

  /** Writes into the index what became of the copies. */
  async #settle(probed: readonly ProbedFile[], done: boolean): Promise<void> {
    const { area, shadow, options } = this.#parts;
    for (const { path: at, file, content, mode } of probed) {
      const entry = area.entries().get(at);
      if (!done) {
        if (!entry) await unreported(() => shadow.delete(at));
        continue;
      }
      const base = entry ? entry.base : content ? area.keepBase(content) : null;
      const now = await contentOf(shadow, at);
      if ((now && hashOf(now)) === base) await drop(this.#parts, at);
      else area.set(at, { base, ...(mode === undefined ? {} : { mode }), ...(now ? {} : { deleted: true }) });
      options.onStaged?.(file);
    }
  }
}
