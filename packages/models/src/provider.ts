import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

/** A model, in full. Anything a provider does not know is left alone. */
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
  /** Most tokens of one answer. */
  maxTokens?: number;
  /** Time limit of one request in milliseconds, where the client has one. */
  timeoutMs?: number;
  /** Retries inside the provider's client; default 2. */
  maxRetries?: number;
}

/** A spec that was checked: the model is known, and the key is there when the provider needs one. */
export interface ResolvedSpec extends ModelSpec {
  model: string;
  maxRetries: number;
}

/** What the registry knows of a provider. */
export interface Provider {
  /** Name in a spec: lower-case letters, digits and `-`. */
  readonly name: string;
  /** For lists and messages, for instance "Anthropic". */
  readonly title: string;
  /** Used when a spec names no model; without one the spec must. */
  readonly defaultModel?: string;
  /** Environment variables that may hold the key, first wins. Without any, no key is needed. */
  readonly keyVariables?: readonly string[];
  /** The npm package with the provider's client, which the user installs. */
  readonly package?: string;
  /** Makes the model. The package is imported here, so that it is loaded only when it is used. */
  create(spec: ResolvedSpec): Promise<BaseChatModel> | BaseChatModel;
}

/** A provider without its functions, for lists. */
export interface ProviderInfo {
  name: string;
  title: string;
  defaultModel: string | undefined;
  keyVariables: readonly string[];
  package: string | undefined;
}
