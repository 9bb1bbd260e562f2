export { createChatModel, describeModel } from "./create-chat-model.js";
export { listProviders, registerProvider } from "./registry.js";
export type { ModelSpec, ModelTier, Provider, ProviderInfo, ResolvedSpec } from "./provider.js";
export type { ModelDescription, ModelFacts } from "./describe-model.js";
export type {
  ModelPrice,
  PriceRates,
  PromptCachingShape,
  ReasoningEffort,
  ReasoningShape,
  SamplingRule,
} from "./catalog/types.js";
export { priceUsage, splitUsage, type UsageCost, type UsageTokens } from "./price-usage.js";
export type { ReasoningPlan, ReasoningSetting } from "./reasoning.js";
export {
  defaultTier,
  resolveRoleModel,
  type ModelChoice,
  type RoleModel,
  type RoleModelRequest,
} from "./resolve-role-model.js";
export { ScriptedChatModel } from "./scripted-chat-model.js";
export type { ScriptedCall, ScriptedModelFields, ScriptedModelOptions } from "./scripted-chat-model.js";
export type {
  IdSource,
  ScriptedPolicy,
  ScriptedStep,
  ScriptedTool,
  ScriptedToolCall,
  ScriptedTurn,
} from "./scripted-turn.js";
export {
  ProviderConfigError,
  ProviderStreamError,
  ProviderTimeoutError,
  ScriptedModelError,
  type ProviderConfigErrorCode,
  type ScriptedModelErrorReason,
  type StreamFailure,
} from "./errors.js";
