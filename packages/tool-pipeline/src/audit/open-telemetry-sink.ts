import type { AuditSink } from "./record.js";

type Attributes = Record<string, string | number | boolean | string[]>;

/** The part of OpenTelemetry's `Tracer` that is used, so that this package does not depend on it. */
export interface AuditTracer {
  startSpan(
    name: string,
    options: { startTime: number; attributes: Attributes },
  ): {
    setStatus(status: { code: number; message?: string }): unknown;
    end(endTime: number): void;
  };
}

// SpanStatusCode.ERROR of @opentelemetry/api.
const ERROR = 2;

/**
 * Makes each record a span, named and attributed as the semantic conventions for generative AI say (`execute_tool`,
 * `gen_ai.tool.*`). Arguments are not exported.
 *
 * @example
 * ```ts
 * import { createPipeline, openTelemetryAuditSink, type AuditTracer } from "@fiveseam/tool-pipeline";
 *
 * // trace.getTracer("my-agent") of @opentelemetry/api
 * const pipelineWith = (tracer: AuditTracer) => createPipeline({ audit: { sink: openTelemetryAuditSink(tracer) } });
 * ```
 */
export const openTelemetryAuditSink = (tracer: AuditTracer): AuditSink => ({
  write(record) {
    const startTime = Date.parse(record.time);
    const span = tracer.startSpan(`execute_tool ${record.tool}`, {
      startTime,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": record.tool,
        "gen_ai.tool.call.id": record.callId,
        ...(record.thread === undefined ? {} : { "gen_ai.conversation.id": record.thread }),
        ...(record.agent === undefined ? {} : { "gen_ai.agent.name": record.agent }),
        ...(record.role === undefined ? {} : { "fiveseam.role": record.role }),
        ...(record.resultBytes === undefined ? {} : { "fiveseam.result.bytes": record.resultBytes }),
        ...(record.kind === undefined ? {} : { "error.type": record.kind }),
        "fiveseam.outcome": record.outcome,
        "fiveseam.effects": [...record.effects],
        "fiveseam.args.digest": record.argsDigest,
      },
    });
    if (record.outcome === "failed") span.setStatus({ code: ERROR, message: record.kind ?? "failed" });
    span.end(startTime + record.durationMs);
  },
});
