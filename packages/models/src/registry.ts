import { ProviderConfigError } from "./errors.js";
import type { Provider, ProviderInfo } from "./provider.js";
import { builtInProviders } from "./providers/index.js";

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
      { provider: provider.name },
    );
  }
  providers.set(provider.name, provider);
};

/**
 * The registered providers, in the order in which they were registered.
 *
 * @example
 * ```ts
 * import { listProviders } from "@fiveseam/models";
 *
 * console.log(listProviders().map(({ name, keyVariables }) => `${name}: ${keyVariables.join(" or ") || "no key"}`));
 * ```
 */
export const listProviders = (): ProviderInfo[] =>
  [...providers.values()].map((provider) => ({
    name: provider.name,
    title: provider.title,
    defaultModel: provider.defaultModel,
    tiers: provider.tiers ?? {},
    keyVariables: provider.keyVariables ?? [],
    package: provider.package,
  }));

/** Whether this package wrote it, and knows what its server says. */
export const isBuiltIn = (name: string): boolean =>
  builtInProviders.some((provider) => provider.name === name);

export const hasProvider = (name: string): boolean => providers.has(name);

/** @throws {ProviderConfigError} `unknown_provider`, listing the known ones; `invalid_spec` for an empty name. */
export const findProvider = (name: string): Provider => {
  const provider = providers.get(name);
  if (provider) return provider;
  const known = [...providers.keys()].join(", ");
  throw new ProviderConfigError(
    name ? "unknown_provider" : "invalid_spec",
    name
      ? `There is no provider ${looksLikeKey(name) ? "of that name, which looks like a key" : `"${name}"`}. Known are ${known}; registerProvider() adds one.`
      : `A model is named "provider:model"; the providers are ${known}.`,
    { provider: looksLikeKey(name) ? undefined : name || undefined },
  );
};

/** Somebody may paste a key where a model's name belongs; it must not end in a log. */
const looksLikeKey = (name: string): boolean =>
  name.length > 24 || /^(?:sk|pk|gsk|xai|hf|r8|aiza)[-_]/i.test(name);

/** @throws {ProviderConfigError} `missing_model` where the spec names none and the provider has no default. */
export const modelOf = (provider: Provider, model: string | undefined): string => {
  const found = model || provider.defaultModel;
  if (found) return found;
  throw new ProviderConfigError(
    "missing_model",
    `The provider "${provider.name}" has no default model: name one, for instance "${provider.name}:MODEL".`,
    { provider: provider.name },
  );
};
