import type { Progress } from "./progress.js";
import { whatFailed } from "./survey.js";
import type { TestRun } from "./test-run.js";

/** What the agent says at the end. Every ending is plain about what was done and what was not. */

const counted = (run: TestRun): string =>
  run.counts ? `${run.counts.passed} of ${run.counts.total} pass` : run.firstLine.replace(/\.$/, "");

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

export const answerNoTools = (missing: readonly string[]): string =>
  `I cannot work on this: I was not given ${missing.join(", ")}. I changed nothing.`;

export const answerNothingToDo = (run: TestRun): string =>
  `The tests already pass (${counted(run)}), so there is nothing to fix. I changed nothing.`;

export const answerNoTests = (run: TestRun): string =>
  `This project has no tests that I can run (\`${run.command || "npm test"}\`: ${firstWords(run)}). ` +
  "Without a failing test I have nothing to go by, so I changed nothing.";

export const answerUnreadable = (run: TestRun): string =>
  `${run.firstLine} The output names no failing test that I can read, so I have nothing to go by and changed nothing. ` +
  `It says: ${firstWords(run)}`;

const firstWords = (run: TestRun): string =>
  (
    run.output.split("\n").find((line) => line.trim() !== "" && !/^(?:>|TAP version)/.test(line)) ??
    run.firstLine
  )
    .trim()
    .slice(0, 200);

const causes = (progress: Progress): readonly string[] =>
  (progress.baseline?.failures ?? [])
    .slice(0, 4)
    .map((failure) => `"${failure.name}": ${whatFailed(failure)}`);

const tests = (progress: Progress): string =>
  `Tests before: ${progress.baseline ? counted(progress.baseline) : "unknown"}. ` +
  `Tests after: ${progress.accepted ? counted(progress.accepted) : "unknown"}. ` +
  `Changes tried: ${progress.attempts.length}.`;

export const answerGreen = (
  progress: Progress,
  changes: readonly string[],
  changedByOthers: readonly string[],
): string =>
  [
    "Fixed: all tests pass.",
    "",
    `Failing before:\n${list(causes(progress))}`,
    "",
    `Cause and change:\n${list(changes)}`,
    ...(changedByOthers.length > 0
      ? ["", `Not only by me changed since: ${changedByOthers.join(", ")}.`]
      : []),
    "",
    tests(progress),
  ].join("\n");

export const answerGivenUp = (progress: Progress, changes: readonly string[]): string => {
  const stuck = progress.attempts.find(({ state }) => state === "stuck");
  const kept = stuck
    ? `A change in ${stuck.edit.path} could not be taken back; look at that file.`
    : changes.length > 0
      ? `These changes made tests pass, broke none and stay:\n${list(changes)}\nEverything else was taken back.`
      : "Everything was taken back; the files are as they were.";
  const open = (progress.accepted?.failures ?? []).map(
    (failure) => `"${failure.name}": ${whatFailed(failure)}`,
  );
  return [
    `Not fixed: ${progress.attempts.length} small changes tried, and tests still fail.`,
    "",
    `Still failing:\n${list(open.slice(0, 6))}`,
    "",
    kept,
    "",
    tests(progress),
  ].join("\n");
};
