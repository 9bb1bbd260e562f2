import { createNodeProcess, type NodeProcessOptions } from "./node-process.js";
import { createNodeTerminal } from "./node-terminal.js";
import { createNodeTestRunner } from "./node-test-runner.js";
import { createTextSearch } from "./text-search.js";
import type { ProcessPort } from "./process-port.js";
import type { TerminalPort } from "./terminal-port.js";
import type { TestRunnerPort } from "./test-runner-port.js";
import type { TextSearchPort } from "./text-search-port.js";

/** What a host offers. Every port is optional: a tool exists only where its port does. */
export interface Host {
  readonly process?: ProcessPort;
  readonly textSearch?: TextSearchPort;
  readonly terminal?: TerminalPort;
  readonly testRunner?: TestRunnerPort;
}

export type NodeHostOptions = Omit<NodeProcessOptions, "root">;

/**
 * The ports of a machine without an editor.
 *
 * @param root absolute path of the directory the agent works in.
 *
 * @example
 * ```ts
 * import { nodeHost } from "@fiveseam/host";
 *
 * const host = nodeHost(process.cwd());
 * await host.process?.run({ file: "git", args: ["status", "--short"] });
 * ```
 */
export const nodeHost = (root: string, options: NodeHostOptions = {}): Host => {
  const processes = createNodeProcess({ ...options, root });
  return {
    process: processes,
    textSearch: createTextSearch({ root }),
    terminal: createNodeTerminal({ ...options, root }),
    testRunner: createNodeTestRunner({ root, process: processes }),
  };
};
