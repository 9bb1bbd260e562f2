import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createChatModel } from "./create-chat-model.js";
import { ProviderConfigError, type ProviderConfigErrorCode } from "./errors.js";
import { specOf } from "./finish-model.js";
import type { ModelSpec, ModelTier } from "./provider.js";
import { findProvider } from "./registry.js";

/** A model as a caller may name it. */
export type ModelChoice = string | ModelSpec | BaseChatModel;

/** Who asks for a model, and what was configured. */
export interface RoleModelRequest {
  /** The role's name, for messages. */
  role: string;
  /** The parent's model: what the role falls back to, and whose provider, key and base URL a tier is looked up with. */
  parent: BaseChatModel;
  /** The tier that the role asks for. Default: `power` under anthropic and openai, `fast` under the others. */
  tier?: ModelTier;
  /** This role's own model. Wins over the tier. */
  override?: ModelChoice;
  /** Models to use for the tiers instead of those of the parent's provider. */
  tiers?: Partial<Record<ModelTier, ModelChoice>>;
}

/** What a role runs on. Give `model` to the role, and `fallbacks` to the `failoverMiddleware` in its own stack. */
export interface RoleModel {
  role: string;
  model: BaseChatModel;
  /** The parent's model, or nothing when `model` is the parent's already. */
  fallbacks: BaseChatModel[];
  /** Where `model` came from. */
  source: "override" | "tier" | "parent";
  tier: ModelTier;
  /** Why the role has the parent's model although another one was asked for: a key or a package is missing. */
  problem: ProviderConfigError | undefined;
}

/** Mistakes of this machine and not of whoever wrote the configuration: the role runs on the parent's model. */
const DEGRADES: ReadonlySet<ProviderConfigErrorCode> = new Set([
  "missing_key",
  "missing_package",
  "missing_endpoint",
]);

const POWERFUL = new Set(["anthropic", "openai"]);

/**
 * The tier that a role gets when it asks for none: `power` under anthropic and openai, `fast` under every other
 * provider.
 *
 * @example
 * ```ts
 * import { defaultTier } from "@fiveseam/models";
 *
 * console.log(defaultTier("anthropic"), defaultTier("groq")); // power fast
 * ```
 */
export const defaultTier = (provider: string): ModelTier => (POWERFUL.has(provider) ? "power" : "fast");

/** The tier's model at the parent's provider, reached as the parent is. */
const ofParent = (parent: BaseChatModel, tier: ModelTier): ModelSpec | undefined => {
  const spec = specOf(parent);
  const model = spec && findProvider(spec.provider).tiers?.[tier];
  if (!spec || !model || model === spec.model) return undefined;
  const { provider, apiKey, baseURL, timeoutMs, maxRetries, keyVariable } = spec;
  return {
    provider,
    model,
    timeoutMs,
    maxRetries,
    // A key from the environment is looked up again, so that the address that belongs to its variable is found too.
    ...(apiKey === undefined || keyVariable !== undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  };
};

/**
 * The model of a role: its override, else the model that stands for its tier, else the parent's. When the chosen one
 * cannot be set up here (no key, no package) the role gets the parent's, and `problem` says why; a mistake in the
 * configuration itself (an unknown provider, a malformed spec) is thrown. When it fails later, failover inside the
 * role's own stack degrades to the parent's, which a wrapping model could not do without losing the client's prompt
 * caching and profile.
 *
 * @throws {ProviderConfigError} as `createChatModel`, but for `missing_key`, `missing_package` and `missing_endpoint`.
 *
 * @example
 * ```ts
 * import { createChatModel, resolveRoleModel } from "@fiveseam/models";
 *
 * const parent = await createChatModel("scripted:main");
 * const { model, fallbacks, source } = await resolveRoleModel({ role: "reviewer", parent, tier: "fast" });
 * console.log(source, fallbacks.length, model === parent); // tier 1 false
 * ```
 */
export const resolveRoleModel = async (request: RoleModelRequest): Promise<RoleModel> => {
  const { role, parent, override, tiers } = request;
  const tier = request.tier ?? defaultTier(specOf(parent)?.provider ?? "");
  const own = (problem?: ProviderConfigError): RoleModel => ({
    role,
    model: parent,
    fallbacks: [],
    source: "parent",
    tier,
    problem,
  });
  const choice = override ?? tiers?.[tier] ?? ofParent(parent, tier);
  if (choice === undefined || choice === parent) return own();
  try {
    const model = await createChatModel(choice);
    return {
      role,
      model,
      fallbacks: [parent],
      source: override === undefined ? "tier" : "override",
      tier,
      problem: undefined,
    };
  } catch (error) {
    if (error instanceof ProviderConfigError && DEGRADES.has(error.code)) return own(error);
    throw error;
  }
};
