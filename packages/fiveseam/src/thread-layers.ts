import { setMaxListeners } from "node:events";
import type { Layer, ToolResult } from "@fiveseam/tool-pipeline";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, isCommand } from "@langchain/langgraph";
import type { ThreadGate } from "./threads.js";

/** Lets a run know of the tool calls under way, its delegates' included, so that it can wait for them when it ends. */
export const trackCalls = (gate: ThreadGate): Layer => ({
  name: "track-calls",
  handle(call, next) {
    // Node warns on standard error of more than ten listeners, and LangChain adds one for each tool call of a step.
    if (call.signal) setMaxListeners(0, call.signal);
    const result = next(call);
    if (call.threadId !== undefined) gate.holder(call.threadId)?.track(result);
    return result;
  },
});

const lastCallId = (messages: readonly unknown[]): string | undefined => {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) ? last.tool_calls?.at(-1)?.id : undefined;
};

/** The same result with messages behind it, or undefined when the result has a form that cannot carry them. */
const withMessages = (result: ToolResult, add: () => BaseMessage[]): ToolResult | undefined => {
  if (!isCommand(result)) return new Command({ update: { messages: [result, ...add()] } });
  const { update } = result as Command;
  if (update !== undefined && (update === null || typeof update !== "object" || Array.isArray(update)))
    return undefined;
  const before = (update as { messages?: BaseMessage[] } | undefined)?.messages ?? [];
  return new Command({ ...(result as Command), update: { ...update, messages: [...before, ...add()] } });
};

/**
 * Lets queued user messages join a run behind the last tool result of a step: LangGraph applies the tasks of a step in
 * the order of the calls, so there the message stands after every result and the conversation stays one that providers
 * accept. It needs no hook of its own, which would cost a checkpoint every step.
 */
export const joinQueue = (gate: ThreadGate, onJoined: (threadId: string) => void): Layer => ({
  name: "join-queue",
  async handle(call, next) {
    const result = await next(call);
    // A delegate's namespace has more than one part; users talk to the main agent.
    if (call.threadId === undefined || call.namespace.includes("|")) return result;
    const lease = gate.holder(call.threadId);
    if (!lease?.waiting || lastCallId(call.messages) !== call.id) return result;
    const { threadId } = call;
    const joined = withMessages(result, () => {
      onJoined(threadId);
      return lease.take();
    });
    return joined ?? result;
  },
});
