import type { TestFailure, TestRun } from "./test-run.js";

/**
 * What main agent and delegate say to each other. They share nothing but text, so each side of the conversation is
 * written and read here: the brief goes down, the report comes back.
 */

/** What the delegate has to know about one failing test. Paths are the runner's. */
export interface BriefedFailure {
  readonly name: string;
  readonly at: { readonly file: string; readonly line: number } | undefined;
  /** Error, expected and actual on one line, for the reader. */
  readonly what: string;
  readonly stack: readonly { readonly file: string; readonly line: number }[];
  /** The text of the error, for the names in it. */
  readonly message: string;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const place = (at: { file: string; line: number }): string => `${at.file}:${at.line}`;

/** At most this many failures go into a brief; more of them would not tell more. */
const BRIEFED_FAILURES = 6;

/** "expected 3, got -1", or the error when nothing was compared. */
export const whatFailed = (failure: TestFailure): string => {
  const pair = failure.pairs.find(({ expected, actual }) => expected !== "" || actual !== "");
  const compared = pair ? `expected ${pair.expected || "nothing"}, got ${pair.actual || "nothing"}` : "";
  const message = oneLine(failure.message.split("\n")[0] ?? "");
  if (compared && ["AssertionError", ""].includes(failure.errorName)) return oneLine(compared).slice(0, 200);
  return oneLine(`${failure.errorName}: ${message}`).slice(0, 200);
};

export const writeBrief = (run: TestRun): string => {
  const failures = run.failures
    .slice(0, BRIEFED_FAILURES)
    .map((failure, index) =>
      [
        `Failure ${index + 1}: ${oneLine(failure.name)}`,
        `  test: ${failure.location ? place(failure.location) : "unknown"}`,
        `  what: ${whatFailed(failure)}`,
        `  error: ${oneLine(failure.message).slice(0, 400)}`,
        `  stack: ${failure.frames.map(place).join(" < ") || "none"}`,
      ].join("\n"),
    );
  return [
    "Survey why these tests fail. Read the failing tests and follow what they import; change nothing.",
    "Report the places most likely at fault, most likely first, with file, lines and code.",
    "The test runner prints real paths; you see the same files under /workspace/.",
    "",
    ...failures,
  ].join("\n");
};

const readPlace = (text: string): { file: string; line: number } | undefined => {
  const match = /^(.+):(\d+)$/.exec(text.trim());
  return match?.[1] ? { file: match[1], line: Number(match[2]) } : undefined;
};

export const readBrief = (text: string): readonly BriefedFailure[] =>
  text
    .split(/^Failure \d+: /m)
    .slice(1)
    .map((part) => {
      const field = (name: string): string => new RegExp(`^  ${name}: (.*)$`, "m").exec(part)?.[1] ?? "";
      return {
        name: part.split("\n")[0] ?? "",
        at: readPlace(field("test")),
        what: field("what"),
        message: field("error"),
        stack: field("stack")
          .split(" < ")
          .map(readPlace)
          .filter((frame) => frame !== undefined),
      };
    });

/** A stretch of source that may hold the fault. */
export interface Suspect {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly name: string;
  /** 0 to 1, comparable within one report only. */
  readonly score: number;
  /** Lines inside that a stack named. */
  readonly stackLines: readonly number[];
  readonly why: string;
}

/** Code lines shown for one suspect. */
const SHOWN_LINES = 24;

export const writeReport = (
  suspects: readonly Suspect[],
  lineAt: (path: string, line: number) => string,
  notes: readonly string[],
): string => {
  const entries = suspects.map((suspect, index) => {
    const stack = suspect.stackLines.length > 0 ? `, stack at ${suspect.stackLines.join(" ")}` : "";
    const head =
      `${index + 1}. ${suspect.path}:${suspect.firstLine}-${suspect.lastLine} \`${suspect.name}\` ` +
      `(score ${suspect.score.toFixed(3)}${stack}): ${suspect.why}`;
    const shown = Math.min(suspect.lastLine, suspect.firstLine + SHOWN_LINES - 1);
    const code: string[] = [];
    for (let line = suspect.firstLine; line <= shown; line += 1) {
      code.push(`   ${String(line).padStart(4)}| ${lineAt(suspect.path, line)}`);
    }
    if (shown < suspect.lastLine) code.push(`       … ${suspect.lastLine - shown} more lines`);
    return [head, ...code].join("\n");
  });
  return [
    suspects.length > 0 ? "Suspects, most likely first:" : "No suspects found.",
    "",
    ...entries,
    "",
    ...notes,
  ].join("\n");
};

const TESTS = "Failing tests are in: ";

export const testsNote = (paths: readonly string[]): string => TESTS + paths.join(", ");

/** The test files that a report names. */
export const readTestPaths = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith(TESTS))
    .flatMap((line) => line.slice(TESTS.length).split(", "))
    .filter((path) => path.startsWith("/"));

const SUSPECT = /^\d+\. (\/.+):(\d+)-(\d+) `(.*)` \(score ([\d.]+)(?:, stack at ([\d ]+))?\): (.*)$/gm;

export const readReport = (text: string): readonly Suspect[] =>
  [...text.matchAll(SUSPECT)].map((match) => ({
    path: match[1] ?? "",
    firstLine: Number(match[2]),
    lastLine: Number(match[3]),
    name: match[4] ?? "",
    score: Number(match[5]),
    stackLines: (match[6] ?? "").split(" ").filter(Boolean).map(Number),
    why: match[7] ?? "",
  }));
