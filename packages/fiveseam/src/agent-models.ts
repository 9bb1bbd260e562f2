import { contextOverflowMiddleware } from "./context-overflow.js";
import {
  failoverMiddleware,
  ProviderHealth,
  type FailoverEvent,
  type FailoverMiddlewareOptions,
} from "@fiveseam/failover";
import {
  createChatModel,
  ProviderConfigError,
  resolveRoleModel,
  type ModelChoice,
  type ModelTier,
} from "@fiveseam/models";
import type { Role } from "@fiveseam/subagents";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AgentMiddleware } from "langchain";

/** What an agent and its delegates run on. */
export interface AgentModels {
  readonly model: BaseChatModel;
  /** The roles that do not run on the agent's model. */
  readonly roles: Partial<Record<string, BaseChatModel>>;
  /** Those that take over. */
  readonly fallbacks: readonly BaseChatModel[];
  /** What could not be made here, in words. */
  readonly problems: readonly string[];
  /**
   * What stands around the model calls of an agent that runs on the given model: failover, which for a delegate goes on
   * with the agent's own, and compaction of what was too long.
   */
  recovery(model?: BaseChatModel): AgentMiddleware[];
}

/** How a failed model call is recovered; see `@fiveseam/failover` for the defaults. */
export type FailoverSettings = Pick<
  FailoverMiddlewareOptions,
  "maxWaitMs" | "firstByteTimeoutMs" | "idleTimeoutMs" | "networkRetries" | "onPartial"
>;

interface Choices {
  model: ModelChoice;
  fallbacks?: readonly ModelChoice[] | undefined;
  tiers?: Partial<Record<ModelTier, ModelChoice>> | undefined;
  roleModels?: Partial<Record<string, ModelChoice>> | undefined;
  failover?: FailoverSettings | undefined;
}

/** Of this machine, and not of whoever wrote the configuration. */
const ABSENT: ReadonlySet<string> = new Set(["missing_key", "missing_package", "missing_endpoint"]);

const nameOf = (choice: ModelChoice): string =>
  typeof choice === "string"
    ? choice
    : "provider" in choice && typeof choice.provider === "string"
      ? [choice.provider, choice.model].filter(Boolean).join(":")
      : "a chat model";

/**
 * Makes the models. The primary has to be there; a fallback or a role's model whose key or package is missing is left
 * out.
 *
 * @throws {ProviderConfigError}
 */
export const createAgentModels = async (
  choices: Choices,
  roles: readonly Pick<Role, "name" | "tier">[],
  onEvent: (event: FailoverEvent) => void,
): Promise<AgentModels> => {
  const model = await createChatModel(choices.model);
  const problems: string[] = [];
  const fallbacks: BaseChatModel[] = [];
  for (const choice of choices.fallbacks ?? []) {
    try {
      fallbacks.push(await createChatModel(choice));
    } catch (error) {
      if (!(error instanceof ProviderConfigError) || !ABSENT.has(error.code)) throw error;
      problems.push(`The fallback ${nameOf(choice)} is left out: ${error.message}`);
    }
  }

  const own: Partial<Record<string, BaseChatModel>> = {};
  const { tiers, roleModels = {} } = choices;
  for (const { name: role, tier } of roles) {
    const override = roleModels[role];
    if (tiers === undefined && override === undefined) continue;
    const resolved = await resolveRoleModel({
      role,
      parent: model,
      ...(tier === undefined ? {} : { tier }),
      ...(override === undefined ? {} : { override }),
      ...(tiers === undefined ? {} : { tiers }),
    });
    if (resolved.problem) problems.push(`${role} runs on the agent's model: ${resolved.problem.message}`);
    if (resolved.model !== model) own[role] = resolved.model;
  }

  // One memory of what failed for the agent and its delegates: what is down for one is down for all.
  const health = new ProviderHealth();
  return {
    model,
    roles: own,
    fallbacks,
    problems,
    recovery: (running = model) => [
      contextOverflowMiddleware(),
      failoverMiddleware({
        ...choices.failover,
        models: running === model ? fallbacks : [model, ...fallbacks],
        health,
        onEvent,
      }),
    ],
  };
};
