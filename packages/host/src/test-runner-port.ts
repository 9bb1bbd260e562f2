import type { ProcessEnding } from "./process-port.js";

export type TestRunnerName =
  | "vitest"
  | "jest"
  | "node"
  | "mocha"
  | "pytest"
  | "go"
  | "cargo"
  /** The `test` script of package.json, when nothing above was recognised. */
  | "npm";

/** A runner that the workspace uses, and how it was recognised. */
export interface DetectedTestRunner {
  runner: TestRunnerName;
  /** What would be run without files and filter: a program and its arguments. */
  command: readonly string[];
  /** What it was recognised by: a file or an entry of a manifest. */
  evidence: string;
}

export interface TestRunRequest {
  /** Default: the first runner detected. `not_found` when there is none. */
  runner?: TestRunnerName;
  /** Run this line in the shell instead; its output is read as `runner`'s, or as whatever it looks like. */
  command?: string;
  /** Test files (for go and cargo: packages) to run, relative to `cwd`; default all. */
  files?: readonly string[];
  /** Only tests whose name matches, as the runner reads it (-t, -k, -run, …). */
  filter?: string;
  /** A directory below the root with a project of its own; default the root. */
  cwd?: string;
}

export interface TestRunOptions {
  signal?: AbortSignal;
  /** Longest run in milliseconds; default 600,000. */
  timeoutMs?: number;
  /** Most bytes of output in the result, half from the start and half from the end; default 200,000. */
  maxOutputBytes?: number;
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
}

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  total: number;
}

export interface TestFailure {
  name: string;
  file?: string;
  line?: number;
  message: string;
}

export interface TestRunResult {
  runner: TestRunnerName | "unknown";
  command: string;
  ending: ProcessEnding;
  /**
   * - "passed": exit code 0, no failure was counted, and at least one test ran as far as was counted;
   * - "failed": a failure was counted, or the exit code says so, whatever was counted;
   * - "incomplete": it was stopped (timeout, abort, signal), never started, or it ran no test.
   */
  outcome: "passed" | "failed" | "incomplete";
  /** Whether the counts were read from the output. They are never guessed. */
  parsed: boolean;
  /** Present when `parsed`. */
  counts?: TestCounts;
  failures: readonly TestFailure[];
  /** What a reader must know: exit code and counts disagree, no test ran, the output was cut. */
  notes: readonly string[];
  output: string;
  omittedBytes: number;
  truncated: boolean;
  durationMs: number;
}

/** Runs the workspace's tests and reads what came out. Refusals are `HostError`s: `not_found`, `invalid_argument`, `outside_root`. */
export interface TestRunnerPort {
  /** Every runner that was recognised, the likeliest first. */
  detect(options?: { cwd?: string; signal?: AbortSignal }): Promise<readonly DetectedTestRunner[]>;
  run(request?: TestRunRequest, options?: TestRunOptions): Promise<TestRunResult>;
}
