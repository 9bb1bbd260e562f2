import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { describe, type ModelDescription } from "./describe-model.js";
import { ProviderConfigError } from "./errors.js";
import { finishModel } from "./finish-model.js";
import { checkFields, parseSpec } from "./parse-spec.js";
import type { ModelSpec, Provider, ResolvedSpec } from "./provider.js";
import { planReasoning } from "./reasoning.js";
import { findProvider, hasProvider, modelOf } from "./registry.js";

/** Where Node's own `fetch` gives up waiting for an answer or its next piece. */
const DEFAULT_TIMEOUT_MS = 300_000;

const findKey = (
  provider: Provider,
  given: string | undefined,
): { apiKey?: string; keyVariable?: string } => {
  const variables = provider.keyVariables ?? [];
  const keyVariable = given === undefined ? variables.find((name) => process.env[name]?.trim()) : undefined;
  // Trimmed, as a key read from a file ends in a newline. Anything else that a header cannot hold is refused here: the
  // client's own error would quote the key.
  const apiKey = (given ?? (keyVariable === undefined ? undefined : process.env[keyVariable]))?.trim();
  if (apiKey !== undefined && !/^[\x21-\x7e]*$/.test(apiKey)) {
    throw new ProviderConfigError(
      "invalid_key",
      `The key for ${provider.title} holds characters that no key has (white space, control or non-ASCII): check where it comes from.`,
      { provider: provider.name },
    );
  }
  if (variables.length > 0 && !apiKey) {
    throw new ProviderConfigError(
      "missing_key",
      `${provider.title} needs a key: set ${variables.join(" or ")}, or pass { provider: "${provider.name}", apiKey }.`,
      { provider: provider.name },
    );
  }
  return { ...(apiKey ? { apiKey } : {}), ...(keyVariable === undefined ? {} : { keyVariable }) };
};

const findBaseURL = (provider: Provider, given: string | undefined): { baseURL?: string } => {
  const variable = provider.baseURLVariable;
  const baseURL = given ?? (variable === undefined ? undefined : process.env[variable]?.trim() || undefined);
  if (baseURL === undefined) return {};
  checkFields({ baseURL }, provider.name);
  return { baseURL };
};

const describeFor = (
  provider: Pick<Provider, "name" | "describe">,
  model: string,
  window?: number,
): ModelDescription =>
  describe(provider.name, model, {
    ...provider.describe?.(model),
    ...(window === undefined ? {} : { contextWindowTokens: window, maxInputTokens: window }),
  });

const resolve = (provider: Provider, spec: ModelSpec): ResolvedSpec => {
  const model = modelOf(provider, spec.model);
  const { apiKey: _given, ...rest } = spec;
  const description = describeFor(provider, model, spec.contextWindowTokens);
  return {
    ...rest,
    ...findKey(provider, spec.apiKey),
    ...findBaseURL(provider, spec.baseURL),
    model,
    maxRetries: spec.maxRetries ?? 0,
    timeoutMs: spec.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    description,
    plan: planReasoning(description.reasoning, spec.reasoning, description),
  };
};

/** By shape and not by class: an application may hold two copies of @langchain/core. */
export const isChatModel = (value: unknown): value is BaseChatModel =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { invoke?: unknown }).invoke === "function" &&
  typeof (value as { _llmType?: unknown })._llmType === "function";

const isMissingPackage = (error: unknown, name: string): boolean => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") &&
    typeof message === "string" &&
    message.includes(name)
  );
};

/**
 * Makes a chat model from "provider:model", a spec, or a chat model (which is returned as it is). No request is made.
 *
 * @throws {ProviderConfigError} `unknown_provider`, `missing_model`, `missing_key` (naming the environment variable),
 *   `invalid_key`, `missing_endpoint`, `missing_package` (naming what to install), `unsupported_reasoning` or
 *   `invalid_spec`.
 *
 * @example
 * ```ts
 * import { createChatModel } from "@fiveseam/models";
 *
 * const model = await createChatModel("scripted");
 * const answer = await model.invoke("Hello");
 * console.log(answer.text);
 * ```
 */
export const createChatModel = async (spec: string | ModelSpec | BaseChatModel): Promise<BaseChatModel> => {
  if (isChatModel(spec)) return spec;
  const given = parseSpec(spec);
  const provider = findProvider(given.provider);
  const resolved = resolve(provider, given);
  try {
    return finishModel(await provider.create(resolved), resolved);
  } catch (cause) {
    if (provider.package && isMissingPackage(cause, provider.package)) {
      throw new ProviderConfigError(
        "missing_package",
        `The provider "${provider.name}" needs the package ${provider.package}: npm install ${provider.package}`,
        { provider: provider.name, cause },
      );
    }
    throw cause;
  }
};

/**
 * What is known of a model: window, limits, reasoning, caching, tools, images and price. Nothing is asked over the
 * network, and no key is needed. What is not known, a whole provider included, is `null` or of kind "unknown", never a
 * guess.
 *
 * @throws {ProviderConfigError} `invalid_spec`, and `missing_model` or `unknown_provider` where no model is named.
 *
 * @example
 * ```ts
 * import { describeModel } from "@fiveseam/models";
 *
 * const { contextWindowTokens, reasoning, price } = describeModel("gemini:gemini-2.5-pro");
 * console.log(contextWindowTokens, reasoning.kind, price?.inputPerMTok, price?.asOf);
 * ```
 */
export const describeModel = (
  spec: string | Pick<ModelSpec, "provider" | "model" | "contextWindowTokens">,
): ModelDescription => {
  const given = parseSpec(spec);
  // A model from elsewhere, with a provider that nobody registered, is unknown and no mistake.
  if (given.model && given.provider && !hasProvider(given.provider)) {
    return describeFor({ name: given.provider }, given.model, given.contextWindowTokens);
  }
  const provider = findProvider(given.provider);
  return describeFor(provider, modelOf(provider, given.model), given.contextWindowTokens);
};
