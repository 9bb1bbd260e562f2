import type { Provider, ResolvedSpec } from "../provider.js";
import { completionsSettings, notOpenAi } from "./openai-compatible.js";

const effort = ({ plan }: ResolvedSpec): Record<string, unknown> => {
  if (plan.kind === "effort") return { reasoning_effort: plan.effort };
  return plan.kind === "off" ? { reasoning_effort: "none" } : {};
};

export const xai: Provider = {
  name: "xai",
  title: "xAI",
  defaultModel: "grok-4.3",
  tiers: { power: "grok-4.7", fast: "grok-4.3" },
  keyVariables: ["XAI_API_KEY"],
  package: "@langchain/xai",
  async create(spec) {
    const { ChatXAI } = await import("@langchain/xai");
    const model = new ChatXAI({
      ...completionsSettings(spec, effort(spec), { silent: false }),
      ...(spec.baseURL === undefined ? {} : { baseURL: spec.baseURL }),
    });
    // It takes no `configuration`, and hands on what OpenAI's variables hold.
    Object.assign(Reflect.get(model, "clientConfig") as object, notOpenAi());
    return model;
  },
};
