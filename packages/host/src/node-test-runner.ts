import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { HostError } from "./errors.js";
import { OutputBuffer } from "./output-buffer.js";
import type { ProcessPort, ProcessResult } from "./process-port.js";
import type { TestRunnerName, TestRunnerPort, TestRunRequest, TestRunResult } from "./test-runner-port.js";
import { commandFor } from "./test-runner/commands.js";
import { detectRunners } from "./test-runner/detect.js";
import { parseJest, parseMocha, parseNode, parseVitest } from "./test-runner/javascript-parsers.js";
import { parseCargo, parseGo, parsePytest } from "./test-runner/other-parsers.js";
import { added, type OutputParser, type ParsedRun } from "./test-runner/parsed-run.js";

export interface NodeTestRunnerOptions {
  /** The workspace; runs start in it, or in a directory below. */
  root: string;
  /** What runs the commands: its environment, its sandbox and its limits hold for tests too. */
  process: ProcessPort;
}

const PARSERS: Record<Exclude<TestRunnerName, "npm">, OutputParser> = {
  vitest: parseVitest,
  jest: parseJest,
  node: parseNode,
  mocha: parseMocha,
  pytest: parsePytest,
  go: parseGo,
  cargo: parseCargo,
};

/** Read for the counts, whatever the caller wants to see of it. */
const PARSED_BYTES = 8 * 2 ** 20;
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[\d;?]*[A-Za-z]/g;

/**
 * Runs the tests of a workspace with the runner that it uses, and reads passes and failures from what the runner
 * prints.
 *
 * @example
 * ```ts
 * import { createNodeProcess, createNodeTestRunner } from "@fiveseam/host";
 *
 * const root = process.cwd();
 * const tests = createNodeTestRunner({ root, process: createNodeProcess({ root }) });
 * const { outcome, counts, failures } = await tests.run({ files: ["test/math.test.ts"] });
 * console.log(outcome, counts, failures[0]?.message);
 * ```
 */
export const createNodeTestRunner = (options: NodeTestRunnerOptions): TestRunnerPort => {
  const resolveRoot = async (): Promise<string> => {
    try {
      return await realpath(options.root);
    } catch (cause) {
      throw new HostError("not_found", `the directory ${options.root} does not exist`, { cause });
    }
  };

  const inside = (root: string, from: string, given: string): string => {
    const full = path.resolve(from, given);
    const way = path.relative(root, full);
    if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
      throw new HostError("outside_root", `${JSON.stringify(given)} leads out of the workspace`);
    return full;
  };

  const place = async (given: string | undefined): Promise<{ root: string; cwd: string }> => {
    const root = await resolveRoot();
    const wanted = inside(root, root, given ?? ".");
    let cwd: string;
    try {
      cwd = await realpath(wanted);
    } catch (cause) {
      throw new HostError("not_found", `the directory ${JSON.stringify(given)} does not exist`, { cause });
    }
    return { root, cwd: inside(root, root, cwd) };
  };

  const detect: TestRunnerPort["detect"] = async ({ cwd, signal } = {}) => {
    signal?.throwIfAborted();
    const where = await place(cwd);
    return detectRunners(where.root, where.cwd, (directory) => readdir(directory));
  };

  const choose = async (request: TestRunRequest): Promise<TestRunnerName> => {
    if (request.runner) return request.runner;
    const [first] = await detect(request.cwd === undefined ? {} : { cwd: request.cwd });
    if (first) return first.runner;
    throw new HostError(
      "not_found",
      "no test runner was recognised (vitest, jest, mocha, node:test, pytest, go, cargo, a test script); give a command",
    );
  };

  return {
    detect,
    async run(request = {}, given = {}) {
      given.signal?.throwIfAborted();
      const { root, cwd } = await place(request.cwd);
      for (const [name, value] of Object.entries({ filter: request.filter, command: request.command }))
        if (value === "" || value?.includes("\0"))
          throw new HostError("invalid_argument", `${name} is empty or holds a NUL character`);
      if (request.command !== undefined && (request.files?.length || request.filter !== undefined))
        throw new HostError("invalid_argument", "files and filter go with a runner; a command names its own");
      const runner = request.command === undefined ? await choose(request) : request.runner;
      let argv: string[] = [];
      if (request.command === undefined && runner) {
        // Cargo's are names of packages.
        if (runner !== "cargo")
          for (const file of request.files ?? []) inside(root, cwd, file.split("::")[0] ?? "");
        argv = commandFor(runner, {
          cwd,
          entries: await readdir(cwd),
          files: request.files ?? [],
          filter: request.filter,
        });
      }
      const [file = "", ...args] = argv;
      const result = await options.process.run(
        request.command === undefined ? { file, args } : { shell: request.command },
        {
          cwd,
          timeoutMs: given.timeoutMs ?? 600_000,
          maxOutputBytes: PARSED_BYTES,
          ...(given.signal ? { signal: given.signal } : {}),
          ...(given.onOutput ? { onOutput: given.onOutput } : {}),
        },
      );
      given.signal?.throwIfAborted();
      const own = request.command !== undefined;
      return report(request.command ?? argv.join(" "), runner, own, result, given.maxOutputBytes ?? 200_000);
    },
  };
};

/** The runner whose output it is: the one that was run, or whichever reads a summary in it. */
const parse = (
  runner: TestRunnerName | undefined,
  output: string,
): { runner: TestRunResult["runner"]; parsed: ParsedRun } => {
  if (runner && runner !== "npm") return { runner, parsed: PARSERS[runner](output) };
  const found = Object.entries(PARSERS)
    .map(([name, parser]) => ({ name: name as TestRunnerName, ...parser(output) }))
    .flatMap(({ counts, ...rest }) => (counts ? [{ ...rest, counts }] : []));
  const [first] = found;
  if (!first) return { runner: runner ?? "unknown", parsed: { failures: [] } };
  // Packages of one repository may be tested by different runners.
  return {
    runner: first.name,
    parsed: {
      ...added(found.map((each) => each.counts)),
      summaries: found.reduce((sum, each) => sum + (each.summaries ?? 1), 0),
      failures: found.flatMap((each) => each.failures),
    },
  };
};

const report = (
  command: string,
  asked: TestRunnerName | undefined,
  ownCommand: boolean,
  result: ProcessResult,
  maxOutputBytes: number,
): TestRunResult => {
  const plain = result.output.replaceAll(COLOURS, "").replaceAll("\r\n", "\n");
  const { runner, parsed } = parse(asked, plain);
  const { failures, summaries = 1 } = parsed;
  const notes: string[] = [];
  // A runner that was started once prints one summary. A line of one's own, or a script, may start several.
  const single = asked !== undefined && asked !== "npm" && !ownCommand;
  // What is added up from several places is not known when some of them were cut away; and of two summaries where one is
  // expected, a test has printed one.
  const summed = !single || runner === "go" || runner === "cargo";
  const counts = (result.truncated && summed) || (single && summaries > 1) ? undefined : parsed.counts;
  const { ending } = result;
  const failed = (parsed.counts?.failed ?? 0) > 0 || failures.length > 0;
  let outcome: TestRunResult["outcome"] = "incomplete";
  if (ending.kind === "exited") {
    const noneRan = counts !== undefined && counts.passed + counts.failed === 0;
    outcome = ending.exitCode !== 0 || failed ? "failed" : noneRan ? "incomplete" : "passed";
    if (ending.exitCode === 0 && failed) notes.push("The exit code is 0 although tests failed.");
    if (ending.exitCode !== 0 && counts && !failed)
      notes.push(`The exit code is ${ending.exitCode} although no test failed; the output says why.`);
    if (noneRan) notes.push("No test ran.");
    if (single && summaries > 1)
      notes.push(`The output holds ${summaries} summaries, one of them the runner's; none was counted.`);
    else if (counts && summaries > 1) notes.push(`The counts are those of ${summaries} summaries together.`);
    else if (!counts)
      notes.push("The output holds no summary that could be read; only the exit code is known.");
  } else if (ending.kind === "not_started") notes.push(`It could not be started: ${ending.message}`);
  else notes.push("The run was stopped before its end.");
  if (counts && failures.length < counts.failed && ending.kind === "exited")
    notes.push(`${counts.failed} failed; ${failures.length} of them could be read.`);
  if (counts && failures.length > counts.failed)
    notes.push("Failures include test files that could not be run; they are not in the counts.");
  if (result.truncated) notes.push("The output was cut before it was read.");
  const buffer = new OutputBuffer(maxOutputBytes);
  buffer.push(Buffer.from(plain));
  return {
    runner,
    command,
    ending,
    outcome,
    parsed: counts !== undefined,
    ...(counts ? { counts } : {}),
    failures,
    notes,
    output: buffer.text(),
    omittedBytes: buffer.omittedBytes + result.omittedBytes,
    truncated: buffer.omittedBytes > 0 || result.truncated,
    durationMs: result.durationMs,
  };
};
