import { EFFECTS, type ApprovalDetails } from "@fiveseam/tool-pipeline";
import { z } from "zod";

/** Whose event it is: the main agent's, or a delegate's. */
export interface EventSource {
  /** "main", or the role of the delegate. */
  agent: string;
  /** The id of the `task` call that started the delegate; null for the main agent. */
  delegation: string | null;
}

interface EventBase extends EventSource {
  runId: string;
  threadId: string;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** Part of `inputTokens` read from the provider's cache. */
  cacheReadTokens?: number;
  /** Part of `inputTokens` written to the provider's cache. */
  cacheWriteTokens?: number;
  /** Part of `outputTokens` spent on reasoning. */
  reasoningTokens?: number;
}

export type Decision = "approve" | "edit" | "reject";

/** One thing that waits for an approval. */
export interface ApprovalAction {
  tool: string;
  args: Record<string, unknown>;
  description: string;
  /** The decisions that this action accepts. */
  allowed: Decision[];
  /** What would happen: the diffs, the command with what is in doubt about it, the tool's effects. Not for raw `interruptOn`. */
  details?: ApprovalDetails;
  /** What `{ type: "approve", remember: true }` would answer too. Undefined when an approval cannot be remembered. */
  remember?: string;
  /** When it counts as denied, in milliseconds since 1970. */
  expiresAt?: number;
}

/** What a warning is about. */
export const WARNING_CODES = [
  /** The default state directory cannot be used: nothing of this agent survives its process. */
  "state_in_memory",
  /** Instructions, memories or skills could not be read; the prompt went without them. */
  "memory_unreadable",
  /** A skill is bad, and skipped or used with a remark. */
  "skill_skipped",
  /** A note about the moment (open editor, diagnostics, one of your own) failed and was left out. */
  "note_failed",
  /** The conversation nears what the model takes; soon it is compacted. */
  "context_nearly_full",
  /** Even compacted the conversation is more than the model takes. */
  "context_still_full",
  /** What a compaction took out could not be written to a file. It is still in the thread. */
  "history_not_kept",
  /** A summary could not be written by a model; another way of compaction was taken. */
  "summary_failed",
  /** A tier of compaction failed; the next was taken. */
  "compaction_failed",
  /** A middleware of yours threw; the call went on without it. */
  "middleware_failed",
  /** A middleware of yours could not be made; the agent goes without it. */
  "middleware_skipped",
  /** Approved actions that langchain dropped because another one of the same approval was rejected. */
  "approval_dropped",
  /** A new message was taken as declining the approvals that the thread waited for. */
  "approvals_declined",
  /** A queued message was not sent, because the thread waits for an answer. */
  "not_sent",
  /** The run has a `maxCost`, and a call's price or usage is not known: it does not count towards the limit. */
  "cost_unknown",
  /** A fallback or a role's own model cannot be used here (no key, no package); the run goes without it. */
  "model_unavailable",
  /** The audit log cannot be written; calls go on without it. */
  "audit_incomplete",
  /** A file of stored tasks or memory could not be read: it was set aside, and the store goes on without it. */
  "state_set_aside",
  /** The workspace's own file about commands cannot be followed: the strictest profile holds. */
  "policy_unreadable",
  /** A tool has a schema or a name that providers refuse; the agent goes without it. */
  "tool_quarantined",
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

/** "unknown": the run stopped while the call was under way, and it was not repeated. */
export type ToolStatus = "success" | "error" | "unknown";

/** Why a run came to its end. */
export type FinishReason =
  /** The agent gave its final answer. */
  | "completed"
  /** Approvals or answers are needed; call `resume` with them. */
  | "needs_input"
  /** The signal was aborted, or the iteration was ended early. The thread can be resumed. */
  | "aborted"
  /** A limit of the run was reached; `error` says which. The thread can be resumed, with the limit counted anew. */
  | "limit"
  /** Something failed that the agent could not work around; `error` says what. The thread can be resumed. */
  | "failed"
  /** The message became part of the run that was under way (`whenBusy: "queue"`). */
  | "joined";

export type RunEvent = EventBase &
  (
    | { type: "run.started"; resumed: boolean }
    | { type: "text.delta"; messageId: string; text: string }
    | { type: "reasoning.delta"; messageId: string; text: string }
    | { type: "tool.started"; callId: string; tool: string; args: Record<string, unknown> }
    | {
        type: "tool.finished";
        callId: string;
        tool: string;
        status: ToolStatus;
        /** What the model is told. */
        output: string;
        /** What programs are told beside it, as the tool defines. */
        artifact?: unknown;
        /** True when the call finished in an earlier run and is reported again because that step is resumed. */
        restored: boolean;
      }
    | { type: "todos.changed"; todos: { content: string; status: "pending" | "in_progress" | "completed" }[] }
    | { type: "delegate.started"; callId: string; role: string; brief: string }
    | {
        type: "delegate.finished";
        callId: string;
        role: string;
        status: ToolStatus;
        report: string;
        restored: boolean;
      }
    /** A delegate is at work, however quiet it is; `callId` is that of its `delegate.started`. */
    | { type: "delegate.heartbeat"; callId: string; role: string; elapsedMs: number }
    | { type: "approval.needed"; interruptId: string; actions: ApprovalAction[] }
    | { type: "input.needed"; interruptId: string; value: unknown }
    | {
        type: "usage";
        messageId: string;
        model: string | null;
        usage: Usage;
        /** US dollars at list price; null when the price is not known. */
        cost: number | null;
      }
    | { type: "warning"; code: WarningCode; message: string }
    /**
     * The conversation was compacted: 1 old results of tools were taken out, 2 its older part was summarised, 3 all but its
     * last messages were replaced. What was taken out can be read below `keptIn`; null when it could not be kept.
     */
    | {
        type: "context.compacted";
        tier: 1 | 2 | 3;
        cause: "threshold" | "overflow";
        tokensBefore: number;
        tokensAfter: number;
        keptIn: string | null;
      }
    | { type: "waiting"; reason: "thread_busy" | "provider"; untilMs: number | null }
    /** A model's call failed and is made again: by the same model (`to` equals `from`) or by the next one. */
    | { type: "model.retried"; from: string; to: string; reason: string; message: string }
    /** Text of this message was streamed before its call failed: it is void, the answer starts again. */
    | { type: "text.discarded"; messageId: string }
    | {
        type: "run.finished";
        reason: FinishReason;
        /** The final answer, or what the agent said last. */
        text: string;
        /** The structured response, when the agent was made with a `responseFormat`. */
        response?: unknown;
        error?: { name: string; message: string; code?: string };
        /** What the run's model calls cost in US dollars, and how many of them could not be priced. */
        cost: { total: number; unpricedCalls: number };
        /** With reason "joined": the run that took the message. */
        joinedRunId?: string;
      }
  );

export type RunEventType = RunEvent["type"];

const base = {
  runId: z.string(),
  threadId: z.string(),
  agent: z.string(),
  delegation: z.string().nullable(),
};
const status = z.enum(["success", "error", "unknown"]);
const count = z.number().int().nonnegative();

const details: z.ZodType<ApprovalDetails> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("tool"), effects: z.array(z.enum(EFFECTS)) }),
  z.object({
    kind: z.literal("command"),
    command: z.string(),
    cwd: z.string(),
    segments: z.array(z.object({ text: z.string(), verdict: z.string(), why: z.string() })),
  }),
  z.object({
    kind: z.literal("change"),
    change: z.string(),
    files: z.array(
      z.object({
        file: z.string(),
        kind: z.enum(["create", "change", "delete"]),
        diff: z.string().optional(),
      }),
    ),
    more: count,
    others: z.array(z.string()),
  }),
]);

/**
 * The schema of `RunEvent`, for programs that receive events as JSON.
 *
 * @example
 * ```ts
 * import { runEventSchema } from "fiveseam";
 *
 * const event = runEventSchema.parse(JSON.parse('{"type":"run.started","runId":"r","threadId":"t","agent":"main","delegation":null,"resumed":false}'));
 * console.log(event.type);
 * ```
 */
export const runEventSchema: z.ZodType<RunEvent> = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("run.started"), resumed: z.boolean() }),
  z.object({ ...base, type: z.literal("text.delta"), messageId: z.string(), text: z.string() }),
  z.object({ ...base, type: z.literal("reasoning.delta"), messageId: z.string(), text: z.string() }),
  z.object({
    ...base,
    type: z.literal("tool.started"),
    callId: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...base,
    type: z.literal("tool.finished"),
    callId: z.string(),
    tool: z.string(),
    status,
    output: z.string(),
    artifact: z.unknown().optional(),
    restored: z.boolean(),
  }),
  z.object({
    ...base,
    type: z.literal("todos.changed"),
    todos: z.array(
      z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) }),
    ),
  }),
  z.object({
    ...base,
    type: z.literal("delegate.started"),
    callId: z.string(),
    role: z.string(),
    brief: z.string(),
  }),
  z.object({
    ...base,
    type: z.literal("delegate.finished"),
    callId: z.string(),
    role: z.string(),
    status,
    report: z.string(),
    restored: z.boolean(),
  }),
  z.object({
    ...base,
    type: z.literal("delegate.heartbeat"),
    callId: z.string(),
    role: z.string(),
    elapsedMs: z.number(),
  }),
  z.object({
    ...base,
    type: z.literal("approval.needed"),
    interruptId: z.string(),
    actions: z.array(
      z.object({
        tool: z.string(),
        args: z.record(z.string(), z.unknown()),
        description: z.string(),
        allowed: z.array(z.enum(["approve", "edit", "reject"])),
        details: details.optional(),
        remember: z.string().optional(),
        expiresAt: z.number().optional(),
      }),
    ),
  }),
  z.object({ ...base, type: z.literal("input.needed"), interruptId: z.string(), value: z.unknown() }),
  z.object({
    ...base,
    type: z.literal("usage"),
    messageId: z.string(),
    model: z.string().nullable(),
    usage: z.object({
      inputTokens: count,
      outputTokens: count,
      totalTokens: count,
      cacheReadTokens: count.optional(),
      cacheWriteTokens: count.optional(),
      reasoningTokens: count.optional(),
    }),
    cost: z.number().nullable(),
  }),
  z.object({ ...base, type: z.literal("warning"), code: z.enum(WARNING_CODES), message: z.string() }),
  z.object({
    ...base,
    type: z.literal("context.compacted"),
    tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    cause: z.enum(["threshold", "overflow"]),
    tokensBefore: count,
    tokensAfter: count,
    keptIn: z.string().nullable(),
  }),
  z.object({
    ...base,
    type: z.literal("waiting"),
    reason: z.enum(["thread_busy", "provider"]),
    untilMs: z.number().nullable(),
  }),
  z.object({
    ...base,
    type: z.literal("model.retried"),
    from: z.string(),
    to: z.string(),
    reason: z.string(),
    message: z.string(),
  }),
  z.object({ ...base, type: z.literal("text.discarded"), messageId: z.string() }),
  z.object({
    ...base,
    type: z.literal("run.finished"),
    reason: z.enum(["completed", "needs_input", "aborted", "failed", "limit", "joined"]),
    text: z.string(),
    response: z.unknown().optional(),
    error: z.object({ name: z.string(), message: z.string(), code: z.string().optional() }).optional(),
    joinedRunId: z.string().optional(),
    cost: z.object({ total: z.number(), unpricedCalls: count }),
  }),
]);

/** `RunEvent` as JSON Schema (draft 2020-12), for programs in other languages. */
export const runEventJsonSchema: Readonly<Record<string, unknown>> = z.toJSONSchema(runEventSchema, {
  target: "draft-2020-12",
}) as Record<string, unknown>;
