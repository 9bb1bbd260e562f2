/** A line of a stack that names a file. The path is the runner's: absolute, a file URL, or relative to the project. */
export interface Frame {
  readonly file: string;
  readonly line: number;
}

/** Two values where one was expected and the other came, in the runner's notation. */
export interface ValuePair {
  readonly expected: string;
  readonly actual: string;
}

/** One failing test. */
export interface TestFailure {
  readonly name: string;
  /** Where the test stands. */
  readonly location: Frame | undefined;
  /** "AssertionError", "TypeError"; "" when the runner did not say. */
  readonly errorName: string;
  readonly message: string;
  /** The operator of the assertion, such as "strictEqual" or "throws". */
  readonly operator: string;
  /** Expected against actual: the two whole values when they are simple, else the leaves that differ. */
  readonly pairs: readonly ValuePair[];
  /** Innermost first, without the runner's own frames. */
  readonly frames: readonly Frame[];
}

/** What one run of the tests said. */
export interface TestRun {
  readonly verdict: "passed" | "failed" | "unfinished";
  readonly firstLine: string;
  readonly command: string;
  readonly output: string;
  readonly failures: readonly TestFailure[];
  /** Counts from the runner's summary; undefined when it printed none. */
  readonly counts: { readonly total: number; readonly passed: number } | undefined;
  readonly durationMs: number;
}

/** Names a failing test the same way in every run. Tests are never edited, so their lines do not move. */
export const failureKey = (failure: TestFailure): string =>
  `${failure.name} @ ${failure.location?.file ?? ""}:${failure.location?.line ?? 0}`;

const PATH = String.raw`(?:file:\/\/)?((?:[A-Za-z]:)?[^\s():]+\.(?:[cm]?[jt]sx?))`;
const FRAME = new RegExp(String.raw`${PATH}:(\d+)(?::\d+)?`);

/** The file and line in a line of a stack; undefined for the runner's own and Node's. */
export const frameIn = (line: string): Frame | undefined => {
  if (/\bnode:/.test(line) || line.includes("node_modules")) return undefined;
  const match = FRAME.exec(line);
  return match?.[1] ? { file: decodeURI(match[1]), line: Number(match[2]) } : undefined;
};

const bare = (line: string): string =>
  line
    .slice(1)
    .trim()
    .replace(/,$/, "")
    .replace(/^(?:[\w$]+|'[^']*'|"[^"]*"): /, "");

/**
 * The leaves that differ, from the lines marked + and - in an assertion's message: Node marks what came with + and what
 * was expected with -, and prints each run of marked lines together.
 */
export const pairsInDiff = (message: string): readonly ValuePair[] => {
  const pairs: ValuePair[] = [];
  let came: string[] = [];
  let wanted: string[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(came.length, wanted.length); index += 1) {
      pairs.push({ expected: wanted[index] ?? "", actual: came[index] ?? "" });
    }
    came = [];
    wanted = [];
  };
  for (const line of message.split("\n")) {
    if (/^\s*\+ actual - expected/.test(line)) continue;
    const text = line.trimStart();
    if (/^\+(?: |$)/.test(text)) {
      // Actual lines come first in a group, so one that follows an expected line starts a new group.
      if (wanted.length > 0) flush();
      came.push(bare(text));
    } else if (/^-(?: |$)/.test(text)) wanted.push(bare(text));
    else if (!/^\^?$/.test(text)) flush();
  }
  flush();
  return pairs;
};

/** `-1 !== 3`, the short form of a failed comparison of two simple values. */
export const pairInShortForm = (message: string): ValuePair | undefined => {
  const match = /^\s*(.+?) (?:!==|!=) (.+?)\s*$/m.exec(message);
  return match?.[1] && match[2] ? { actual: match[1], expected: match[2] } : undefined;
};
