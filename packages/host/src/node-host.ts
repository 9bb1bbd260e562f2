import { createNodeProcess, type NodeProcessOptions } from "./node-process.js";
import { createNodeTerminal } from "./node-terminal.js";
import { createNodeTestRunner } from "./node-test-runner.js";
import { createTextSearch } from "./text-search.js";
import type { ProcessPort } from "./process-port.js";
import type { TerminalPort } from "./terminal-port.js";
import type { TestRunnerPort } from "./test-runner-port.js";
import type { TextSearchPort } from "./text-search-port.js";

import { nodePorts, type NodePortOptions } from "./node-host-ports.js";
import type { BrowserPort } from "./browser-port.js";
import type { Clock } from "./clock.js";
import type { CodeKnowledgePort } from "./code-knowledge-port.js";
import type { DebugPort } from "./debug-port.js";
import type { EditorPort } from "./editor-port.js";
import type { GitPort } from "./git-port.js";
import type { Ids } from "./ids.js";
import type { LanguagePort } from "./language-port.js";
import type { Logger } from "./logger.js";
import type { MemoryStorePort } from "./memory-store-port.js";
import type { PreviewPort } from "./preview-port.js";
import type { TaskStorePort } from "./task-store-port.js";
import type { VectorIndexPort } from "./vector-index-port.js";
import type { WebFetchPort } from "./web-fetch-port.js";
import type { WebSearchPort } from "./web-search-port.js";

/** What a host offers. Every port is optional: a tool exists only where its port does. */
export interface Host {
  readonly process?: ProcessPort;

  readonly git?: GitPort;
  readonly webFetch?: WebFetchPort;
  readonly webSearch?: WebSearchPort;
  readonly tasks?: TaskStorePort;
  readonly memory?: MemoryStorePort;
  readonly language?: LanguagePort;
  readonly editor?: EditorPort;
  readonly debug?: DebugPort;
  readonly preview?: PreviewPort;
  readonly browser?: BrowserPort;
  readonly vectorIndex?: VectorIndexPort;
  readonly codeKnowledge?: CodeKnowledgePort;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
  readonly textSearch?: TextSearchPort;
  readonly terminal?: TerminalPort;
  readonly testRunner?: TestRunnerPort;
}

export type NodeHostOptions = Omit<NodeProcessOptions, "root"> & NodePortOptions;

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
    ...nodePorts(root, options),
    testRunner: createNodeTestRunner({ root, process: processes }),
  };
};
