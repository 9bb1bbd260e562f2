import { ToolMessage } from "@langchain/core/messages";

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

const withoutResult = (call: CallSubject, content: string, outcome: string): ToolMessage =>
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

/** True for a message that says a call's outcome is unknown. */
export const isUnknownOutcome = (message: ToolMessage): boolean =>
  message.additional_kwargs?.[OUTCOME_KEY] === "unknown";
