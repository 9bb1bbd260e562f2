import { declinedCall, stoppedCall, unfinishedCallIds, unknownCall } from "@fiveseam/tool-pipeline";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver, CheckpointTuple, StateSnapshot } from "@langchain/langgraph";
import { readInterrupt, type PendingInterrupt } from "./approvals.js";
import type { EventSource } from "./events.js";
import { partsOf } from "./message-content.js";

/** The messages that a value of the `messages` channel, or a write to it, holds; a damaged one holds none. */
const messagesIn = (value: unknown): BaseMessage[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
    (each): each is BaseMessage => typeof (each as BaseMessage | null)?.getType === "function",
  );

export const messagesOf = (values: unknown): BaseMessage[] =>
  messagesIn((values as { messages?: unknown } | undefined)?.messages ?? []);

/** What the agent said last, from a stored state. */
export const lastTextOf = (values: unknown): string => {
  const last = messagesOf(values).findLast((message) => message.getType() === "ai");
  return last ? partsOf(last).text : "";
};

/** Channels of pending writes that are not a task's result (LangGraph 1.5, constants.js). */
const NOT_RESULTS = new Set(["__interrupt__", "__resume__", "__error__", "__error_source_node__"]);

/**
 * What a thread waits for. A task that was resumed and has finished, while a parallel one has not, keeps its interrupt
 * in the checkpoint, and `getState` leaves out its result then; only the pending writes tell that it is answered.
 */
export const pendingInterrupts = (
  state: StateSnapshot,
  tuple: CheckpointTuple | undefined,
): PendingInterrupt[] => {
  const done = new Set(
    (tuple?.pendingWrites ?? []).flatMap(([taskId, channel]) => (NOT_RESULTS.has(channel) ? [] : [taskId])),
  );
  return state.tasks
    .filter((task) => task.interrupts.length > 0 && !done.has(task.id))
    .flatMap((task) =>
      task.interrupts.flatMap((interrupt) => {
        const read = readInterrupt(interrupt as { id?: string; value?: unknown });
        const source = delegateOf(task, tuple);
        return read ? [source ? { ...read, source } : read] : [];
      }),
    );
};

/** True when a task of an unfinished step waits for an answer. */
export const hasOpenInterrupt = (tuple: CheckpointTuple | undefined): boolean => {
  const writes = tuple?.pendingWrites ?? [];
  return writes.some(
    ([taskId, channel]) =>
      channel === "__interrupt__" &&
      !writes.some(([other, written]) => other === taskId && !NOT_RESULTS.has(written)),
  );
};

/** The calls of the last step that have no result in the checkpoint, in the order in which their tasks were made. */
const openCalls = (
  tuple: CheckpointTuple | undefined,
): { id: string; name: string; args: Record<string, unknown> }[] => {
  const stored = messagesOf(tuple?.checkpoint.channel_values);
  const at = stored.findLastIndex((message) => AIMessage.isInstance(message));
  const calls = at < 0 ? [] : ((stored[at] as AIMessage).tool_calls ?? []);
  const answered = new Set(
    stored
      .slice(at + 1)
      .flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  return calls
    .filter((call) => !answered.has(call.id ?? ""))
    .map(({ id, name, args }) => ({ id: id ?? "", name, args }));
};

/** The delegate that a task of the root graph runs: its path is [push, position of the call, …]. */
const delegateOf = (
  task: StateSnapshot["tasks"][number],
  tuple: CheckpointTuple | undefined,
): EventSource | undefined => {
  const position = task.path?.[1];
  const call = task.name === "tools" && typeof position === "number" ? openCalls(tuple)[position] : undefined;
  if (call?.name !== "task") return undefined;
  return { agent: String(call.args["subagent_type"] ?? "delegate"), delegation: call.id };
};

/** Messages in the writes of tasks that have finished in a step that has not. */
const pendingMessages = (tuple: CheckpointTuple): BaseMessage[] =>
  (tuple.pendingWrites ?? []).flatMap(([, channel, value]) =>
    channel === "messages" ? messagesIn(value) : [],
  );

/**
 * The messages that bring an unfinished step to an end, so that a new user message can follow it. LangGraph drops the
 * stored results of a step when new input comes instead of a resume, and deepagents would then tell the model that
 * every call of it was cancelled, those that ran included. Here each call gets what is known of it: its stored result,
 * "unknown" when it had begun, else that it was stopped (or declined, when an approval was waited for).
 */
export const closingMessages = (tuple: CheckpointTuple | undefined, declined: boolean): BaseMessage[] => {
  if (!tuple) return [];
  const stored = messagesOf(tuple.checkpoint.channel_values);
  const late = pendingMessages(tuple);
  const begun = unfinishedCallIds(tuple.pendingWrites);
  const results = openCalls(tuple).map((call) => {
    const { id } = call;
    const result = late.find((message) => ToolMessage.isInstance(message) && message.tool_call_id === id);
    if (result) return result;
    const subject = { id, toolName: call.name };
    // A delegate has its own checkpoints and no note of its own; what it began may have taken effect.
    if (begun.has(id) || (call.name === "task" && !declined)) return unknownCall(subject);
    return declined ? declinedCall(subject) : stoppedCall(subject);
  });
  // Messages that had joined the step behind a result.
  const known = new Set(stored.map((message) => message.id));
  const joined = late.filter((message) => HumanMessage.isInstance(message) && !known.has(message.id));
  return [...results, ...joined];
};

/** The ids of the tool calls whose results are stored in a graph of the thread, in its checkpoint or beside it. */
export const storedCallIds = async (
  checkpointer: Pick<BaseCheckpointSaver, "getTuple">,
  threadId: string,
  namespace: string,
): Promise<Set<string>> => {
  const tuple = await checkpointer.getTuple({
    configurable: { thread_id: threadId, checkpoint_ns: namespace },
  });
  if (!tuple) return new Set();
  return new Set(
    [...messagesOf(tuple.checkpoint.channel_values), ...pendingMessages(tuple)].flatMap((message) =>
      ToolMessage.isInstance(message) ? [message.tool_call_id] : [],
    ),
  );
};
