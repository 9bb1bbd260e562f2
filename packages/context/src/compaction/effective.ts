import type { BaseMessage } from "@langchain/core/messages";
import type { CompactionEvent } from "./event.js";
import { clipped, stripped } from "./strip.js";

/** The messages behind the summary, as the model sees them. */
export const shownTail = (
  messages: readonly BaseMessage[],
  event: Pick<CompactionEvent, "cutoffIndex" | "filePath" | "strippedBefore" | "clippedTo" | "at">,
): BaseMessage[] => {
  const { cutoffIndex, filePath, strippedBefore = 0, clippedTo, at = messages.length } = event;
  return messages.slice(cutoffIndex).map((message, offset) => {
    const index = cutoffIndex + offset;
    if (index < strippedBefore) return stripped(message, filePath);
    return clippedTo !== undefined && index < at ? clipped(message, clippedTo) : message;
  });
};

/** The messages as the model sees them after a compaction; the conversation itself keeps them all. */
export const effectiveMessages = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
): BaseMessage[] => (event ? [event.summaryMessage, ...shownTail(messages, event)] : [...messages]);
