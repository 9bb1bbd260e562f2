import path from "node:path";
import type { TestRunnerPort, TestRunRequest, TestRunResult } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { endingLine } from "./process-report.js";
import { changeLines } from "./command-bracket.js";
import { checkCommand, runChecked, type CheckedCommand, type CommandGate } from "./shell-check.js";
import { timeoutSchema } from "./shell-run.js";
import { resolveDirectory } from "./working-directory.js";
import { toHostPath, toVirtualPath } from "./workspace-paths.js";

const MAX_FAILURES = 20;
const MAX_MESSAGE_CHARS = 2_000;

const verdict = ({ outcome, ending, counts }: TestRunResult): string => {
  if (outcome === "incomplete" && ending.kind === "exited") return "No test ran.";
  if (outcome === "incomplete") return `Tests did not finish: ${endingLine({ ending })}.`;
  const counted = counts
    ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`
    : ending.kind === "exited"
      ? `exit code ${ending.exitCode}; the output holds no counts that can be read`
      : "";
  return `Tests ${outcome}: ${counted}.`;
};

const failureLines = ({ failures }: TestRunResult, directory: string): string[] => {
  const shown = failures.slice(0, MAX_FAILURES).map(({ name, file, line, message }) => {
    const shownFile =
      file === undefined || path.isAbsolute(file) ? file : toVirtualPath(path.posix.join(directory, file));
    const where = shownFile === undefined ? "" : ` (${shownFile}${line === undefined ? "" : `:${line}`})`;
    const text = message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)} …` : message;
    return `- ${name}${where}\n${text.replaceAll(/^/gm, "    ")}`;
  });
  const left = failures.length - shown.length;
  return left > 0 ? [...shown, `[${left} more failures are in the output]`] : shown;
};

/** The tool that runs the project's tests and says what passed and what failed. */
export const createRunTestsTool = (port: TestRunnerPort, gate?: CommandGate): StructuredTool =>
  defineTool({
    name: "run_tests",
    description:
      "Runs the project's tests and waits for them to end. It finds the runner by itself (vitest, jest, node:test, mocha, " +
      "pytest, go test, cargo test, or package.json's test script). Use it before a change to see what fails, and after " +
      "each change; give `files` or `filter` to run a part. The first line says `Tests passed`, `Tests failed` or `Tests " +
      "did not finish` with the counts; then come the failures, the command, and its output, cut in the middle when it is " +
      "very long. Give `command` only when the detected runner is the wrong one.",
    schema: z.object({
      files: z
        .array(z.string().min(1))
        .optional()
        .describe("Test files (go, cargo: packages) to run; default all."),
      filter: z.string().min(1).optional().describe("Only tests whose name matches, as the runner reads it."),
      cwd: z
        .string()
        .optional()
        .describe("Directory of the project, below /workspace/; default /workspace/."),
      command: z
        .string()
        .min(1)
        .optional()
        .describe('Shell command to run instead of the detected one, for instance "npm run test:unit".'),
      timeout_ms: timeoutSchema,
    }),
    // Not idempotent: tests and `command` may do anything.
    effects: ["exec"],
    async run({ files, filter, cwd, command, timeout_ms }, { signal }) {
      const checked: Partial<CheckedCommand> & Pick<CheckedCommand, "readOnly"> =
        command !== undefined && gate
          ? await checkCommand(gate, command, await resolveDirectory(gate.root, cwd))
          : { ...(command === undefined ? {} : { command }), readOnly: false };
      const request: TestRunRequest = {
        ...(files === undefined ? {} : { files: files.map(toHostPath) }),
        ...(filter === undefined ? {} : { filter }),
        ...(cwd === undefined ? {} : { cwd: toHostPath(cwd) }),
        ...(checked.command === undefined ? {} : { command: checked.command }),
      };
      const run = () =>
        port.run(request, {
          ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
          ...(signal ? { signal } : {}),
        });
      const { result, changes } = gate
        ? await runChecked(gate, checked, run)
        : { result: await run(), changes: undefined };
      signal?.throwIfAborted();
      const text = [
        ...(checked.note ? [checked.note] : []),
        verdict(result),
        ...failureLines(result, request.cwd ?? "."),
        // Without a summary the first line has said so already.
        ...result.notes.filter((note) => !/holds no summary/.test(note)).map((note) => `[${note}]`),
        ...changeLines(changes),
        `$ ${result.command}`,
        "",
        result.output,
      ];
      return { content: text.join("\n").trimEnd(), artifact: { ...result, ...(changes ? { changes } : {}) } };
    },
  });
