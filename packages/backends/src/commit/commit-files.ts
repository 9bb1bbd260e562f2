import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { ChangeGuard } from "../workspace/change-guard.js";
import { confirmUnchanged } from "../workspace/changing.js";
import { fileErrorOf, FileError } from "../workspace/file-error.js";
import { hashOf } from "../workspace/file-content.js";
import { syncDirectory } from "../workspace/replace-file.js";
import { parsePath } from "../workspace/virtual-path.js";
import type { WorkspaceRoot } from "../workspace/workspace-root.js";
import { removeRecord, writeRecord, type RecordedChange } from "./commit-record.js";
import { pathsOf, type CommitResult, type FileChange } from "./file-change.js";
import { Plan, PlanError, type PlannedFile } from "./plan.js";

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const temporaryName = (): string => `.fiveseam-${randomBytes(8).toString("hex")}.tmp`;

/** A file of the set, and what was prepared for it. */
interface Step {
  readonly file: PlannedFile;
  /** Beside it; null when it goes. */
  readonly temporary: string | null;
}

const recorded = ({ file, temporary }: Step): RecordedChange => ({
  directory: file.place.parts.slice(0, -1),
  name: file.place.name,
  temporary,
  before: file.before ? hashOf(file.before) : null,
});

/** Puts bytes beside a file, with the mode and the owner of what is there. */
const prepare = ({ place, mode }: PlannedFile, name: string, bytes: Uint8Array, fsync: boolean): void => {
  const fd = openSync(place.directory.at(name), CREATE, 0o666);
  try {
    writeFileSync(fd, bytes);
    const { stats } = place;
    if (stats) {
      const now = fstatSync(fd, { bigint: true });
      if (now.uid !== stats.uid || now.gid !== stats.gid) giveTo(fd, Number(stats.uid), Number(stats.gid));
      fchmodSync(fd, Number(stats.mode & 0o7777n));
    }
    if (mode !== undefined) fchmodSync(fd, mode);
    if (fsync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

const giveTo = (fd: number, uid: number, gid: number): void => {
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    // Only root may give a file away.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
};

const discard = (steps: readonly Step[]): void => {
  for (const { file, temporary } of steps) {
    if (temporary === null) continue;
    try {
      unlinkSync(file.place.directory.at(temporary));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
};

const apply = ({ file: { place }, temporary }: Step): void => {
  const at = place.directory.at(place.name);
  if (temporary === null) unlinkSync(at);
  else renameSync(place.directory.at(temporary), at);
};

/** Puts back what was done already, as a change set of its own: a crash in between is brought to its end too. */
const putBack = (root: WorkspaceRoot, record: string, done: readonly Step[], rest: readonly Step[]): void => {
  const back = [...done].reverse().map(({ file }): { step: Step; change: RecordedChange } => {
    const temporary = file.before === null ? null : temporaryName();
    const undone: PlannedFile = { ...file, mode: undefined };
    if (temporary !== null) prepare(undone, temporary, file.before as Buffer, root.fsync);
    return {
      step: { file, temporary },
      change: {
        ...recorded({ file, temporary }),
        before: file.after ? hashOf(file.after) : null,
      },
    };
  });
  writeRecord(record, { state: "decided", changes: back.map(({ change }) => change) }, root.fsync);
  for (const { step } of back) apply(step);
  discard(rest);
};

/** Does what was planned: all of it, or nothing, whenever the process ends. */
const carryOut = async (root: WorkspaceRoot, plan: Plan, record: string): Promise<void> => {
  const steps = plan.changed.map((file): Step => ({
    file,
    temporary: file.after === null ? null : temporaryName(),
  }));
  if (steps.length === 0) return;
  const changes = steps.map(recorded);
  try {
    writeRecord(record, { state: "preparing", changes }, false);
    for (const { file, temporary } of steps) {
      const { place, after } = file;
      // A rename would get past a file that its owner made read-only.
      if (place.stats) accessSync(place.directory.at(place.name), constants.W_OK);
      if (temporary !== null) prepare(file, temporary, after as Uint8Array, root.fsync);
    }
    // From here on nothing waits.
    for (const { file } of steps) {
      confirmUnchanged(file.place);
      file.place.directory.verify();
    }
    writeRecord(record, { state: "decided", changes }, root.fsync);
  } catch (error) {
    discard(steps);
    removeRecord(record);
    throw error;
  }
  for (const [at, step] of steps.entries()) {
    try {
      apply(step);
    } catch (error) {
      putBack(root, record, steps.slice(0, at), steps.slice(at));
      removeRecord(record);
      throw error;
    }
  }
  if (root.fsync) {
    for (const directory of new Set(steps.map(({ file }) => file.place.directory.self)))
      await syncDirectory(directory);
  }
  try {
    removeRecord(record);
  } catch {
    // All is done. What stays is a small file that no lock names, and so nobody reads.
  }
};

/** Takes several changes as one. */
export const commitFiles = async (
  root: WorkspaceRoot,
  changes: readonly FileChange[],
  guard: ChangeGuard | undefined,
): Promise<CommitResult> => {
  if (!Array.isArray(changes)) throw new FileError("failed", "The changes must be a list.");
  const keys = changes.flatMap((change) => {
    const [path, to] = pathsOf(change).map((each) => parsePath(each));
    // What is deleted or renamed is the entry itself; both keys are the same unless that is a link.
    const itself = change.kind === "delete" || change.kind === "rename";
    return [
      ...(path ? [itself ? root.entryKeyOf(path) : root.keyOf(path)] : []),
      ...(to ? [root.keyOf(to)] : []),
    ];
  });
  const record = path.join(root.locks.directory, `${randomBytes(12).toString("hex")}.commit`);
  return root.locks.holdAll(keys, "A file of the change set", async (locks) => {
    const plan = new Plan(root, guard);
    let done = false;
    try {
      await plan.add(changes);
      await plan.announce();
      const receipts = plan.receipts();
      for (const lock of locks) lock.noteCommit(record);
      await carryOut(root, plan, record);
      done = true;
      for (const receipt of receipts) guard?.after?.(receipt);
      return { receipts, atomic: true };
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      const { message, kind } = fileErrorOf(error.reason, `Change ${error.at}`);
      return { error: message, errorKind: kind, failedAt: error.at };
    } finally {
      plan.close(done);
    }
  });
};
