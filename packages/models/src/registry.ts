import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { builtInProviders } from "./built-in-providers.js";
import { ProviderConfigError } from "./errors.js";
import type { ModelSpec, Provider, ProviderInfo, ResolvedSpec } from "./provider.js";

const providers = new Map<string, Provider>(builtInProviders.map((provider) => [provider.name, provider]));

const NAME = /^[a-z0-9][a-z0-9-]*$/;

/**
 * Adds a provider for the whole process.
 *
 * @throws {ProviderConfigError} `provider_exists` when the name is taken, `invalid_spec` when it is not a valid name.
 *
 * @example
 * ```ts
 * import { createChatModel, registerProvider, ScriptedChatModel } from "@fiveseam/models";
 *
 * registerProvider({
 *   name: "parrot",
 *   title: "Parrot",
 *   defaultModel: "grey",
 *   create: () => new ScriptedChatModel({ policy: (messages) => messages.at(-1)?.text ?? "" }),
 * });
 * const model = await createChatModel("parrot");
 * ```
 */
export const registerProvider = (provider: Provider): void => {
  if (!NAME.test(provider.name)) {
    throw new ProviderConfigError(
      "invalid_spec",
      `"${provider.name}" is not a provider name: use lower-case letters, digits and "-".`,
      { provider: provider.name },
    );
  }
  if (providers.has(provider.name)) {
    throw new ProviderConfigError(
      "provider_exists",
      `A provider named "${provider.name}" is registered already.`,
      {
        provider: provider.name,
      },
    );
  }
  providers.set(provider.name, provider);
};

/** The registered providers, in the order in which they were registered. */
export const listProviders = (): ProviderInfo[] =>
  [...providers.values()].map((provider) => ({
    name: provider.name,
    title: provider.title,
    defaultModel: provider.defaultModel,
    keyVariables: provider.keyVariables ?? [],
    package: provider.package,
  }));

/** Splits "provider:model" at the first colon: model ids may hold more of them ("local:qwen3:8b"). */
const parse = (spec: string): ModelSpec => {
  const at = spec.indexOf(":");
  const provider = (at < 0 ? spec : spec.slice(0, at)).trim();
  const model = at < 0 ? "" : spec.slice(at + 1).trim();
  return { provider, ...(model ? { model } : {}) };
};

const find = (name: string): Provider => {
  const provider = providers.get(name);
  if (provider) return provider;
  const known = [...providers.keys()].join(", ");
  throw new ProviderConfigError(
    name ? "unknown_provider" : "invalid_spec",
    name
      ? `There is no provider "${name}". Known are ${known}; registerProvider() adds one.`
      : `A model is named "provider:model"; the providers are ${known}.`,
    { provider: name || undefined },
  );
};

const resolve = (provider: Provider, spec: ModelSpec): ResolvedSpec => {
  const model = spec.model || provider.defaultModel;
  if (!model) {
    throw new ProviderConfigError(
      "missing_model",
      `The provider "${provider.name}" has no default model: name one, for instance "${provider.name}:MODEL".`,
      { provider: provider.name },
    );
  }
  const variables = provider.keyVariables ?? [];
  // Trimmed, as a key read from a file ends in a newline. Anything else that a header cannot hold is refused here: the
  // client's own error would quote the key.
  const apiKey = (
    spec.apiKey ?? variables.map((name) => process.env[name]).find((value) => value?.trim())
  )?.trim();
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
  return { ...spec, model, maxRetries: spec.maxRetries ?? 2, ...(apiKey ? { apiKey } : {}) };
};

/** By shape and not by class: an application may hold two copies of @langchain/core. */
const isChatModel = (value: unknown): value is BaseChatModel =>
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
 *   `missing_package` (naming what to install) or `invalid_spec`.
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
  const given = typeof spec === "string" ? parse(spec) : spec;
  if (typeof given !== "object" || given === null || typeof given.provider !== "string") {
    throw new ProviderConfigError(
      "invalid_spec",
      'A model is "provider:model", { provider, model }, or a LangChain chat model.',
    );
  }
  const provider = find(given.provider);
  const resolved = resolve(provider, given);
  try {
    return await provider.create(resolved);
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
