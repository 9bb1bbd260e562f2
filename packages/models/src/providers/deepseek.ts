import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Provider, ResolvedSpec } from "../provider.js";
import { completionsSettings, notOpenAi } from "./openai-compatible.js";

const thinking = ({ plan }: ResolvedSpec): Record<string, unknown> => {
  if (plan.kind === "off") return { thinking: { type: "disabled" } };
  if (plan.kind === "effort") return { thinking: { type: "enabled" }, reasoning_effort: plan.effort };
  return plan.kind === "default" ? {} : { thinking: { type: "enabled" } };
};

/** Whether the history must carry its reasoning: V4 in thinking mode. The retired reasoner refused it. */
const echoes = ({ plan, model }: ResolvedSpec): boolean =>
  plan.kind !== "off" && !["deepseek-chat", "deepseek-reasoner"].includes(model);

/**
 * Each assistant message of a request with the reasoning that it was answered with. In thinking mode V4 answers 400,
 * "The `reasoning_content` in the thinking mode must be passed back to the API", when one has none, and an empty text
 * counts as none; LangChain's client drops it (langchainjs issue 10883, 2026-05). A single space is accepted for a
 * message that another model wrote (hermes-agent 17341, 2026-04).
 */
const withReasoning = <T extends { role: string }>(
  request: readonly T[],
  history: readonly BaseMessage[],
): T[] => {
  const answers = history.filter((message) => AIMessage.isInstance(message));
  const assistants = request.filter(({ role }) => role === "assistant");
  // One message of ours could become several of theirs (audio): then which is which is not known.
  const aligned = answers.length === assistants.length;
  return request.map((message) => {
    if (message.role !== "assistant") return message;
    const answer = aligned ? answers[assistants.indexOf(message)] : undefined;
    const thought = answer?.additional_kwargs["reasoning_content"];
    return { ...message, reasoning_content: typeof thought === "string" && thought !== "" ? thought : " " };
  });
};

type Send = (request: { messages: readonly { role: string }[] }, options: unknown) => Promise<unknown>;

const loadClient = async () => {
  const { ChatDeepSeek } = await import("@langchain/deepseek");
  type Client = InstanceType<typeof ChatDeepSeek>;

  /** The model for one call, with the history at hand where the request is sent. */
  const forCall = (model: Client, history: readonly BaseMessage[]): Client => {
    // Makes the HTTP client here, so that calls share it.
    model._getClientOptions(undefined);
    const send = model.completionWithRetry.bind(model) as unknown as Send;
    const value: Send = (request, options) =>
      send({ ...request, messages: withReasoning(request.messages, history) }, options);
    return Object.create(model, { completionWithRetry: { value } }) as Client;
  };

  return class extends ChatDeepSeek {
    override _generate(...[messages, ...rest]: Parameters<Client["_generate"]>) {
      return super._generate.call(forCall(this, messages), messages, ...rest);
    }

    override _streamResponseChunks(...[messages, ...rest]: Parameters<Client["_streamResponseChunks"]>) {
      return super._streamResponseChunks.call(forCall(this, messages), messages, ...rest);
    }

    override _streamChatModelEvents(...[messages, ...rest]: Parameters<Client["_streamChatModelEvents"]>) {
      return super._streamChatModelEvents.call(forCall(this, messages), messages, ...rest);
    }
  };
};

export const deepseek: Provider = {
  name: "deepseek",
  title: "DeepSeek",
  defaultModel: "deepseek-v4-pro",
  tiers: { power: "deepseek-v4-pro", fast: "deepseek-v4-flash" },
  keyVariables: ["DEEPSEEK_API_KEY"],
  package: "@langchain/deepseek",
  async create(spec) {
    const ChatDeepSeek = echoes(spec)
      ? await loadClient()
      : (await import("@langchain/deepseek")).ChatDeepSeek;
    return new ChatDeepSeek({
      ...completionsSettings(spec, thinking(spec), { silent: false }),
      configuration: { ...notOpenAi(), ...(spec.baseURL === undefined ? {} : { baseURL: spec.baseURL }) },
    });
  },
};
