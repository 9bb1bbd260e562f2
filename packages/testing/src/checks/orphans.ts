import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";

/** A call without a result, or a result without a call. Providers refuse a conversation that holds one. */
export interface OrphanToolCall {
  kind: "call" | "result";
  id: string;
  tool: string;
  /** The message's place in the list, from 0. */
  at: number;
}

/**
 * Tool calls that are not answered right after the message that made them, and results that answer none.
 *
 * @example
 * ```ts
 * import { AIMessage } from "@langchain/core/messages";
 * import { orphanToolCalls } from "@fiveseam/testing";
 *
 * const call = { type: "tool_call" as const, id: "c1", name: "ls", args: {} };
 * console.log(orphanToolCalls([new AIMessage({ content: "", tool_calls: [call] })]).length); // 1
 * ```
 */
export const orphanToolCalls = (messages: readonly BaseMessage[]): OrphanToolCall[] => {
  const orphans: OrphanToolCall[] = [];
  let open = new Map<string, OrphanToolCall>();
  for (const [at, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) {
      const id = message.tool_call_id;
      if (!open.delete(id)) orphans.push({ kind: "result", id, tool: message.name ?? "unknown", at });
      continue;
    }
    orphans.push(...open.values());
    open = new Map();
    if (!AIMessage.isInstance(message)) continue;
    for (const { id = "", name } of message.tool_calls ?? [])
      open.set(id, { kind: "call", id, tool: name, at });
  }
  return [...orphans, ...open.values()];
};
