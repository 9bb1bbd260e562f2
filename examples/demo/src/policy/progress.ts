import { applyEdit, inverse, sameEdit, type Edit } from "./edits.js";
import { textArg, type Step } from "./history.js";
import { withPage, type KnownFile } from "./known-files.js";
import { parseTestRun } from "./test-output.js";
import { failureKey, type TestRun } from "./test-run.js";

/** A change that was tried, in the order of its life. */
export type AttemptState =
  /** The edit was asked for and its answer is not known to be good: the file has to be looked at. */
  | "unsure"
  /** The file holds the change; the tests have not been run on it. */
  | "applied"
  /** The tests said no; the file still holds the change. */
  | "rejected"
  /** Like `unsure`, for the edit that takes the change back. */
  | "reverting"
  /** Taken back. */
  | "reverted"
  /** The edit could not be made. */
  | "refused"
  /** Made a failing test pass and broke none. */
  | "kept"
  /** Like `unsure`, for the edit that takes a kept change back because it led nowhere. */
  | "withdrawing"
  /** Was kept for a while and is taken back. */
  | "withdrawn"
  /** Cannot be taken back: the edit fails again and again. */
  | "stuck";

export interface Attempt {
  readonly edit: Edit;
  state: AttemptState;
  /** The file before the change. */
  readonly source: string;
  /** Which changes were kept when this one was tried: the same change may do more on another base. */
  readonly base: string;
  /** What was known when it was tried, to go back to. */
  readonly acceptedBefore: TestRun | undefined;
  readonly reportBefore: string | undefined;
  failedReverts: number;
  /** The answer to the edit never came. */
  readonly cutOff: boolean;
}

/** Where the work stands, computed from the steps so far and from nothing else. */
export interface Progress {
  /** The first run of the tests. */
  baseline: TestRun | undefined;
  /** The last run that every later one has to beat. */
  accepted: TestRun | undefined;
  attempts: Attempt[];
  /** The delegate's report on the failures of `accepted`. */
  report: string | undefined;
  reports: number;
  files: Map<string, KnownFile>;
  /** Todos as last written, as JSON. */
  todos: string;
  /** What was read since all tests pass: the files as they are at the end. */
  rereading: Map<string, KnownFile>;
}

const isOpen = (attempt: Attempt | undefined): attempt is Attempt =>
  attempt !== undefined &&
  ["unsure", "applied", "rejected", "reverting", "withdrawing"].includes(attempt.state);

export const openAttempt = (progress: Progress): Attempt | undefined => progress.attempts.findLast(isOpen);

export const keptAttempts = (progress: Progress): readonly Attempt[] =>
  progress.attempts.filter(({ state }) => state === "kept");

/** Names the set of kept changes. */
export const baseOf = (progress: Progress): string =>
  JSON.stringify(keptAttempts(progress).map(({ edit }) => edit));

export const textIn = (progress: Progress, path: string): string | undefined => {
  const file = progress.files.get(path);
  return file?.complete && !file.problem ? file.lines.join("\n") : undefined;
};

/** A run is better when it fails in fewer places, in no new one, and no test got lost on the way. */
export const improves = (before: TestRun, after: TestRun): boolean => {
  if (after.verdict === "unfinished") return false;
  if (before.counts && after.counts && after.counts.total < before.counts.total) return false;
  if (after.verdict === "passed") return true;
  if (before.counts && after.counts && after.counts.passed <= before.counts.passed) return false;
  const failed = new Set(before.failures.map(failureKey));
  return (
    after.failures.length > 0 &&
    after.failures.length < failed.size &&
    after.failures.every((one) => failed.has(failureKey(one)))
  );
};

const editOf = (step: Step): Edit => ({
  path: textArg(step, "file_path"),
  before: textArg(step, "old_string"),
  after: textArg(step, "new_string"),
});

const setText = (progress: Progress, path: string, text: string): void => {
  progress.files.set(path, { lines: text.split("\n"), complete: true });
};

const onTests = (progress: Progress, step: Step): void => {
  // A run that was cut off says nothing about the code; it is simply done again.
  if (step.cancelled) return;
  const run = parseTestRun(step.result ?? "");
  const attempt = openAttempt(progress);
  if (!progress.accepted || !attempt) {
    progress.baseline ??= run;
    progress.accepted = run;
    return;
  }
  if (attempt.state !== "applied") return;
  if (improves(progress.accepted, run)) {
    attempt.state = "kept";
    progress.accepted = run;
    progress.report = undefined;
  } else attempt.state = "rejected";
};

const withdraw = (progress: Progress, attempt: Attempt): void => {
  attempt.state = "withdrawn";
  progress.accepted = attempt.acceptedBefore;
  progress.report = attempt.reportBefore;
};

/** Reverts that fail so often will not succeed either. */
const REVERT_TRIES = 3;

const onEdit = (progress: Progress, step: Step): void => {
  const edit = editOf(step);
  const open = openAttempt(progress);
  const source = textIn(progress, edit.path);
  // Without the text before there is nothing to compare with; the next read decides.
  const result = step.failed || source === undefined ? undefined : applyEdit(source, edit);
  if (result === undefined) progress.files.delete(edit.path);
  else setText(progress, edit.path, result);
  const done = result !== undefined;
  const kept = keptAttempts(progress).at(-1);
  if (open && sameEdit(edit, inverse(open.edit))) {
    open.state = done ? "reverted" : "reverting";
    if (!done) open.failedReverts += 1;
  } else if (!open && kept && sameEdit(edit, inverse(kept.edit))) {
    if (done) withdraw(progress, kept);
    else {
      kept.state = "withdrawing";
      kept.failedReverts += 1;
    }
  } else if (!open) {
    progress.attempts.push({
      edit,
      state: done ? "applied" : "unsure",
      source: source ?? "",
      base: baseOf(progress),
      acceptedBefore: progress.accepted,
      reportBefore: progress.report,
      failedReverts: 0,
      cutOff: step.cancelled,
    });
  }
};

/** After an edit with an unclear end the file itself says whether it was made. */
const settle = (progress: Progress, path: string): void => {
  const attempt = openAttempt(progress);
  if (!attempt || attempt.edit.path !== path) return;
  const text = textIn(progress, path);
  if (text === undefined) {
    // A file that cannot be read any more cannot be worked on either; leave it and go on.
    if (progress.files.get(path)?.problem) attempt.state = "refused";
    return;
  }
  const holdsChange = text === applyEdit(attempt.source, attempt.edit);
  if (attempt.state === "unsure") {
    attempt.state = holdsChange ? "applied" : "refused";
    // It was never tried, so it may be tried again.
    if (!holdsChange && attempt.cutOff)
      progress.attempts = progress.attempts.filter((one) => one !== attempt);
  } else if (holdsChange && attempt.failedReverts >= REVERT_TRIES) attempt.state = "stuck";
  else if (attempt.state === "reverting") attempt.state = holdsChange ? "rejected" : "reverted";
  else if (attempt.state === "withdrawing") {
    if (holdsChange) attempt.state = "kept";
    else withdraw(progress, attempt);
  }
};

const onRead = (progress: Progress, step: Step): void => {
  const path = textArg(step, "file_path");
  const known = progress.files.get(path);
  // A read from the top replaces what was known, anything else goes on where the last one stopped.
  const fresh = Number(step.args["offset"] ?? 0) === 0;
  progress.files.set(path, withPage(fresh ? undefined : known, step));
  settle(progress, path);
  if (progress.accepted?.verdict === "passed") {
    progress.rereading.set(path, withPage(fresh ? undefined : progress.rereading.get(path), step));
  }
};

export const progressOf = (steps: readonly Step[]): Progress => {
  const progress: Progress = {
    baseline: undefined,
    accepted: undefined,
    attempts: [],
    report: undefined,
    reports: 0,
    files: new Map(),
    todos: "",
    rereading: new Map(),
  };
  for (const step of steps) {
    if (step.result === undefined) continue;
    if (step.tool === "run_tests") onTests(progress, step);
    else if (step.tool === "edit_file") onEdit(progress, step);
    else if (step.tool === "read_file") onRead(progress, step);
    else if (step.tool === "write_todos") progress.todos = JSON.stringify(step.args["todos"] ?? []);
    else if (step.tool === "task" && !step.cancelled) {
      progress.report = step.result;
      progress.reports += 1;
    }
  }
  return progress;
};
