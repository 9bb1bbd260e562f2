import { GraphInterrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  auditedCalls,
  createPipeline,
  createRights,
  failuresAsResults,
  memoryAuditSink,
  openTelemetryAuditSink,
  redact,
  RunStoppedError,
  type AuditOptions,
  type AuditRecord,
  type AuditSink,
} from "../src/index.js";
import { callOf, says } from "./support.js";

const CACHEABLE = { effects: [] as const, cacheable: true };

const record = (at: number): AuditRecord => ({
  time: new Date(at).toISOString(),
  namespace: "",
  callId: `c${at}`,
  tool: "t",
  effects: ["exec"],
  argsDigest: "x",
  outcome: "executed",
  durationMs: 1,
});

describe("the audit layer", () => {
  const setUp = (more: Partial<AuditOptions> = {}) => {
    const sink = memoryAuditSink();
    let now = 0;
    const options = { sink, nowMs: () => 0, elapsedMs: () => (now += 5), ...more };
    const rateLimit = { perMinute: 3, nowMs: () => 0 };
    return { sink, pipeline: createPipeline({ audit: options, rateLimit, recovery: false }) };
  };

  it("writes one record a call: executed, cached, failed, limited, denied, interrupted and aborted alike", async () => {
    const { sink, pipeline } = setUp();
    const none = createRights({ effects: [], read: "none", write: "none" });
    await pipeline.run(callOf({ declaration: CACHEABLE, agent: "main", role: "tester" }), says("é"));
    await pipeline.run(callOf({ declaration: CACHEABLE, agent: "main", role: "tester" }), says("never"));
    await pipeline.run(callOf({ toolName: "f" }), () =>
      Promise.reject(Object.assign(new Error("x"), { code: "ENOENT" })),
    );
    await pipeline.run(callOf({ toolName: "d", rights: none }), says("never"));
    await pipeline
      .run(callOf({ toolName: "i" }), () => Promise.reject(new GraphInterrupt([])))
      .catch(() => undefined);
    await pipeline.run(callOf({ toolName: "l" }), says("never"));
    await pipeline
      .run(callOf({ toolName: "a", declaration: { effects: [] }, signal: AbortSignal.abort() }), () =>
        Promise.reject(new Error("x")),
      )
      .catch(() => undefined);
    expect(sink.records.map(({ tool, outcome, kind }) => [tool, outcome, kind])).toEqual([
      ["t", "executed", undefined],
      ["t", "cached", undefined],
      ["f", "failed", "ENOENT"],
      ["d", "denied", undefined],
      ["i", "interrupted", undefined],
      ["l", "limited", undefined],
      ["a", "limited", undefined],
    ]);
    expect(sink.records[0]).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      thread: "thread",
      namespace: expect.stringMatching(/^tools:/) as string,
      agent: "main",
      role: "tester",
      callId: expect.stringMatching(/^c/) as string,
      tool: "t",
      effects: [],
      argsDigest: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
      outcome: "executed",
      durationMs: 5,
      resultDigest: "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
      resultBytes: 2,
    });
  });

  it("says aborted of a call that threw after an abort, and of one that stopped the run", async () => {
    const sink = memoryAuditSink();
    const pipeline = createPipeline({ audit: { sink } });
    for (const [error, signal] of [
      [new Error("x"), AbortSignal.abort()],
      [new RunStoppedError("loop", "x"), undefined],
    ] as const) {
      await expect(pipeline.run(callOf({ signal }), () => Promise.reject(error))).rejects.toBe(error);
    }
    expect(sink.records.map(({ outcome }) => outcome)).toEqual(["aborted", "aborted"]);
  });

  it("writes arguments only when asked, without secrets", async () => {
    const args = { url: "x", headers: { Authorization: "abc" }, big: "y".repeat(5_000) };
    const plain = setUp();
    await plain.pipeline.run(callOf({ args }), says("x"));
    expect(plain.sink.records[0]).not.toHaveProperty("args");
    const full = setUp({ includeArgs: true, redact: { keys: ["url"] } });
    await full.pipeline.run(callOf({ args }), says("x"));
    expect(full.sink.records[0]?.args).toMatchObject({
      url: "[redacted]",
      headers: { Authorization: "[redacted]" },
      big: expect.stringMatching(/^y+\[… 5000 characters\]$/) as string,
    });
  });

  it("a call that is interrupted, run again and answered is one call", async () => {
    const { sink, pipeline } = setUp();
    const call = callOf({ declaration: { effects: [] } });
    for (let at = 0; at < 3; at += 1) {
      await pipeline.run(call, () => Promise.reject(new GraphInterrupt([]))).catch(() => undefined);
    }
    await pipeline.run(call, says("done")).catch(() => undefined);
    expect(sink.records.map(({ outcome }) => outcome)).toEqual(["interrupted", "limited"]);
    expect(auditedCalls(sink.records)).toEqual([sink.records[1]]);
  });

  it("a sink that fails breaks no call and is reported once; with auditRequired the run stops", async () => {
    const full = new Error("disk full");
    for (const sink of [
      { write: () => { throw full; } }, // prettier-ignore
      { write: () => Promise.reject(full) },
    ] as AuditSink[]) {
      const reports: unknown[] = [];
      const onSinkError = (error: unknown) => void reports.push(error);
      const { pipeline } = setUp({ sink, onSinkError });
      for (let at = 0; at < 3; at += 1) {
        expect(await pipeline.run(callOf(), says("x"))).toMatchObject({ content: "x" });
      }
      await new Promise(setImmediate);
      expect(reports).toEqual([full]);
      const required = setUp({ sink, onSinkError, auditRequired: true });
      await expect(required.pipeline.run(callOf(), says("x"))).rejects.toMatchObject({
        code: "audit",
        cause: full,
      });
      const inner = createPipeline({
        layers: [failuresAsResults(), ...required.pipeline.layers.slice(0, 1)],
      });
      await expect(inner.run(callOf(), says("x"))).rejects.toBeInstanceOf(RunStoppedError);
      const interrupt = new GraphInterrupt([]);
      await expect(required.pipeline.run(callOf(), () => Promise.reject(interrupt))).rejects.toBe(interrupt);
    }
  });
});

describe("redaction", () => {
  it("goes by names of fields and by shapes of tokens, and leaves other words alone", () => {
    const secrets = [
      "sk-ant-api03-abcdefghijklmnopqrstuv",
      "ghp_abcdefghijklmnopqrstuvwxyz0123",
      "xoxb-1234567890-abcdef",
      "AKIAIOSFODNN7EXAMPLE",
      `AIza${"x".repeat(35)}`,
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def",
      "Bearer abcdef123456",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ];
    for (const secret of secrets) expect(redact(`a ${secret} b`)).toBe("a [redacted] b");
    expect(redact("curl https://me:hunter2@host/x")).toBe("curl https://me:[redacted]@host/x");
    expect(redact("API_KEY=hunter2 npm test --token hunter2")).toBe(
      "API_KEY=[redacted] npm test --token [redacted]",
    );
    const named = {
      "x-api-key": 1,
      dbPassword: "a",
      sessionToken: { a: 1 },
      SECRET: ["a"],
      PRIVATE_KEY: "x",
    };
    expect(Object.values(redact(named) as object)).toEqual(Array(5).fill("[redacted]"));
    const plain = {
      maxTokens: 5,
      tokenizer: "a",
      path: "/src/tokens.ts",
      text: "the password is wrong",
      key: "a",
    };
    expect(redact(plain)).toEqual(plain);
    expect(redact({ mine: "abc-1" }, { patterns: [/abc-\d/g] })).toEqual({ mine: "[redacted]" });
  });

  it("is done in a moment with any text", () => {
    const began = performance.now();
    for (const part of [
      "-----BEGIN PRIVATE KEY-----",
      "eyJaaaaaaaaa.",
      "https://a:",
      "password=",
      "--token ",
    ]) {
      redact(part.repeat(100_000));
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

it("the OpenTelemetry sink makes a span a call, with an error status for a failure", () => {
  const spans: unknown[] = [];
  const sink = openTelemetryAuditSink({
    startSpan(name, options) {
      const span = { name, ...options, status: undefined as unknown, ended: 0 };
      spans.push(span);
      return { setStatus: (status) => (span.status = status), end: (time) => void (span.ended = time) };
    },
  });
  void sink.write(record(1_000));
  void sink.write({ ...record(1_000), outcome: "failed", kind: "ENOENT" });
  expect(spans).toMatchObject([
    { name: "execute_tool t", startTime: 1_000, ended: 1_001, status: undefined },
    {
      status: { code: 2, message: "ENOENT" },
      attributes: { "error.type": "ENOENT", "gen_ai.tool.call.id": "c1000" },
    },
  ]);
});
