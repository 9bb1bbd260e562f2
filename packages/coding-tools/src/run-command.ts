import type { ProcessPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { changeLines } from "./command-bracket.js";
import { artifactOf, endingLine, noteLines } from "./process-report.js";
import { runShell, timeoutSchema } from "./shell-run.js";
import { checkCommand, onlyReads, readingCommands, runChecked, type CommandGate } from "./shell-check.js";
import { resolveDirectory } from "./working-directory.js";

/** The tool that runs one shell command in the workspace and reports how it ended. */
export const createRunCommandTool = (options: { process: ProcessPort; gate: CommandGate }): StructuredTool =>
  defineTool({
    name: "run_command",
    description:
      "Runs one shell command in the workspace and waits for it to end. Use it to build, lint, use git or run a " +
      "script; use run_tests for the project's tests, and the file tools to read, search and edit files. " +
      "It starts in the workspace: use relative paths in it, for /workspace/ is no path there. " +
      "The command gets no input and must end by itself: what it leaves in the background is stopped. " +
      "The answer's first line says how it ended (exit code, signal or time limit), then comes its output, stdout and " +
      "stderr together, cut in the middle when it is very long. A non-zero exit code is reported, not raised.",
    schema: z.object({
      command: z.string().min(1).describe("The command line, for a POSIX shell (cmd.exe on Windows)."),
      cwd: z.string().optional().describe("Directory to run in, below /workspace/; default /workspace/."),
      timeout_ms: timeoutSchema,
    }),
    effects: ["exec"],
    ...readingCommands(options.gate),
    async run({ command, cwd, timeout_ms }, { signal }) {
      const { process, gate } = options;
      const directory = await resolveDirectory(gate.root, cwd);
      const checked = await checkCommand(gate, command, directory);
      const { result, changes } = await runChecked(gate, checked, () =>
        runShell(process, checked.command, {
          cwd: directory,
          timeoutMs: timeout_ms,
          signal,
          readOnly: onlyReads(),
        }),
      );
      const { note } = checked;
      return {
        content: [
          ...(note ? [note] : []),
          endingLine(result),
          ...noteLines(result),
          ...changeLines(changes),
          result.output,
        ]
          .join("\n")
          .trimEnd(),
        artifact: { ...artifactOf(checked.command, result), ...(changes ? { changes } : {}) },
      };
    },
  });
