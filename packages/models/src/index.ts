export { createChatModel, listProviders, registerProvider } from "./registry.js";
export type { ModelSpec, Provider, ProviderInfo, ResolvedSpec } from "./provider.js";
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
  ScriptedModelError,
  type ProviderConfigErrorCode,
  type ScriptedModelErrorReason,
} from "./errors.js";
