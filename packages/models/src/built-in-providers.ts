import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Provider, ResolvedSpec } from "./provider.js";
import { ScriptedChatModel } from "./scripted-chat-model.js";

/** The settings that a client takes under the same name as a spec does, those that were given. */
const given = (spec: ResolvedSpec): { temperature?: number; maxTokens?: number; apiKey?: string } => ({
  ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
  ...(spec.maxTokens === undefined ? {} : { maxTokens: spec.maxTokens }),
  ...(spec.apiKey === undefined ? {} : { apiKey: spec.apiKey }),
});

const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  defaultModel: "claude-sonnet-4-6",
  keyVariables: ["ANTHROPIC_API_KEY"],
  package: "@langchain/anthropic",
  async create(spec) {
    const { ChatAnthropic } = await import("@langchain/anthropic");
    return new ChatAnthropic({
      ...given(spec),
      model: spec.model,
      maxRetries: spec.maxRetries,
      ...(spec.baseURL === undefined ? {} : { anthropicApiUrl: spec.baseURL }),
      ...(spec.timeoutMs === undefined ? {} : { clientOptions: { timeout: spec.timeoutMs } }),
    });
  },
};

/** A client of OpenAI's or of a server with its API. */
const openAiClient = async (
  spec: ResolvedSpec,
  configuration: { baseURL?: string; organization?: null; project?: null },
): Promise<BaseChatModel> => {
  const { ChatOpenAI } = await import("@langchain/openai");
  return new ChatOpenAI({
    // `apiKey`, never the alias `openAIApiKey`: the client leaves `apiKey` undefined then.
    ...given(spec),
    model: spec.model,
    maxRetries: spec.maxRetries,
    configuration,
    ...(spec.timeoutMs === undefined ? {} : { timeout: spec.timeoutMs }),
  });
};

const openai: Provider = {
  name: "openai",
  title: "OpenAI",
  // gpt-4o answers model_not_found on some accounts, so it is never the default.
  defaultModel: "gpt-4.1",
  keyVariables: ["OPENAI_API_KEY"],
  package: "@langchain/openai",
  create: (spec) => openAiClient(spec, spec.baseURL === undefined ? {} : { baseURL: spec.baseURL }),
};

/** Ollama's default; LM Studio, llama.cpp, vLLM and Docker Model Runner serve the same API at other ports. */
const LOCAL_URL = "http://localhost:11434/v1";

const local: Provider = {
  name: "local",
  title: "Local server with an OpenAI-compatible API",
  package: "@langchain/openai",
  create: (spec) =>
    openAiClient(
      // The client refuses to start without a key, and would take OPENAI_API_KEY and send it to this server …
      { ...spec, apiKey: spec.apiKey ?? "not-needed" },
      {
        baseURL: spec.baseURL ?? process.env["FIVESEAM_LOCAL_URL"] ?? LOCAL_URL,
        // … and so with OPENAI_ORG_ID and OPENAI_PROJECT_ID.
        organization: null,
        project: null,
      },
    ),
};

const scripted: Provider = {
  name: "scripted",
  title: "Scripted stand-in (no key, no language model)",
  defaultModel: "echo",
  create: (spec) =>
    new ScriptedChatModel({
      model: spec.model,
      policy: (messages) => {
        const last = messages.findLast((message) => message.getType() === "human");
        return (
          "I am the scripted stand-in, not a language model: I can only say what I was asked. " +
          `The last message was: ${last?.text ?? "(none)"}`
        );
      },
    }),
};

export const builtInProviders: readonly Provider[] = [anthropic, openai, local, scripted];
