import type { BaseMessage } from "@langchain/core/messages";

/** One tool call of the current task, with its result once there is one. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string | undefined;
  /** The tool said that it failed, by its status or by an error text with status success. */
  readonly failed: boolean;
  /** The result never came; the call may or may not have had its effect. */
  readonly cancelled: boolean;
}

interface CallLike {
  id?: string;
  name: string;
  args: Record<string, unknown>;
}

const callsOf = (message: BaseMessage): readonly CallLike[] =>
  message.getType() === "ai" ? ((message as BaseMessage & { tool_calls?: CallLike[] }).tool_calls ?? []) : [];

const isAnswer = (message: BaseMessage): boolean =>
  message.getType() === "ai" && callsOf(message).length === 0;

/** What deepagents puts in place of a result that never came. */
const CANCELLED = /^Tool call \S+ with id \S+ was cancelled/;

const saysError = (message: BaseMessage): boolean =>
  (message as BaseMessage & { status?: string }).status === "error" ||
  CANCELLED.test(message.text) ||
  /^\s*(?:error|conflict)\b/i.test(message.text);

/**
 * The messages of the task at hand: everything after the last answer. Notes that a middleware adds to a call arrive as
 * human messages too, so a human message alone never starts a task.
 */
const currentMessages = (messages: readonly BaseMessage[]): readonly BaseMessage[] =>
  messages.slice(messages.findLastIndex(isAnswer) + 1);

/** The text of the request that started the current task. */
export const requestOf = (messages: readonly BaseMessage[]): string =>
  currentMessages(messages).find((message) => message.getType() === "human")?.text ?? "";

/** The tool calls of the current task in the order in which they were made. */
export const stepsOf = (messages: readonly BaseMessage[]): readonly Step[] => {
  const current = currentMessages(messages);
  const results = new Map<string, BaseMessage>();
  for (const message of current) {
    const id = (message as BaseMessage & { tool_call_id?: string }).tool_call_id;
    if (message.getType() === "tool" && id !== undefined) results.set(id, message);
  }
  return current.flatMap((message) =>
    callsOf(message).map((call) => {
      const result = call.id === undefined ? undefined : results.get(call.id);
      return {
        tool: call.name,
        args: call.args,
        result: result?.text,
        failed: result !== undefined && saysError(result),
        cancelled: result !== undefined && CANCELLED.test(result.text),
      };
    }),
  );
};

/** A string argument of a call, or "" when it is missing or something else. */
export const textArg = (step: Step, name: string): string => {
  const value = step.args[name];
  return typeof value === "string" ? value : "";
};
