import type { BaseMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk } from "@langchain/core/outputs";
import { ProviderStreamError } from "../errors.js";
import type { Provider, ResolvedSpec } from "../provider.js";
import { given, sampling, withoutSuffix } from "./settings.js";

const LEVELS = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
} as const;

const thinking = ({
  plan,
}: ResolvedSpec): { thinkingLevel: string } | { thinkingBudget: number } | undefined => {
  if (plan.kind === "budget") return { thinkingBudget: plan.budgetTokens };
  if (plan.kind === "off") return { thinkingBudget: 0 };
  return plan.kind === "effort" ? { thinkingLevel: LEVELS[plan.effort] } : undefined;
};

const loadClient = async () => {
  const { ChatGoogleGenerativeAI } = await import("@langchain/google-genai");
  type Client = InstanceType<typeof ChatGoogleGenerativeAI>;
  return class extends ChatGoogleGenerativeAI {
    /** The client forgets to hand on the signal, so that an abort leaves the request running and billed. */
    override _generate(...[messages, options, run]: Parameters<Client["_generate"]>) {
      const call = Object.create(this) as Client;
      call.completionWithRetry = (request) => this.completionWithRetry(request, options);
      return super._generate.call(call, messages, options, run);
    }

    /** Every chunk repeats how much was read from the cache so far, and LangChain adds chunks up. */
    override async *_streamResponseChunks(
      messages: BaseMessage[],
      ...rest: [options: never, run?: never]
    ): AsyncGenerator<ChatGenerationChunk> {
      let before = 0;
      for await (const chunk of super._streamResponseChunks(messages, ...rest)) {
        const details = (
          chunk.message as { usage_metadata?: { input_token_details?: { cache_read?: number } } }
        ).usage_metadata?.input_token_details;
        if (details?.cache_read !== undefined) {
          const now = details.cache_read;
          details.cache_read = Math.max(0, now - before);
          before = now;
        }
        yield chunk;
      }
    }
  };
};

interface GoogleChunk {
  error?: { code?: number; status?: string; message?: string };
}
interface GoogleStream {
  stream: AsyncIterable<GoogleChunk>;
  response: Promise<unknown>;
}
interface GoogleModel {
  generateContentStream(...args: unknown[]): Promise<GoogleStream>;
}

async function* watched(chunks: AsyncIterable<GoogleChunk>): AsyncGenerator<GoogleChunk> {
  for await (const chunk of chunks) {
    const { error } = chunk;
    if (error) {
      throw new ProviderStreamError(
        "gemini",
        { code: error.status, status: error.code, message: error.message },
        error,
      );
    }
    yield chunk;
  }
}

/**
 * Mends two things in Google's SDK (0.24) and in how LangChain uses it. It gives a streamed answer twice, as a stream and
 * as a promise of the whole; LangChain takes the stream, and when the connection breaks the forgotten promise is an
 * unhandled rejection, which ends the process. And an error in the middle of a stream is handed on as if it were a piece
 * of the answer, and passed over.
 */
const mendStreams = (model: object): void => {
  const client = Reflect.get(model, "client") as GoogleModel;
  const send = client.generateContentStream.bind(client);
  client.generateContentStream = async (...args) => {
    const result = await send(...args);
    // Not hidden: the stream throws the same error.
    result.response.catch(() => undefined);
    return { ...result, stream: watched(result.stream) };
  };
};

export const gemini: Provider = {
  name: "gemini",
  title: "Google Gemini",
  defaultModel: "gemini-3.5-flash",
  tiers: { power: "gemini-3.1-pro-preview", fast: "gemini-3.1-flash-lite" },
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  package: "@langchain/google-genai",
  async create(spec) {
    const ChatGemini = await loadClient();
    const model = new ChatGemini({
      ...given({
        apiKey: spec.apiKey,
        maxOutputTokens: spec.maxTokens,
        baseUrl: withoutSuffix(spec.baseURL, "/v1beta"),
        thinkingConfig: thinking(spec) as { thinkingBudget: number } | undefined,
        ...sampling(spec, false),
      }),
      model: spec.model,
      maxRetries: spec.maxRetries,
    });
    mendStreams(model);
    return model;
  },
};
