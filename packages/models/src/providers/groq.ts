import { AIMessageChunk, type UsageMetadata } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { Provider, ResolvedSpec } from "../provider.js";
import { given, sampling, withoutSuffix } from "./settings.js";

const effort = ({ plan }: ResolvedSpec): string | undefined => {
  if (plan.kind === "effort") return plan.effort;
  if (plan.kind === "off") return "none";
  return plan.kind === "on" ? "default" : undefined;
};

interface GroqUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
}

/**
 * The tokens as Groq counts them, which the client leaves in the metadata: in Groq's form at the end of a stream and of
 * an answer, in LangChain's form on the chunk that finishes.
 */
const reportedUsage = (metadata: Record<string, unknown> | undefined): UsageMetadata | undefined => {
  const usage = metadata?.["usage"] as Partial<GroqUsage & UsageMetadata> | undefined;
  const input = usage?.prompt_tokens ?? usage?.input_tokens;
  if (usage === undefined || input === undefined) return undefined;
  const output = usage.completion_tokens ?? usage.output_tokens ?? 0;
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: usage.total_tokens ?? input + output,
    ...(cached === undefined ? {} : { input_token_details: { cache_read: cached } }),
    ...(reasoning === undefined ? {} : { output_token_details: { reasoning } }),
  };
};

const loadClient = async () => {
  const { ChatGroq } = await import("@langchain/groq");
  type Client = InstanceType<typeof ChatGroq>;
  return class extends ChatGroq {
    /** The client leaves out what was read from the cache. */
    override async _generate(...call: Parameters<Client["_generate"]>) {
      const result = await super._generate(...call);
      for (const { message } of result.generations) {
        const usage = reportedUsage(message.response_metadata);
        if (usage) Object.assign(message, { usage_metadata: usage });
      }
      return result;
    }

    /** The client puts the usage of a streamed answer into the metadata and nowhere else, so that it costs nothing. */
    override async *_streamResponseChunks(...call: Parameters<Client["_streamResponseChunks"]>) {
      let usage: UsageMetadata | undefined;
      for await (const chunk of super._streamResponseChunks(...call)) {
        usage = reportedUsage(chunk.message.response_metadata) ?? usage;
        yield chunk;
      }
      if (usage) {
        yield new ChatGenerationChunk({
          text: "",
          message: new AIMessageChunk({ content: "", usage_metadata: usage }),
        });
      }
    }
  };
};

export const groq: Provider = {
  name: "groq",
  title: "Groq",
  defaultModel: "openai/gpt-oss-120b",
  tiers: { power: "openai/gpt-oss-120b", fast: "openai/gpt-oss-20b" },
  keyVariables: ["GROQ_API_KEY"],
  package: "@langchain/groq",
  async create(spec) {
    const ChatGroq = await loadClient();
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
