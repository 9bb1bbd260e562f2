import type { z } from "zod";
import { describe, expect, expectTypeOf, it } from "vitest";
import { runEventJsonSchema, runEventSchema, type RunEvent, type RunEventType } from "../src/index.js";

const base = { runId: "r", threadId: "t", agent: "main", delegation: null };

/** One event of each type; the record is total, so a new type without an example does not compile. */
const EXAMPLES: { [Type in RunEventType]: Extract<RunEvent, { type: Type }> } = {
  "run.started": { ...base, type: "run.started", resumed: false },
  "text.delta": { ...base, type: "text.delta", messageId: "m", text: "x" },
  "reasoning.delta": { ...base, type: "reasoning.delta", messageId: "m", text: "x" },
  "tool.started": { ...base, type: "tool.started", callId: "c", tool: "ls", args: { path: "/" } },
  "tool.finished": {
    ...base,
    type: "tool.finished",
    callId: "c",
    tool: "ls",
    status: "unknown",
    output: "",
    restored: false,
  },
  "todos.changed": { ...base, type: "todos.changed", todos: [{ content: "x", status: "pending" }] },
  "delegate.started": { ...base, type: "delegate.started", callId: "c", role: "r", brief: "b" },
  "delegate.finished": {
    ...base,
    type: "delegate.finished",
    callId: "c",
    role: "r",
    status: "error",
    report: "",
    restored: true,
  },
  "approval.needed": {
    ...base,
    type: "approval.needed",
    interruptId: "i",
    actions: [{ tool: "delete", args: {}, description: "", allowed: ["approve"] }],
  },
  "input.needed": { ...base, type: "input.needed", interruptId: "i", value: { any: "thing" } },
  usage: {
    ...base,
    type: "usage",
    messageId: "m",
    model: null,
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    cost: 0.25,
  },
  warning: { ...base, type: "warning", code: "not_sent", message: "m" },
  waiting: { ...base, type: "waiting", reason: "thread_busy", untilMs: null },
  "delegate.heartbeat": {
    ...base,
    type: "delegate.heartbeat",
    callId: "c",
    role: "tester",
    elapsedMs: 30_000,
  },
  "context.compacted": {
    ...base,
    type: "context.compacted",
    tier: 2,
    cause: "threshold",
    tokensBefore: 9,
    tokensAfter: 4,
    keptIn: null,
  },
  "model.retried": { ...base, type: "model.retried", from: "a:b", to: "c:d", reason: "auth", message: "m" },
  "text.discarded": { ...base, type: "text.discarded", messageId: "m" },
  "run.finished": {
    ...base,
    type: "run.finished",
    reason: "failed",
    text: "",
    error: { name: "E", message: "m" },
    cost: { total: 0.5, unpricedCalls: 1 },
  },
};

describe("the schema of run events", () => {
  it.each(Object.values(EXAMPLES))("accepts $type as it is", (event) => {
    expect(runEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it("refuses an unknown type, a missing source and a wrong status", () => {
    for (const wrong of [
      { ...base, type: "run.exploded" },
      { type: "run.started", resumed: true },
      { ...EXAMPLES["tool.finished"], status: "perhaps" },
    ]) {
      expect(runEventSchema.safeParse(wrong).success).toBe(false);
    }
  });

  it("is published as JSON Schema with every type in it", () => {
    const text = JSON.stringify(runEventJsonSchema);
    for (const type of Object.keys(EXAMPLES)) expect(text).toContain(`"const":"${type}"`);
  });

  it("infers the union, which narrows by type", () => {
    expectTypeOf<z.infer<typeof runEventSchema>>().toEqualTypeOf<RunEvent>();
    const event = EXAMPLES["tool.started"] as RunEvent;
    if (event.type === "tool.started") expectTypeOf(event.args).toEqualTypeOf<Record<string, unknown>>();
    expect(event.type).toBe("tool.started");
  });
});
