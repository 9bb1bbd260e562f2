import { takesAdaptiveThinking, thinksUnlessDisabled } from "../catalog/anthropic.js";
import type { Provider, ResolvedSpec } from "../provider.js";
import { given, sampling, withoutSuffix } from "./settings.js";

/** Thinking comes out of `max_tokens`; LangChain's default of 16,384 (4096 for a model that it does not know) is small. */
const ANSWER_WITH_THINKING = 32_000;
const ANSWER = 16_384;
const SHORT_ANSWER = 1024;

type Thinking = { type: "adaptive" } | { type: "disabled" } | { type: "enabled"; budget_tokens: number };
interface ThinkingSettings {
  thinking?: Thinking;
  outputConfig?: { effort: "low" | "medium" | "high" | "xhigh" | "max" };
  maxTokens?: number;
}

const thinking = ({ model, plan, maxTokens, description }: ResolvedSpec): ThinkingSettings => {
  const most = description.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const roomy = maxTokens ?? Math.min(most, ANSWER_WITH_THINKING);
  switch (plan.kind) {
    case "effort": {
      const effort = plan.effort === "minimal" ? "low" : plan.effort;
      return { thinking: { type: "adaptive" }, outputConfig: { effort }, maxTokens: roomy };
    }
    case "budget": {
      if (takesAdaptiveThinking(model)) return { thinking: { type: "adaptive" }, maxTokens: roomy };
      // The budget is part of max_tokens and must be smaller: the answer's tokens come on top of it. Where both are more
      // than the model can give, the budget shrinks.
      const total = Math.min(most, plan.budgetTokens + (maxTokens ?? ANSWER));
      const budget = total === most ? Math.min(plan.budgetTokens, total - SHORT_ANSWER) : plan.budgetTokens;
      return { thinking: { type: "enabled", budget_tokens: budget }, maxTokens: total };
    }
    case "off":
      // 4.7 answers 400 to "disabled"; it and 4.6 do not think unless told to.
      return {
        ...(thinksUnlessDisabled(model) ? { thinking: { type: "disabled" } } : {}),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      };
    case "default":
    case "on":
      if (maxTokens !== undefined) return { maxTokens };
      return thinksUnlessDisabled(model) ? { maxTokens: roomy } : {};
  }
};

export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  defaultModel: "claude-sonnet-4-6",
  tiers: { power: "claude-opus-5", fast: "claude-haiku-4-5" },
  keyVariables: ["ANTHROPIC_API_KEY"],
  package: "@langchain/anthropic",
  async create(spec) {
    const { ChatAnthropic } = await import("@langchain/anthropic");
    const { temperature, topP } = sampling(spec, !thinksUnlessDisabled(spec.model));
    return new ChatAnthropic({
      ...given({
        apiKey: spec.apiKey,
        temperature,
        // "temperature and top_p cannot both be specified for this model" (400, from Opus 4.1 on).
        topP: temperature === undefined ? topP : undefined,
        anthropicApiUrl: withoutSuffix(spec.baseURL, "/v1"),
      }),
      ...thinking(spec),
      model: spec.model,
      maxRetries: spec.maxRetries,
      // A client that has no timeout refuses a large max_tokens without streaming. `authToken` would be sent beside the
      // key when ANTHROPIC_AUTH_TOKEN happens to be set.
      clientOptions: { timeout: spec.timeoutMs, authToken: null },
    });
  },
};
