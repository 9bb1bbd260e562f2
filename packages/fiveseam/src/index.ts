export { createCodingAgent } from "./create-coding-agent.js";
export type { CodingAgent, CodingAgentMethods } from "./coding-agent.js";
export type { CodingAgentOptions, DelegateOption } from "./options.js";
export type { ApprovalDecision, Answers, RunInput } from "./approvals.js";
export type { ResumeOptions, RunOptions } from "./run-options.js";
export {
  runEventJsonSchema,
  runEventSchema,
  type ApprovalAction,
  type Decision,
  type EventSource,
  type FinishReason,
  type RunEvent,
  type RunEventType,
  type ToolStatus,
  type Usage,
  type WarningCode,
} from "./events.js";
export { defaultStateDirectory } from "./state-directory.js";
export {
  AgentClosedError,
  ConfigError,
  ResumeError,
  ThreadBusyError,
  type ResumeErrorCode,
} from "./errors.js";
