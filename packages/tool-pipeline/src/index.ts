export {
  EFFECTS,
  UNDECLARED,
  declarationInAgent,
  declarationOf,
  declareEffects,
  isRepeatable,
  type Effect,
  type ToolDeclaration,
} from "./effects.js";
export { defineTool, type ToolAnswer, type ToolDefinition, type ToolRunContext } from "./define-tool.js";
export type { Layer, Next, PipelineCall, ToolResult } from "./call.js";
export type { TaskAnchor } from "./task-anchor.js";
export {
  createPipeline,
  defaultLayers,
  type LayerPosition,
  type Pipeline,
  type PipelineOptions,
} from "./pipeline.js";
export { toolPipelineMiddleware } from "./middleware.js";
export { failuresAsResults } from "./layers/failures-as-results.js";
export { storableResults } from "./layers/storable-results.js";
export { unfinishedCallIds, unfinishedCalls } from "./layers/unfinished-calls.js";
export {
  declinedCall,
  isUnknownOutcome,
  stoppedCall,
  UNKNOWN_OUTCOME,
  unknownCall,
  type CallSubject,
} from "./outcomes.js";
export { isGraphSignal, mustPropagate } from "./control-flow.js";
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
export type { PathRules, PathRulesInput } from "./rights/path-rules.js";
export { NotStartedError, PipelineError, RunStoppedError, type PipelineErrorCode } from "./errors.js";
