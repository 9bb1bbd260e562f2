export type {
  ProcessCommand,
  ProcessEnding,
  ProcessOptions,
  ProcessPort,
  ProcessResult,
} from "./process-port.js";
export { DEFAULT_ENVIRONMENT } from "./environment.js";
export { createNodeProcess, type NodeProcessOptions } from "./node-process.js";
export { nodeHost, type Host, type NodeHostOptions } from "./node-host.js";
export { HostError, type HostErrorCode } from "./errors.js";
export type {
  FileListQuery,
  FileListResult,
  TextSearchContext,
  TextSearchFile,
  TextSearchLimit,
  TextSearchMatch,
  TextSearchOptions,
  TextSearchPort,
  TextSearchQuery,
  TextSearchResult,
  TextSearchScope,
  TextSpan,
} from "./text-search-port.js";
export {
  createJsSearch,
  createRipgrepSearch,
  createTextSearch,
  type JsSearchOptions,
  type RipgrepSearchOptions,
} from "./text-search.js";
export type {
  TerminalEnding,
  TerminalOpenOptions,
  TerminalPort,
  TerminalReadOptions,
  TerminalReadResult,
  TerminalRunOptions,
  TerminalRunResult,
  TerminalSession,
  TerminalStarted,
} from "./terminal-port.js";
export { createNodeTerminal, type NodeTerminalOptions } from "./node-terminal.js";
export type {
  DetectedTestRunner,
  TestCounts,
  TestFailure,
  TestRunnerName,
  TestRunnerPort,
  TestRunOptions,
  TestRunRequest,
  TestRunResult,
} from "./test-runner-port.js";
export { createNodeTestRunner, type NodeTestRunnerOptions } from "./node-test-runner.js";
export { createSandboxedProcess, type SandboxOptions } from "./sandboxed-process.js";
