import type { RunMode } from "@fiveseam/subagents";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";

// On the message that a run begins with, since LangGraph stores neither a run's context nor its metadata, and a resume in
// another process has to know. Both modes are marked: a message that a middleware put in has no mark and decides nothing.
const KEY = "fiveseam_mode";

/** The message, marked with the mode that it asks for; a mark that the caller put there does not count. */
export const withMode = (message: HumanMessage, mode: RunMode): HumanMessage => {
  message.additional_kwargs = { ...message.additional_kwargs, [KEY]: mode };
  return message;
};

/** The message that the run began with which left the thread as it is. */
export const lastStart = (messages: readonly BaseMessage[]): BaseMessage | undefined =>
  messages.findLast(
    (message) => message.getType() === "human" && message.additional_kwargs?.[KEY] !== undefined,
  );

/** The mode that the message asked for. */
export const modeOf = (message: BaseMessage | undefined): RunMode =>
  message?.additional_kwargs[KEY] === "plan" ? "plan" : "act";

/**
 * The mode by which a call is judged: the context's, else that of the message that is being answered. A client of LangGraph that
 * resumes a run of ours gives no context.
 */
export const modeInForce = (context: unknown, messages: readonly unknown[]): unknown => {
  const { mode } = (context ?? {}) as { mode?: unknown };
  if (mode !== undefined) return mode;
  const last = messages.findLast((message): message is HumanMessage => HumanMessage.isInstance(message));
  return last?.additional_kwargs[KEY];
};
