export { createCodingAgent } from "./create-coding-agent.js";
export type { CodingAgent, CodingAgentMethods, StagedReview, UndoOptions } from "./coding-agent.js";
export type { FailoverSettings } from "./agent-models.js";
export type { FileSettings, UndoSettings } from "./agent-files.js";
export type { ApprovalSettings } from "./approval-settings.js";
export type { CompactionSettings, ContextSettings, PromptCacheSettings } from "./agent-context.js";
export { requiredMiddleware, type MiddlewareOption } from "./middleware-option.js";
export type { RunLimits } from "./run-limits.js";
export type { AuditSettings, LimitSettings } from "./agent-pipeline.js";
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
export type { CostLedger, CostSummary, CostTotals } from "./cost-ledger.js";
export { defaultStateDirectory } from "./state-directory.js";
export {
  AgentClosedError,
  ConfigError,
  ResumeError,
  RunLimitError,
  ThreadBusyError,
  UndoUnavailableError,
  type ResumeErrorCode,
  type RunLimit,
} from "./errors.js";
