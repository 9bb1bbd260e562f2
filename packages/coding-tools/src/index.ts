import type { Host } from "@fiveseam/host";
import type { StructuredTool } from "@langchain/core/tools";
import { createRunCommandTool } from "./run-command.js";
import { createRunTestsTool } from "./run-tests.js";

export { createRunCommandTool, createRunTestsTool };
export { detectTestCommand } from "./test-command.js";
export { WorkingDirectoryError } from "./working-directory.js";
export type { ProcessArtifact } from "./process-report.js";

export interface CodingToolsOptions {
  host: Host;
  /** Absolute path of the workspace on the real disk. */
  root: string;
}

/**
 * The coding tools that a host can serve: a tool whose port is absent is absent.
 *
 * @example
 * ```ts
 * import { createCodingTools } from "@fiveseam/coding-tools";
 * import { nodeHost } from "@fiveseam/host";
 *
 * const tools = createCodingTools({ host: nodeHost(process.cwd()), root: process.cwd() });
 * console.log(tools.map((tool) => tool.name)); // ["run_command", "run_tests"]
 * ```
 */
export const createCodingTools = ({ host, root }: CodingToolsOptions): StructuredTool[] =>
  host.process
    ? [
        createRunCommandTool({ process: host.process, root }),
        createRunTestsTool({ process: host.process, root }),
      ]
    : [];
