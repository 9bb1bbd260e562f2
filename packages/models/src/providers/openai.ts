import { isOpenAiReasoningModel, needsResponsesApi } from "../catalog/openai.js";
import { ProviderConfigError } from "../errors.js";
import type { Provider, ResolvedSpec } from "../provider.js";
import { notOpenAi } from "./openai-compatible.js";
import { throwOnFailedStream } from "./responses-stream.js";
import { given, sampling } from "./settings.js";

type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
interface ReasoningSettings {
  reasoning?: { effort: Effort };
  modelKwargs?: Record<string, unknown>;
}

const usesResponses = (spec: ResolvedSpec): boolean =>
  spec.api === undefined ? needsResponsesApi(spec.model) : spec.api === "responses";

const reasoning = (spec: ResolvedSpec): ReasoningSettings => {
  const { plan, model } = spec;
  const effort = plan.kind === "effort" ? plan.effort : plan.kind === "off" ? "none" : undefined;
  if (effort === undefined) return {};
  // "max" is younger than the client's type.
  if (isOpenAiReasoningModel(model)) return { reasoning: { effort: effort as Effort } };
  // The client sends `reasoning` only for models that it takes for reasoning ones, by name.
  return { modelKwargs: usesResponses(spec) ? { reasoning: { effort } } : { reasoning_effort: effort } };
};

const settings = (spec: ResolvedSpec) => ({
  ...given({
    // `apiKey`, never the alias `openAIApiKey`: the client leaves `apiKey` undefined then.
    apiKey: spec.apiKey,
    maxTokens: spec.maxTokens,
    ...sampling(spec, false),
  }),
  ...reasoning(spec),
  model: spec.model,
  maxRetries: spec.maxRetries,
  timeout: spec.timeoutMs,
  useResponsesApi: usesResponses(spec),
});

export const openai: Provider = {
  name: "openai",
  title: "OpenAI",
  // gpt-4o answers model_not_found on some accounts, so it is never the default.
  defaultModel: "gpt-4.1",
  tiers: { power: "gpt-5.5", fast: "gpt-4.1-mini" },
  keyVariables: ["OPENAI_API_KEY"],
  package: "@langchain/openai",
  async create(spec) {
    const { ChatOpenAI, ChatOpenAICompletions, ChatOpenAIResponses } = await import("@langchain/openai");
    const fields = { ...settings(spec), configuration: given({ baseURL: spec.baseURL }) };
    // ChatOpenAI would go to the Responses API all the same for a name with "codex" in it.
    if (spec.api === "chat") return new ChatOpenAICompletions(fields);
    return new ChatOpenAI({
      ...fields,
      responses: throwOnFailedStream("openai", new ChatOpenAIResponses(fields)),
    });
  },
};

/** The newest stable version of the data-plane API when this was written (2026-11). */
const AZURE_VERSION = "2024-10-21";

/** A model's id is the deployment's name. */
export const azure: Provider = {
  name: "azure",
  title: "Azure OpenAI",
  keyVariables: ["AZURE_OPENAI_API_KEY"],
  baseURLVariable: "AZURE_OPENAI_ENDPOINT",
  package: "@langchain/openai",
  async create(spec) {
    if (spec.baseURL === undefined) {
      throw new ProviderConfigError(
        "missing_endpoint",
        "Azure OpenAI needs the address of your resource: set AZURE_OPENAI_ENDPOINT, or pass baseURL.",
        { provider: "azure" },
      );
    }
    const { AzureChatOpenAI } = await import("@langchain/openai");
    const { apiKey, ...rest } = settings(spec);
    const model = new AzureChatOpenAI({
      ...rest,
      ...given({ azureOpenAIApiKey: apiKey }),
      azureOpenAIApiDeploymentName: spec.model,
      azureOpenAIEndpoint: spec.baseURL.replace(/\/+$/, ""),
      azureOpenAIApiVersion: process.env["AZURE_OPENAI_API_VERSION"] ?? AZURE_VERSION,
      configuration: notOpenAi(),
    });
    throwOnFailedStream("azure", Reflect.get(model, "responses") as object);
    return model;
  },
};
