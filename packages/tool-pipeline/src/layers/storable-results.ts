import { ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import type { Layer, PipelineCall } from "../call.js";

const fault = (value: unknown): string | undefined => {
  try {
    JSON.stringify(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** The artifact, or a note of why it cannot be stored. */
export const storableArtifact = (artifact: unknown, toolName: string): unknown => {
  const wrong = fault(artifact);
  return wrong === undefined
    ? artifact
    : { unstorable: `The artifact of ${toolName} cannot be stored: ${wrong}` };
};

const storable = (message: ToolMessage, call: PipelineCall): void => {
  const content = typeof message.content === "string" ? undefined : fault(message.content);
  if (content !== undefined) throw new Error(`its result cannot be stored: ${content}`);
  if (message.artifact !== undefined) message.artifact = storableArtifact(message.artifact, call.toolName);
};

/**
 * The layer that keeps a result which cannot be written as JSON (a BigInt, a circle, a getter that throws) out of the
 * state: LangGraph's serializer would put an error text in place of the whole message list, and the thread would be lost.
 * Content like that becomes a failure, an artifact is replaced by a note of what was wrong with it.
 */
export const storableResults = (): Layer => ({
  name: "storable-results",
  handle: (call, next) =>
    next(call).then((result) => {
      if (ToolMessage.isInstance(result)) storable(result, call);
      else if (isCommand(result)) {
        const { messages } = (result.update ?? {}) as { messages?: unknown };
        for (const message of Array.isArray(messages) ? (messages as unknown[]) : []) {
          if (ToolMessage.isInstance(message)) storable(message, call);
        }
      }
      return result;
    }),
});
