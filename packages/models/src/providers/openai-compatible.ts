import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { isOpenHybridQwen } from "../catalog/qwen.js";
import type { Provider, ResolvedSpec } from "../provider.js";
import { given, sampling, withoutSuffix } from "./settings.js";

/**
 * What keeps OpenAI's credentials away from servers that are not OpenAI's. Its client takes OPENAI_ORG_ID,
 * OPENAI_PROJECT_ID and every header in OPENAI_CUSTOM_HEADERS from the environment.
 */
export const notOpenAi = (): {
  organization: null;
  project: null;
  headers: Record<string, null>;
} => ({
  organization: null,
  project: null,
  // Of each request: LangChain drops a `null` from the default headers.
  headers: Object.fromEntries(
    (process.env["OPENAI_CUSTOM_HEADERS"] ?? "")
      .split("\n")
      .map((line) => line.slice(0, Math.max(0, line.indexOf(":"))).trim())
      .filter((name) => name !== "")
      .map((name) => [name, null]),
  ),
});

export const completionsSettings = (
  spec: ResolvedSpec,
  body: Record<string, unknown>,
  options: { silent: boolean },
) => ({
  ...given({ apiKey: spec.apiKey, maxTokens: spec.maxTokens, ...sampling(spec, options.silent) }),
  model: spec.model,
  maxRetries: spec.maxRetries,
  timeout: spec.timeoutMs,
  modelKwargs: body,
});

/**
 * Chat completions and nothing else. `ChatOpenAI` would go to the Responses API for a model with "codex" in its name,
 * which other servers do not have.
 */
const completions = async (
  spec: ResolvedSpec,
  baseURL: string,
  body: Record<string, unknown>,
): Promise<BaseChatModel> => {
  const { ChatOpenAICompletions } = await import("@langchain/openai");
  return new ChatOpenAICompletions({
    ...completionsSettings(spec, body, { silent: true }),
    configuration: { ...notOpenAi(), baseURL },
  });
};

const qwenThinking = ({ plan, model }: ResolvedSpec): Record<string, unknown> => {
  if (plan.kind === "budget") return { enable_thinking: true, thinking_budget: plan.budgetTokens };
  if (plan.kind === "on" || plan.kind === "effort") return { enable_thinking: true };
  if (plan.kind === "off") return { enable_thinking: false };
  // "parameter.enable_thinking must be set to false for non-streaming calls": the open-weight hybrids think by default
  // and refuse a call that does not stream.
  return isOpenHybridQwen(model) ? { enable_thinking: false } : {};
};

export const qwen: Provider = {
  name: "qwen",
  title: "Qwen (Alibaba Cloud Model Studio)",
  defaultModel: "qwen3-coder-plus",
  tiers: { power: "qwen3-max", fast: "qwen3-coder-flash" },
  keyVariables: ["DASHSCOPE_API_KEY"],
  baseURLVariable: "DASHSCOPE_BASE_URL",
  package: "@langchain/openai",
  create: (spec) =>
    completions(
      spec,
      spec.baseURL ?? "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      qwenThinking(spec),
    ),
};

const glmThinking = ({ plan }: ResolvedSpec): Record<string, unknown> =>
  plan.kind === "default" ? {} : { thinking: { type: plan.kind === "off" ? "disabled" : "enabled" } };

/** A key of Zhipu's mainland platform works there only, and one of Z.ai's only at Z.ai. */
const GLM_URLS = {
  ZHIPUAI_API_KEY: "https://open.bigmodel.cn/api/paas/v4",
  ZAI_API_KEY: "https://api.z.ai/api/paas/v4",
} as const;

export const glm: Provider = {
  name: "glm",
  title: "GLM (Z.ai, Zhipu)",
  defaultModel: "glm-4.7",
  tiers: { power: "glm-5.1", fast: "glm-4.7-flashx" },
  keyVariables: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
  baseURLVariable: "ZAI_BASE_URL",
  package: "@langchain/openai",
  create: (spec) =>
    completions(
      spec,
      spec.baseURL ?? GLM_URLS[spec.keyVariable === "ZHIPUAI_API_KEY" ? "ZHIPUAI_API_KEY" : "ZAI_API_KEY"],
      glmThinking(spec),
    ),
};

const openRouterReasoning = ({ plan, reasoning }: ResolvedSpec): Record<string, unknown> => {
  // It takes budgets and levels for every model and translates them itself.
  if (typeof reasoning === "object") return { reasoning: { max_tokens: reasoning.budgetTokens } };
  if (plan.kind === "default") return {};
  if (plan.kind === "off") return { reasoning: { enabled: false } };
  if (plan.kind === "effort") return { reasoning: { effort: plan.effort === "max" ? "xhigh" : plan.effort } };
  return plan.kind === "budget"
    ? { reasoning: { max_tokens: plan.budgetTokens } }
    : { reasoning: { enabled: true } };
};

export const openrouter: Provider = {
  name: "openrouter",
  title: "OpenRouter",
  keyVariables: ["OPENROUTER_API_KEY"],
  package: "@langchain/openai",
  create: (spec) =>
    completions(spec, spec.baseURL ?? "https://openrouter.ai/api/v1", openRouterReasoning(spec)),
};

const localReasoning = ({ plan }: ResolvedSpec): Record<string, unknown> => {
  if (plan.kind === "effort") return { reasoning_effort: plan.effort };
  return plan.kind === "off" ? { reasoning_effort: "none" } : {};
};

/** Ollama's default; LM Studio, llama.cpp, vLLM and Docker Model Runner serve the same API at other ports. */
const LOCAL_URL = "http://localhost:11434/v1";

export const local: Provider = {
  name: "local",
  title: "Local server with an OpenAI-compatible API",
  baseURLVariable: "FIVESEAM_LOCAL_URL",
  package: "@langchain/openai",
  create: (spec) =>
    completions(
      // The client refuses to start without a key, and would take OPENAI_API_KEY and send it to this server.
      { ...spec, apiKey: spec.apiKey ?? "not-needed" },
      withoutSuffix(spec.baseURL, "/chat/completions") ?? LOCAL_URL,
      localReasoning(spec),
    ),
};
