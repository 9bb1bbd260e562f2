import type { Layer, PipelineCall, ToolResult } from "../call.js";
import { isGraphSignal, isRunStop } from "../control-flow.js";
import { argsDigest, contentDigest, contentText } from "../digest.js";
import { PipelineError, RunStoppedError } from "../errors.js";
import { failureKind, messageIn, outcomeOf } from "../outcomes.js";
import type { AuditOutcome, AuditRecord, AuditSink } from "./record.js";
import { checkRedactOptions, redact, type RedactOptions } from "./redact.js";

export interface AuditOptions {
  sink: AuditSink;
  /** Stop the run when a line cannot be written, instead of going on without it; default false. */
  auditRequired?: boolean;
  /** Write the arguments too, redacted; default false, then only their digest is written. */
  includeArgs?: boolean;
  /** What is secret besides what is known. */
  redact?: RedactOptions;
  /** Called once, with the first failure of the sink; default `process.emitWarning`. */
  onSinkError?: (error: unknown) => void;
  /** Milliseconds since 1970; default `Date.now`. */
  nowMs?: () => number;
  /** Milliseconds from any start, never going back, for durations; default `performance.now()`. */
  elapsedMs?: () => number;
}

const MAX_ARGS_CHARS = 16_000;
const MAX_INTERRUPTED = 10_000;

const digestOf = (args: PipelineCall["args"]): string => {
  try {
    return argsDigest(args);
  } catch {
    return "not JSON";
  }
};

type End = Pick<AuditRecord, "outcome" | "kind" | "resultDigest" | "resultBytes">;

const endOf = (result: ToolResult, callId: string): End => {
  const message = messageIn(result, callId);
  if (!message) return { outcome: "executed" };
  const ofResult = {
    resultDigest: contentDigest(message),
    resultBytes: Buffer.byteLength(contentText(message)),
  };
  const pipeline = outcomeOf(message);
  if (pipeline === "cached" || pipeline === "limited" || pipeline === "denied") {
    return { outcome: pipeline, ...ofResult };
  }
  if (pipeline === "loop" || pipeline === "declined")
    return { outcome: "denied", kind: pipeline, ...ofResult };
  if (message.status !== "error") return { outcome: "executed", ...ofResult };
  return { outcome: "failed", kind: pipeline ?? failureKind(message) ?? "failed", ...ofResult };
};

const endByThrow = (error: unknown, signal: AbortSignal | undefined): AuditOutcome => {
  if (isGraphSignal(error)) return "interrupted";
  return signal?.aborted === true || isRunStop(error) ? "aborted" : "failed";
};

/** A clock that is wrong costs the time of a line, not the call. */
const timeOf = (nowMs: () => number): string => {
  const now = new Date(nowMs());
  return Number.isNaN(now.getTime()) ? new Date().toISOString() : now.toISOString();
};

const warn = (error: unknown): void => {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(`The audit log cannot be written: ${reason}`, { code: "FIVESEAM_AUDIT" });
};

/**
 * The layer that writes one record a call, whatever became of it. It stands outermost. An interrupt is written once, however
 * often the step is run again until it is answered.
 */
export const audit = (options: AuditOptions): Layer => {
  if (typeof (options.sink as Partial<AuditSink> | undefined)?.write !== "function")
    throw new PipelineError("invalid_option", "`audit.sink` is required: an object with a method `write`.");
  const { sink, auditRequired = false, includeArgs = false, onSinkError = warn } = options;
  const { nowMs = Date.now, elapsedMs = () => performance.now() } = options;
  checkRedactOptions(options.redact ?? {});
  const interrupted = new Set<string>();
  let reported = false;

  const report = (error: unknown): void => {
    if (reported) return;
    reported = true;
    onSinkError(error);
  };

  const argsOf = (call: PipelineCall): { args?: unknown } => {
    if (!includeArgs) return {};
    const args = redact(call.args, options.redact);
    return { args: JSON.stringify(args).length > MAX_ARGS_CHARS ? "[too large]" : args };
  };

  const write = async (call: PipelineCall, began: number, time: string, end: End): Promise<void> => {
    const key = `${call.threadId ?? ""}\n${call.namespace}\n${call.id}`;
    if (end.outcome === "interrupted") {
      if (interrupted.has(key)) return;
      if (interrupted.size >= MAX_INTERRUPTED) interrupted.clear();
      interrupted.add(key);
    } else interrupted.delete(key);
    try {
      const written = sink.write({
        time,
        ...(call.threadId === undefined ? {} : { thread: call.threadId }),
        namespace: call.namespace,
        ...(call.agent === undefined ? {} : { agent: call.agent }),
        ...(call.role === undefined ? {} : { role: call.role }),
        callId: call.id,
        tool: call.toolName,
        effects: call.declaration.effects,
        argsDigest: digestOf(call.args),
        ...argsOf(call),
        ...end,
        durationMs: Math.round((elapsedMs() - began) * 1_000) / 1_000,
        ...(call.anchor?.resumed === true ? { resumed: true as const } : {}),
      });
      if (auditRequired) await written;
      else written?.catch(report);
    } catch (error) {
      report(error);
      if (auditRequired) {
        throw new RunStoppedError("audit", "The run was stopped: its audit log cannot be written.", {
          cause: error,
        });
      }
    }
  };

  return {
    name: "audit",
    async handle(call, next) {
      const began = elapsedMs();
      const time = timeOf(nowMs);
      let result: ToolResult;
      try {
        result = await next(call);
      } catch (error) {
        // What the graph must see goes first; that the line is missing was reported.
        await write(call, began, time, { outcome: endByThrow(error, call.signal) }).catch(() => undefined);
        throw error;
      }
      await write(call, began, time, endOf(result, call.id));
      return result;
    },
  };
};
