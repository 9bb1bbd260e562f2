import type { Provider, ResolvedSpec } from "../provider.js";
import { given, sampling, withoutSuffix } from "./settings.js";

const effort = ({ plan }: ResolvedSpec): string | undefined => {
  if (plan.kind === "effort") return plan.effort;
  if (plan.kind === "off") return "none";
  return plan.kind === "on" ? "default" : undefined;
};

export const groq: Provider = {
  name: "groq",
  title: "Groq",
  defaultModel: "openai/gpt-oss-120b",
  tiers: { power: "openai/gpt-oss-120b", fast: "openai/gpt-oss-20b" },
  keyVariables: ["GROQ_API_KEY"],
  package: "@langchain/groq",
  async create(spec) {
    const { ChatGroq } = await import("@langchain/groq");
    const wanted = sampling(spec, false);
    const model = new ChatGroq({
      ...given({
        apiKey: spec.apiKey,
        maxTokens: spec.maxTokens,
        topP: wanted.topP,
        // `baseUrl`: `baseURL` is ignored. Its SDK adds /openai/v1 itself.
        baseUrl: withoutSuffix(spec.baseURL, "/openai/v1"),
        // The values depend on the model, and the type knows only those of gpt-oss.
        reasoningEffort: effort(spec) as "low" | undefined,
      }),
      model: spec.model,
      maxRetries: spec.maxRetries,
      timeout: spec.timeoutMs,
    });
    // Unasked, the client sends 0.7.
    Object.assign(model, { temperature: wanted.temperature });
    // Qwen writes its thoughts into the answer as <think>…</think> unless told to keep them apart, and the constructor
    // drops this option.
    if (spec.model.startsWith("qwen/")) Object.assign(model, { reasoningFormat: "parsed" });
    return model;
  },
};
