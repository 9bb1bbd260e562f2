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
