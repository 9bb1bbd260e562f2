import { ToolMessage } from "@langchain/core/messages";
import { Command, isCommand } from "@langchain/langgraph";
import type { ToolResult } from "./call.js";

/** What the model is told of a call that was under way when the run stopped. */
export const UNKNOWN_OUTCOME =
  "The outcome of this call is unknown: the run stopped while it was under way, so it may have taken effect fully, " +
  "in part or not at all. It was not repeated. Look at what it would have changed before you call it again.";

const STOPPED =
  "This call did not finish: the run was stopped. Call it again if you still need it; repeating it does no harm.";

const DECLINED =
  "This call was not carried out: it waited for an approval, and the user sent another message instead.";

/** The call that a message is about. */
export interface CallSubject {
  readonly id: string;
  readonly toolName: string;
}

// Not in the artifact, which belongs to the tool.
const OUTCOME_KEY = "fiveseam_outcome";
const FAILURE_KEY = "fiveseam_failure";
const TRUNCATED_KEY = "fiveseam_truncated";

/** What became of a call, other than that its tool ran and answered. */
export type CallOutcome = "cached" | "limited" | "denied" | "loop" | "unknown" | "stopped" | "declined";

/** The answer to a call that did not run its tool. */
export const withoutResult = (call: CallSubject, content: string, outcome: CallOutcome): ToolMessage =>
  new ToolMessage({
    status: "error",
    name: call.toolName,
    tool_call_id: call.id,
    content,
    additional_kwargs: { [OUTCOME_KEY]: outcome },
  });

export const unknownCall = (call: CallSubject): ToolMessage =>
  withoutResult(call, UNKNOWN_OUTCOME, "unknown");

/** For a call that had not begun, or that may be repeated: one without a note of `unfinished-calls`. */
export const stoppedCall = (call: CallSubject): ToolMessage => withoutResult(call, STOPPED, "stopped");

export const declinedCall = (call: CallSubject): ToolMessage => withoutResult(call, DECLINED, "declined");

/** The answer to a call whose tool failed. */
export const failedCall = (call: CallSubject, content: string, kind: string): ToolMessage =>
  new ToolMessage({
    status: "error",
    name: call.toolName,
    tool_call_id: call.id,
    content,
    additional_kwargs: { [FAILURE_KEY]: kind },
  });

/** The message with other fields; the original may be shared with whoever else asked the same. */
export const copyOf = (
  message: ToolMessage,
  change: {
    id?: string;
    content?: ToolMessage["content"];
    failure?: string;
    outcome?: CallOutcome;
    truncated?: boolean;
  },
): ToolMessage =>
  new ToolMessage({
    content: change.content ?? message.content,
    tool_call_id: change.id ?? message.tool_call_id,
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(change.failure === undefined
      ? message.status === undefined
        ? {}
        : { status: message.status }
      : { status: "error" as const }),
    artifact: message.artifact as unknown,
    metadata: message.metadata as Record<string, unknown>,
    response_metadata: message.response_metadata,
    additional_kwargs: {
      ...message.additional_kwargs,
      ...(change.failure === undefined ? {} : { [FAILURE_KEY]: change.failure }),
      ...(change.outcome === undefined ? {} : { [OUTCOME_KEY]: change.outcome }),
      ...(change.truncated === true ? { [TRUNCATED_KEY]: true } : {}),
    },
  });

/** The message that answers a call: the result itself, or the one among a Command's messages. */
export const messageIn = (result: ToolResult, callId: string): ToolMessage | undefined => {
  if (!isCommand(result)) return ToolMessage.isInstance(result) ? result : undefined;
  const { messages } = (result.update ?? {}) as { messages?: unknown };
  return (Array.isArray(messages) ? (messages as unknown[]) : []).find(
    (message): message is ToolMessage => ToolMessage.isInstance(message) && message.tool_call_id === callId,
  );
};

/**
 * The result with a line in front, for the model and whoever reads the conversation.
 *
 * @example
 * ```ts
 * import { withNote, type Layer } from "@fiveseam/tool-pipeline";
 *
 * const reminder: Layer = {
 *   name: "reminder",
 *   handle: async (call, next) => withNote(await next(call), call.id, "[seen by the reminder]"),
 * };
 * ```
 */
export const withNote = (result: ToolResult, callId: string, note: string): ToolResult => {
  const message = messageIn(result, callId);
  if (!message) return result;
  const { content } = message;
  const noted = copyOf(message, {
    content:
      typeof content === "string"
        ? `${note}\n${content}`
        : [{ type: "text" as const, text: note }, ...content],
  });
  if (!isCommand(result)) return noted;
  const { update } = result as Command;
  const { messages } = update as { messages: unknown[] };
  return new Command({
    ...(result as Command),
    update: { ...update, messages: messages.map((each) => (each === message ? noted : each)) },
  }) as ToolResult;
};

/** What the pipeline did with the call that a message answers; undefined when its tool ran. */
export const outcomeOf = (message: ToolMessage): CallOutcome | undefined =>
  message.additional_kwargs?.[OUTCOME_KEY] as CallOutcome | undefined;

/**
 * Why a tool failed, in one word: what was reported (`reportOutcome`), `invalid_arguments`, the `code` of what the tool
 * threw, or `failed`. Undefined when it did not fail.
 */
export const failureKind = (message: ToolMessage): string | undefined =>
  message.additional_kwargs?.[FAILURE_KEY] as string | undefined;

/** True when a result says that it is not the whole: by the pipeline's own mark, or `truncated: true` in its artifact. */
export const isTruncated = (message: ToolMessage): boolean =>
  message.additional_kwargs?.[TRUNCATED_KEY] === true ||
  (message.artifact as { truncated?: unknown } | null | undefined)?.truncated === true;

/** True for a message that says a call's outcome is unknown. */
export const isUnknownOutcome = (message: ToolMessage): boolean => outcomeOf(message) === "unknown";
