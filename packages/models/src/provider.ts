import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelDescription, ModelFacts } from "./describe-model.js";
import type { ReasoningPlan, ReasoningSetting } from "./reasoning.js";

/** `power` is a provider's strongest model, `fast` one that is quick and cheap. */
export type ModelTier = "power" | "fast";

/** A model, in full. What a model is known to refuse is not sent to it. */
export interface ModelSpec {
  /** A registered provider's name, for instance "anthropic". */
  provider: string;
  /** The model's id at the provider; the provider's default when left out. */
  model?: string;
  /** Overrides the key from the environment. It is handed to the provider's client and appears nowhere else. */
  apiKey?: string;
  /** Base URL of the provider's API, for a proxy or a compatible server. */
  baseURL?: string;
  temperature?: number;
  topP?: number;
  /** Most tokens of one answer. Reasoning counts, except for Claude before 4.6, where its budget comes on top. */
  maxTokens?: number;
  /** How much the model shall reason; the provider's default when left out. */
  reasoning?: ReasoningSetting;
  /**
   * Longest wait in milliseconds for an answer, and when streaming for the first and for each next piece of it. Default
   * 300,000, which is also where Node's own `fetch` gives up.
   */
  timeoutMs?: number;
  /** Retries inside the provider's client; default 0, because `@fiveseam/failover` decides about retries. */
  maxRetries?: number;
  /** Overrides what is known of the model's context window, for instance the one a local server was started with. */
  contextWindowTokens?: number;
  /** Which of OpenAI's two APIs to speak, for `openai` and `azure`. Default: the one that the model needs. */
  api?: "chat" | "responses";
}

/** A spec that was checked: the model is known, the key is there when the provider needs one, and defaults are set. */
export interface ResolvedSpec extends ModelSpec {
  model: string;
  maxRetries: number;
  timeoutMs: number;
  /** The environment variable that the key came from, when it came from one. */
  keyVariable?: string;
  /** What is known of the model. */
  description: ModelDescription;
  /** `reasoning` in the model's own terms. */
  plan: ReasoningPlan;
}

/** What the registry knows of a provider. */
export interface Provider {
  /** Name in a spec: lower-case letters, digits and `-`. */
  readonly name: string;
  /** For lists and messages, for instance "Anthropic". */
  readonly title: string;
  /** Used when a spec names no model; without one the spec must. */
  readonly defaultModel?: string;
  /** The models that stand for the tiers, for `resolveRoleModel()`. */
  readonly tiers?: Readonly<Partial<Record<ModelTier, string>>>;
  /** Environment variables that may hold the key, first wins. Without any, no key is needed. */
  readonly keyVariables?: readonly string[];
  /** Environment variable that may hold the base URL. */
  readonly baseURLVariable?: string;
  /** The npm package with the provider's client, which the user installs. */
  readonly package?: string;
  /** What is known of a model, for `describeModel()` and the model's `profile`. */
  readonly describe?: (model: string) => ModelFacts;
  /** Makes the model. The package is imported here, so that it is loaded only when it is used. */
  create(spec: ResolvedSpec): Promise<BaseChatModel> | BaseChatModel;
}

/** A provider without its functions, for lists. */
export interface ProviderInfo {
  name: string;
  title: string;
  defaultModel: string | undefined;
  tiers: Readonly<Partial<Record<ModelTier, string>>>;
  keyVariables: readonly string[];
  package: string | undefined;
}
