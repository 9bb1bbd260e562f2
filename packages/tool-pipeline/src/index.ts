export {
  EFFECTS,
  UNDECLARED,
  declarationInAgent,
  declarationOf,
  declareEffects,
  isRepeatable,
  mcpDeclaration,
  type Effect,
  type McpAnnotations,
  type ToolDeclaration,
} from "./effects.js";
export {
  defineTool,
  type ToolAnswer,
  type ToolContentBlock,
  type ToolDefinition,
  type ToolRunContext,
} from "./define-tool.js";
export type { Layer, Next, PipelineCall, ToolResult } from "./call.js";
export type { TaskAnchor } from "./task-anchor.js";
export {
  createPipeline,
  defaultLayers,
  type LayerPosition,
  type Pipeline,
  type BuiltInOptions,
  type PipelineOptions,
} from "./pipeline.js";
export { toolPipelineMiddleware, type AgentIdentity } from "./middleware.js";
export { failuresAsResults } from "./layers/failures-as-results.js";
export { storableResults } from "./layers/storable-results.js";
export { unfinishedCallIds, unfinishedCalls } from "./layers/unfinished-calls.js";
export {
  declinedCall,
  failureKind,
  isTruncated,
  isUnknownOutcome,
  outcomeOf,
  stoppedCall,
  UNKNOWN_OUTCOME,
  unknownCall,
  withNote,
  type CallOutcome,
  type CallSubject,
} from "./outcomes.js";
export { isGraphSignal, isRunStop, mustPropagate } from "./control-flow.js";
export {
  ALL_RIGHTS,
  covers,
  createRights,
  intersect,
  NO_RIGHTS,
  type Access,
  type Rights,
  type RightsInput,
} from "./rights/rights.js";
export { effectsBeyond } from "./rights/effects-beyond.js";
export type { PathRules, PathRulesInput } from "./rights/path-rules.js";
export { NotStartedError, PipelineError, RunStoppedError, type PipelineErrorCode } from "./errors.js";
export { canonicalJson } from "./canonical-json.js";
export { currentCall, reportOutcome, type CurrentCall, type OutcomeReport } from "./call-scope.js";
export { createApprovals, type Approvals, type ApprovalsOptions } from "./approvals/approvals.js";
export type {
  ApprovalAnswer,
  ApprovalDecisionType,
  ApprovalDetails,
  ApprovalInterrupt,
  ApprovalRequest,
  ApprovalResume,
} from "./approvals/request.js";
export { dedup, type DedupOptions, type FileStamp } from "./layers/dedup.js";
export { loopGuard, type LoopGuardOptions } from "./layers/loop-guard.js";
export { outputCap, type OutputCapOptions } from "./layers/output-cap.js";
export { policy } from "./layers/policy.js";
export { rateLimit, type RateLimitOptions } from "./layers/rate-limit.js";
export { isTransient, recovery, type RecoveryOptions } from "./layers/recovery.js";
export { reportedOutcomes } from "./layers/reported-outcomes.js";
export { audit, type AuditOptions } from "./audit/audit.js";
export { auditedCalls, type AuditOutcome, type AuditRecord, type AuditSink } from "./audit/record.js";
export { redact, type RedactOptions } from "./audit/redact.js";
export { memoryAuditSink, type MemoryAuditSink } from "./audit/memory-sink.js";
export { openTelemetryAuditSink, type AuditTracer } from "./audit/open-telemetry-sink.js";
export {
  fileAuditSink,
  type FileAuditSink,
  type FileAuditSinkOptions,
  type FsyncPolicy,
} from "./audit/file-sink.js";
export { verifyAuditLog, type AuditFault, type AuditVerdict } from "./audit/verify.js";
export type { ChainHead } from "./audit/chain.js";
export { wrapTool } from "./wrap-tool.js";
export { lintToolSchema, quarantineTools, toWireSchema, type QuarantinedTool } from "./schema/lint.js";
export type { JsonSchema, SchemaSubject } from "./schema/json-schema.js";
export type { SchemaTarget } from "./schema/targets.js";
export type { SchemaFinding } from "./schema/wire-schema.js";
