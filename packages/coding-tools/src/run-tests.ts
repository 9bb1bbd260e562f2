import type { ProcessPort, ProcessResult } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { artifactOf, endingLine, noteLines } from "./process-report.js";
import { runShell, timeoutSchema } from "./shell-run.js";
import { detectTestCommand } from "./test-command.js";
import { resolveDirectory } from "./working-directory.js";

const verdict = (result: ProcessResult): string => {
  if (result.ending.kind !== "exited") return `Tests did not finish: ${endingLine(result)}.`;
  const { exitCode } = result.ending;
  return exitCode === 0 ? "Tests passed." : `Tests failed (exit code ${exitCode}).`;
};

/** The tool that runs the project's tests and says whether they passed. */
export const createRunTestsTool = (options: {
  process: ProcessPort;
  /** Absolute path of the workspace. */
  root: string;
}): StructuredTool =>
  defineTool({
    name: "run_tests",
    description:
      "Runs the project's tests and waits for them to end. Without a command it runs the test script of package.json. " +
      "Use it before a change to see what fails, and after each change. Give a command to run a part of the tests or " +
      "the tests of a project in another language. The first line says `Tests passed.`, `Tests failed (exit code N).` " +
      "or `Tests did not finish: …`; then come the command and its output, cut in the middle when it is very long.",
    schema: z.object({
      command: z
        .string()
        .min(1)
        .optional()
        .describe('Shell command to run instead of the detected one, for instance "npm test -- parser".'),
      timeout_ms: timeoutSchema,
    }),
    // Not idempotent: `command` may be anything.
    effects: ["exec"],
    async run({ command, timeout_ms }, { signal }) {
      const directory = await resolveDirectory(options.root, undefined);
      const line = command ?? (await detectTestCommand(directory));
      if (line === undefined) {
        throw new Error(
          "No test command was found: package.json has no test script. Give `command`, for instance " +
            '"npx vitest run", "pytest" or "go test ./...".',
        );
      }
      const result = await runShell(options.process, line, { cwd: directory, timeoutMs: timeout_ms, signal });
      const text = [verdict(result), `$ ${line}`, ...noteLines(result), "", result.output]
        .join("\n")
        .trimEnd();
      return { content: text, artifact: artifactOf(line, result) };
    },
  });
