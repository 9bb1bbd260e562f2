import { unknownCall } from "@fiveseam/tool-pipeline";
import { AIMessage, RemoveMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  getConfig,
  REMOVE_ALL_MESSAGES,
  type BaseCheckpointSaver,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { createPatchToolCallsMiddleware } from "deepagents";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { closingMessages, hasOpenInterrupt, messagesOf } from "./thread-state.js";

const MAX_PARENTS = 20;

/** The calls of a message that nothing behind it answers. */
const openIn = (messages: readonly BaseMessage[], at: number): { id: string; name: string }[] => {
  const message = messages[at];
  if (!AIMessage.isInstance(message)) return [];
  const answered = new Set(
    messages.slice(at + 1).flatMap((each) => (ToolMessage.isInstance(each) ? [each.tool_call_id] : [])),
  );
  return (message.tool_calls ?? [])
    .map(({ id, name }) => ({ id: id ?? "", name }))
    .filter(({ id }) => !answered.has(id));
};

/**
 * The checkpoint in which the message's step was left unfinished: an ancestor of the one that new input has made. The newest one
 * may not be stored yet, for LangGraph's durability defaults to "async".
 */
const unfinished = async (aiMessageId: string): Promise<CheckpointTuple | undefined> => {
  const { configurable = {} } = getConfig() as { configurable?: Record<string, unknown> };
  const saver = configurable["__pregel_checkpointer"] as BaseCheckpointSaver | undefined;
  if (typeof saver?.getTuple !== "function") return undefined;
  const thread = { thread_id: configurable["thread_id"], checkpoint_ns: "" };
  const current = (configurable["checkpoint_map"] as Record<string, unknown> | undefined)?.[""];
  let tuple =
    (await saver.getTuple({ configurable: { ...thread, checkpoint_id: current } })) ??
    (await saver.getTuple({ configurable: thread }));
  for (let seen = 0; tuple && seen < MAX_PARENTS; seen += 1) {
    const { source } = tuple.metadata ?? {};
    // The checkpoint of the new input still ends in that message too, and holds no writes.
    if (source !== "input" && messagesOf(tuple.checkpoint.channel_values).at(-1)?.id === aiMessageId)
      return tuple;
    tuple = tuple.parentConfig && (await saver.getTuple(tuple.parentConfig));
  }
  return undefined;
};

/** What a step left behind, from the checkpoint; what is not known of there is called unknown. */
const closing = async (
  message: BaseMessage,
  open: { id: string; name: string }[],
): Promise<BaseMessage[]> => {
  const tuple = await unfinished(message.id ?? "").catch(() => undefined);
  const known = closingMessages(tuple, hasOpenInterrupt(tuple));
  const results = open.map(
    ({ id, name }) =>
      known.find((each) => ToolMessage.isInstance(each) && each.tool_call_id === id) ??
      unknownCall({ id, toolName: name }),
  );
  return [...results, ...known.filter((each) => !ToolMessage.isInstance(each))];
};

/**
 * Takes the place of deepagents' middleware of this name. That one tells the model that a call which was under way when the run
 * was stopped "was cancelled", though it may have taken effect, and so may a call that had finished beside it. `run` closes the
 * step before it sends a message; this does it for a message that comes by `invoke` or from a LangGraph server's client.
 */
export const closedSteps = (): AgentMiddleware => {
  const { name, wrapModelCall } = createPatchToolCallsMiddleware();
  return createMiddleware({
    name,
    beforeAgent: async ({ messages }) => {
      const closed: BaseMessage[] = [];
      for (const [at, message] of messages.entries()) {
        closed.push(message);
        const open = openIn(messages, at);
        if (open.length > 0) closed.push(...(await closing(message, open)));
      }
      if (closed.length === messages.length) return undefined;
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...closed] };
    },
    ...(wrapModelCall ? { wrapModelCall } : {}),
  }) as AgentMiddleware;
};
