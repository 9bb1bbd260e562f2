import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ReadyCandidate } from "../recovery/candidates.js";
import { SERVED_BY } from "./families.js";

/** Notes on an answer of a fallback who wrote it, so that the next call knows whose leftovers it holds. */
export const stampAnswer = (message: BaseMessage, candidate: ReadyCandidate): void => {
  message.response_metadata = { ...message.response_metadata, [SERVED_BY]: candidate.identity.provider };
};

/** The whole message that pieces add up to, for a caller who did not ask for pieces. */
export const wholeAnswer = (message: AIMessage | AIMessageChunk): AIMessage =>
  AIMessageChunk.isInstance(message)
    ? new AIMessage({
        content: message.content,
        additional_kwargs: message.additional_kwargs,
        response_metadata: message.response_metadata,
        ...(message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls }),
        ...(message.invalid_tool_calls === undefined
          ? {}
          : { invalid_tool_calls: message.invalid_tool_calls }),
        ...(message.usage_metadata === undefined ? {} : { usage_metadata: message.usage_metadata }),
        ...(message.id === undefined ? {} : { id: message.id }),
        ...(message.name === undefined ? {} : { name: message.name }),
      })
    : message;
