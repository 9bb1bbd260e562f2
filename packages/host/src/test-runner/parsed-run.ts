import type { TestCounts, TestFailure } from "../test-runner-port.js";

/** What a runner's output says. `counts` is absent when it says nothing, or not enough. */
export interface ParsedRun {
  /** Of all summaries together: a monorepo prints one for each of its packages. */
  counts?: TestCounts;
  /** How many summaries that are, of a runner that prints one a run; default 1. */
  summaries?: number;
  failures: TestFailure[];
}

export type OutputParser = (output: string) => ParsedRun;

const MAX_MESSAGE = 2_000;

export const failureOf = (
  name: string,
  message: string,
  place: { file?: string | undefined; line?: number | undefined } = {},
): TestFailure => ({
  name: name.trim(),
  ...(place.file === undefined ? {} : { file: place.file }),
  ...(place.line === undefined ? {} : { line: place.line }),
  message: dedent(message).slice(0, MAX_MESSAGE),
});

/** Without the indent that all lines share, and blank lines around. */
const dedent = (text: string): string => {
  const lines = text
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd()
    .split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = indents.length > 0 ? Math.min(...indents) : 0;
  return lines.map((line) => line.slice(indent)).join("\n");
};

/** The first "file:line" in a stack that is not the runner's or the platform's. */
export const placeIn = (stack: string): { file?: string; line?: number } => {
  for (const match of stack.matchAll(
    /(?:\(|at |❯ |\s)((?:file:\/\/)?[\w./\\@+-]+\.\w+):(\d+)(?::\d+)?\)?/g,
  )) {
    const file = match[1] as string;
    if (/node_modules|^node:|^internal\//.test(file)) continue;
    return { file: file.replace(/^file:\/\//, ""), line: Number(match[2]) };
  }
  return {};
};

/** "2 failed | 3 passed" and the like as numbers by word. */
export const numbersByWord = (text: string): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const [, number, word] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    if (word !== undefined) found[word.replace(/s$/, "")] = Number(number);
  }
  return found;
};

export const countsOf = (passed = 0, failed = 0, skipped = 0): TestCounts => ({
  passed,
  failed,
  skipped,
  total: passed + failed + skipped,
});

/** What several summaries say together; nothing when there is none. */
export const added = (all: readonly TestCounts[]): Pick<ParsedRun, "counts" | "summaries"> => {
  if (all.length === 0) return {};
  const sum = (pick: (counts: TestCounts) => number): number =>
    all.reduce((total, each) => total + pick(each), 0);
  return {
    counts: countsOf(
      sum((each) => each.passed),
      sum((each) => each.failed),
      sum((each) => each.skipped),
    ),
    summaries: all.length,
  };
};

/** Pieces of a text that start with a heading, as heading and body. */
export const sections = (text: string, heading: RegExp): { heading: RegExpMatchArray; body: string }[] => {
  const all = [...text.matchAll(heading)];
  return all.map((match, index) => ({
    heading: match,
    body: text.slice((match.index ?? 0) + match[0].length, all[index + 1]?.index ?? text.length),
  }));
};
