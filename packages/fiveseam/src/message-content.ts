import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { Usage } from "./events.js";

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly reasoning?: unknown;
  readonly thinking?: unknown;
}

/** Text and reasoning of a message or chunk, whichever of the providers' forms it has. */
export const partsOf = (message: BaseMessage): { text: string; reasoning: string } => {
  const { content } = message;
  // DeepSeek and other OpenAI-compatible servers put reasoning here (langchain-deepseek, `reasoning_content`).
  const extra = message.additional_kwargs?.["reasoning_content"];
  let reasoning = typeof extra === "string" ? extra : "";
  if (typeof content === "string") return { text: content, reasoning };
  let text = "";
  for (const block of content as readonly Block[]) {
    if ((block.type === "text" || block.type === "text_delta") && typeof block.text === "string")
      text += block.text;
    // LangChain's own form is "reasoning"; Anthropic's client streams "thinking".
    else if (block.type === "reasoning" && typeof block.reasoning === "string") reasoning += block.reasoning;
    else if (block.type === "thinking" && typeof block.thinking === "string") reasoning += block.thinking;
  }
  return { text, reasoning };
};

export const usageOf = (message: AIMessage): Usage | undefined => {
  const usage = message.usage_metadata;
  if (!usage) return undefined;
  const { cache_read, cache_creation } = usage.input_token_details ?? {};
  const { reasoning } = usage.output_token_details ?? {};
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    ...(cache_read === undefined ? {} : { cacheReadTokens: cache_read }),
    ...(cache_creation === undefined ? {} : { cacheWriteTokens: cache_creation }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
};

export const modelOf = (message: AIMessage): string | null => {
  const { model_name, model } = message.response_metadata as { model_name?: unknown; model?: unknown };
  return typeof model_name === "string" ? model_name : typeof model === "string" ? model : null;
};
