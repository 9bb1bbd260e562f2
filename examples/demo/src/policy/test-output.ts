import { failuresInSpec } from "./spec-reporter.js";
import { failuresInTap } from "./tap-reporter.js";
import { frameIn, type Frame, type TestFailure, type TestRun } from "./test-run.js";

const summary = (output: string, name: string): number | undefined => {
  const found = new RegExp(String.raw`^(?:#|ℹ) ${name} ([\d.]+)\s*$`, "m").exec(output);
  return found ? Number(found[1]) : undefined;
};

const CRASH = /^(?:# )?(?:Uncaught )?((?:[A-Z]\w*)?Error)(?: \[[^\]]*\])?: (.*)$/;

/**
 * A file that could not be loaded is reported as a failing test named after the file, and why stands outside of any
 * test, as the process wrote it: where, the line of code, the error and its stack.
 */
const crashes = (output: string): readonly { errorName: string; message: string; frames: Frame[] }[] => {
  const lines = output.split("\n").map((line) => line.replace(/^# ?/, ""));
  return lines.flatMap((line, index) => {
    const error = CRASH.exec(line);
    if (!error) return [];
    const above = lines
      .slice(Math.max(0, index - 6), index)
      .findLast((text) => /^(?:file:\/\/)?\/\S+:\d+$/.test(text));
    const stack = lines.slice(index + 1).findIndex((text) => !/^\s+at /.test(text));
    const frames = [above ?? "", ...lines.slice(index + 1, stack < 0 ? undefined : index + 1 + stack)]
      .map(frameIn)
      .filter((frame) => frame !== undefined);
    return [{ errorName: error[1] ?? "", message: error[2] ?? "", frames }];
  });
};

const withCrash = (failure: TestFailure, output: string): TestFailure => {
  const namesFile = /\.[cm]?[jt]sx?$/.test(failure.name);
  if (!namesFile || failure.frames.length > 0) return failure;
  const all = crashes(output);
  const crash = all.find(({ frames }) => frames.some((frame) => frame.file.endsWith(failure.name))) ?? all[0];
  return crash ? { ...failure, ...crash } : failure;
};

/** Reads the answer of the `run_tests` tool: its verdict, and what node:test printed in TAP or in the spec format. */
export const parseTestRun = (text: string): TestRun => {
  const [firstLine = "", ...rest] = text.split("\n");
  const commandLine = rest.findIndex((line) => line.startsWith("$ "));
  const output = rest
    .slice(commandLine + 1)
    .join("\n")
    .replaceAll("\r", "");
  const tap = /^TAP version \d+$/m.test(output) || /^(?:not )?ok \d+/m.test(output);
  const failures = (tap ? failuresInTap(output) : failuresInSpec(output)).map((one) =>
    withCrash(one, output),
  );
  const total = summary(output, "tests");
  const passed = summary(output, "pass");
  return {
    verdict: /^Tests passed/i.test(firstLine)
      ? "passed"
      : /^Tests failed/i.test(firstLine)
        ? "failed"
        : "unfinished",
    firstLine,
    command: commandLine < 0 ? "" : (rest[commandLine] ?? "").slice(2),
    output,
    failures,
    counts: total === undefined || passed === undefined ? undefined : { total, passed },
    durationMs: summary(output, "duration_ms") ?? 0,
  };
};

/** There is nothing to run: no package.json, no test script, npm's placeholder, or a runner that found no test. */
export const hasNoTests = (run: TestRun): boolean =>
  /Missing script: "?test|no test specified|ENOENT[^\n]*package\.json|No test command was found|no tests? (?:were )?found/i.test(
    `${run.firstLine}\n${run.output}`,
  ) || run.counts?.total === 0;
