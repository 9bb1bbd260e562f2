import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { fitting, fittingEnd } from "../tokens.js";

/** A message's text, with what is no text named. */
export const textOfMessage = (message: BaseMessage): string =>
  typeof message.content === "string"
    ? message.content
    : message.content
        .map((block) => {
          const { text, type } = block as { text?: unknown; type?: unknown };
          if (typeof text === "string") return text;
          return type === "tool_use" || type === "tool_call" ? "" : `[${String(type)}]`;
        })
        .filter((text) => text !== "")
        .join("\n");

/**
 * Every index before which the list may be cut, ascending, 0 and the length among them: no result of a tool loses its
 * call there, no call its results, and the rest does not begin with results.
 */
export const cutPoints = (messages: readonly BaseMessage[]): number[] => {
  const answered = new Set(
    messages.filter((each) => ToolMessage.isInstance(each)).map((each) => each.tool_call_id),
  );
  const points: number[] = [];
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!ToolMessage.isInstance(message) && open.size === 0) points.push(index);
    if (AIMessage.isInstance(message))
      for (const { id } of message.tool_calls ?? []) if (id !== undefined && answered.has(id)) open.add(id);
    if (ToolMessage.isInstance(message)) open.delete(message.tool_call_id);
  }
  return [...points, messages.length];
};

/** What was cut short to save space. */
export const clip = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const ofTail = Math.floor(maxChars / 4);
  const tail = fittingEnd(text, ofTail);
  const head = fitting(text, maxChars - ofTail);
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
};

export const isHuman = (message: BaseMessage): message is HumanMessage => HumanMessage.isInstance(message);
