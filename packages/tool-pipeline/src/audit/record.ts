import type { Effect } from "../effects.js";

/** How a call ended. A call that the loop guard refused is `denied` with kind `loop`. */
export type AuditOutcome =
  "executed" | "cached" | "limited" | "denied" | "failed" | "interrupted" | "aborted";

/** What is written of one call. */
export interface AuditRecord {
  /** When the call began, ISO 8601. */
  readonly time: string;
  readonly thread?: string;
  /** LangGraph's checkpoint namespace; with thread and callId it names the call. */
  readonly namespace: string;
  readonly agent?: string;
  readonly role?: string;
  readonly callId: string;
  readonly tool: string;
  readonly effects: readonly Effect[];
  /** SHA-256 of the arguments in canonical form. */
  readonly argsDigest: string;
  /** The arguments, redacted; only with `includeArgs`. */
  readonly args?: unknown;
  readonly outcome: AuditOutcome;
  /** Why, in one word: see `failureKind`, or what the pipeline did. */
  readonly kind?: string;
  readonly durationMs: number;
  /** SHA-256 of the result's text, and its length in UTF-8. */
  readonly resultDigest?: string;
  readonly resultBytes?: number;
  /** True when the step was run again, after an interrupt or a crash. */
  readonly resumed?: true;
}

/** Where records go. Called once a line, in the order in which calls end. */
export interface AuditSink {
  /** May throw or reject; what that means is the pipeline's matter. */
  write(record: AuditRecord): void | Promise<void>;
  /** Resolves when what was written would survive the machine. */
  flush?(): Promise<void>;
  close?(): Promise<void>;
}

/**
 * One record a call: a call that was interrupted and resumed has a line for the interrupt and one for its end, of which the
 * last counts.
 *
 * @example
 * ```ts
 * import { auditedCalls, memoryAuditSink } from "@fiveseam/tool-pipeline";
 *
 * const sink = memoryAuditSink();
 * const failed = auditedCalls(sink.records).filter((call) => call.outcome === "failed");
 * ```
 */
export const auditedCalls = (records: Iterable<AuditRecord>): AuditRecord[] => {
  const calls = new Map<string, AuditRecord>();
  for (const record of records) {
    calls.set(`${record.thread ?? ""}\n${record.namespace}\n${record.callId}`, record);
  }
  return [...calls.values()];
};
