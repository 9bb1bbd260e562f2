import type { BaseMessage } from "@langchain/core/messages";
import type { ScriptedTool, ScriptedTurn } from "@fiveseam/models";
import { requestOf, stepsOf, textArg, type Step } from "./history.js";
import { filesRead, nextRead, type KnownFile } from "./known-files.js";
import { importsOf, isTestFile, knownPath, pathsIn, ROOT } from "./project-files.js";
import { rankSuspects } from "./ranking.js";
import { readBrief, testsNote, writeReport, type BriefedFailure } from "./survey.js";

/** Files that one survey reads at most. */
const READ_FILES = 24;
/** Import steps followed from a failing test. */
const IMPORT_DEPTH = 4;
/** Files asked for in one turn. */
const READS_A_TURN = 4;

const PATTERNS = ["**/*.{js,mjs,cjs,ts}", "**/*.js"];

const textOf = (file: KnownFile | undefined): string => file?.lines.join("\n") ?? "";

/**
 * The files to read: those of the failing tests and of the stacks, then what they import, nearest first. When no
 * failing test could be located, every test file is where it starts.
 */
const wantedFiles = (
  failures: readonly BriefedFailure[],
  known: ReadonlySet<string>,
  read: ReadonlyMap<string, KnownFile>,
): readonly string[] => {
  const named = failures
    .flatMap(({ at, stack }) => [at?.file, ...stack.map((frame) => frame.file)])
    .flatMap((file) => (file === undefined ? [] : (knownPath(file, known) ?? [])));
  const starts = named.length > 0 ? named : [...known].filter(isTestFile);
  const wanted = new Set<string>();
  let level = [...new Set(starts)];
  for (let depth = 0; depth <= IMPORT_DEPTH && level.length > 0; depth += 1) {
    for (const path of level) wanted.add(path);
    level = level
      .flatMap((path) => importsOf(path, textOf(read.get(path)), known))
      .filter((path) => !wanted.has(path));
  }
  return [...wanted].slice(0, READ_FILES);
};

/** Words worth a search when the imports alone do not lead out of the tests: what the failing tests call. */
const searchWord = (
  failures: readonly BriefedFailure[],
  read: ReadonlyMap<string, KnownFile>,
  known: ReadonlySet<string>,
): string => {
  for (const { at } of failures) {
    const path = at && knownPath(at.file, known);
    const lines = path ? (read.get(path)?.lines ?? []) : [];
    const body = lines.slice((at?.line ?? 1) - 1, (at?.line ?? 1) + 12).join("\n");
    const word = [...body.matchAll(/([A-Za-z_$][\w$]{2,})\(/g)]
      .map((match) => match[1] ?? "")
      .find(
        (name) =>
          !/^(?:test|it|describe|equal|deepEqual|strictEqual|deepStrictEqual|throws|rejects|match|ok|assert|async|function)$/.test(
            name,
          ),
      );
    if (word) return word;
  }
  return "";
};

const failingFiles = (failures: readonly BriefedFailure[], known: ReadonlySet<string>): readonly string[] => [
  ...new Set(failures.flatMap(({ at }) => (at && knownPath(at.file, known)) ?? [])),
];

const grepped = (steps: readonly Step[]): readonly string[] =>
  steps
    .filter((step) => step.tool === "grep")
    .flatMap((step) => pathsIn((step.result ?? "").replaceAll(/:\s*$/gm, "")));

/** The next turn of the delegate: list, read, follow imports, report. */
export const analyzerTurn = (
  messages: readonly BaseMessage[],
  tools: readonly ScriptedTool[],
): ScriptedTurn => {
  const offered = new Set(tools.map((tool) => tool.name));
  if (!offered.has("glob") || !offered.has("read_file")) {
    return { text: "I cannot survey this: I was given no tools to list and read files." };
  }
  const steps = stepsOf(messages);
  const failures = readBrief(requestOf(messages));
  if (failures.length === 0)
    return { text: "No suspects found.\n\nThe brief names no failing test, so there is nothing to trace." };

  const listings = steps.filter((step) => step.tool === "glob");
  const known = new Set(listings.flatMap((step) => pathsIn(step.result ?? "")));
  const pattern = PATTERNS[listings.length];
  if (known.size === 0 && pattern) {
    return {
      text: "Listing the source files first.",
      toolCalls: [{ name: "glob", args: { pattern, path: ROOT } }],
    };
  }

  const read = filesRead(steps);
  const wanted = [
    ...new Set([...wantedFiles(failures, known, read), ...grepped(steps).filter((path) => known.has(path))]),
  ];
  const reads = wanted.flatMap((path) => nextRead(path, read.get(path)) ?? []).slice(0, READS_A_TURN);
  if (reads.length > 0) {
    const names = [...new Set(reads.map((call) => call.args.file_path.slice(ROOT.length)))].join(", ");
    const first = read.size === 0 ? "Reading the failing tests" : "Following the imports";
    return { text: `${first}: ${names}.`, toolCalls: reads };
  }

  const word = searchWord(failures, read, known);
  const onlyTests = wanted.every(isTestFile);
  if (
    onlyTests &&
    word &&
    offered.has("grep") &&
    !steps.some((step) => textArg(step, "pattern") === word && step.tool === "grep")
  ) {
    return {
      text: `The imports lead nowhere; looking for \`${word}\` instead.`,
      toolCalls: [{ name: "grep", args: { pattern: word, path: ROOT, output_mode: "files_with_matches" } }],
    };
  }

  const sources = new Map(
    [...read].filter(([, file]) => !file.problem).map(([path, file]) => [path, textOf(file)] as const),
  );
  const lineAt = (path: string, line: number): string => read.get(path)?.lines[line - 1] ?? "";
  return {
    text: writeReport(rankSuspects(failures, sources), lineAt, [
      testsNote(failingFiles(failures, known)),
      `Read ${sources.size} files for ${failures.length} failing test${failures.length === 1 ? "" : "s"}. Nothing was changed.`,
    ]),
  };
};
