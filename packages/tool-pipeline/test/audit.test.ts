import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GraphInterrupt } from "@langchain/langgraph";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  auditedCalls,
  createPipeline,
  createRights,
  failuresAsResults,
  fileAuditSink,
  memoryAuditSink,
  openTelemetryAuditSink,
  PipelineError,
  redact,
  RunStoppedError,
  verifyAuditLog,
  type AuditOptions,
  type AuditRecord,
  type AuditSink,
  type FileAuditSinkOptions,
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

const folder = () => mkdtempSync(join(tmpdir(), "audit-"));
const open: { close(): Promise<void> }[] = [];
const sinkAt = (directory: string, more: Partial<FileAuditSinkOptions> = {}) => {
  const sink = fileAuditSink({ directory, fsync: "never", ...more });
  open.push(sink);
  return sink;
};
afterEach(async () => {
  for (const sink of open.splice(0)) await sink.close();
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

describe("the file sink", () => {
  const fill = async (directory: string, count: number, more: Partial<FileAuditSinkOptions> = {}) => {
    const sink = sinkAt(directory, more);
    for (let at = 0; at < count; at += 1) sink.write(record(at));
    await sink.close();
    return sink;
  };
  const log = (directory: string) => join(directory, "audit.jsonl");

  it("writes lines that outlive the call, and goes on with the chain when it is opened again", async () => {
    const directory = folder();
    const sink = sinkAt(directory);
    sink.write(record(0));
    expect(readFileSync(sink.path, "utf8").split("\n")).toHaveLength(2);
    await sink.close();
    await fill(directory, 2, { fsync: "always" });
    await fill(directory, 2, { fsync: { everyMs: 1 } });
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 5, torn: [] });
    expect(() => sink.write(record(1))).toThrow(expect.objectContaining({ code: "audit" }));
  });

  it("rotates by size and keeps the chain, across files and across reopening", async () => {
    const directory = folder();
    await fill(directory, 20, { maxFileBytes: 1_000 });
    await fill(directory, 20, { maxFileBytes: 1_000 });
    const files = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
    expect(files.length).toBeGreaterThan(8);
    expect(files).toContain("audit.000001.jsonl");
    for (const path of [directory, log(directory), join(directory, "audit.000002.jsonl")]) {
      expect(verifyAuditLog(path)).toMatchObject({ ok: true, lines: 40 });
    }
    writeFileSync(join(directory, "audit.000003.jsonl"), "");
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "removed" });
  });

  it("a last line that a crash cut short is named torn, dropped at the next opening, and the chain goes on", async () => {
    const directory = folder();
    await fill(directory, 3);
    appendFileSync(log(directory), '{"seq":4,"time":"2026');
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 3, torn: [log(directory)] });
    await fill(directory, 2);
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 5, torn: [] });
  });

  it("does not go on from a line that was tampered with as if nothing had happened", async () => {
    const directory = folder();
    await fill(directory, 3);
    const text = readFileSync(log(directory), "utf8");
    writeFileSync(log(directory), text.replace('"callId":"c2"', '"callId":"c9"'));
    await fill(directory, 3);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "changed", line: 3 });
    const cut = folder();
    await fill(cut, 3);
    const lines = readFileSync(log(cut), "utf8").split("\n");
    writeFileSync(log(cut), `${lines.slice(0, 2).join("\n")}\n`);
    await fill(cut, 1);
    expect(verifyAuditLog(cut)).toMatchObject({ ok: false, fault: "removed", line: 3 });
  });

  it("names the line of any single edit, removal, insertion or swap", async () => {
    const directory = folder();
    const count = 12;
    await fill(directory, count);
    const text = readFileSync(log(directory), "utf8");
    const lines = text.slice(0, -1).split("\n");
    const at = fc.nat(count - 1);
    const check = (changed: readonly string[]) => {
      writeFileSync(log(directory), changed.map((line) => `${line}\n`).join(""));
      return verifyAuditLog(directory);
    };
    fc.assert(
      fc.property(at, fc.nat(), fc.string({ minLength: 1, maxLength: 3 }), (line, where, put) => {
        fc.pre(!put.includes("\n"));
        const old = lines[line] as string;
        const place = where % (old.length + 1);
        const edited = old.slice(0, place) + put + old.slice(place + put.length);
        fc.pre(edited !== old);
        expect(check(lines.with(line, edited))).toMatchObject({
          ok: false,
          fault: "changed",
          line: line + 1,
        });
      }),
    );
    fc.assert(
      fc.property(at, (line) => {
        expect(check(lines.toSpliced(line, 1))).toMatchObject({
          ok: false,
          fault: "removed",
          line: line + 1,
        });
      }),
    );
    fc.assert(
      fc.property(at, at, (one, two) => {
        fc.pre(one < two);
        const swapped = lines.with(one, lines[two] as string).with(two, lines[one] as string);
        expect(check(swapped)).toMatchObject({ ok: false, fault: "moved", line: one + 1 });
      }),
    );
    fc.assert(
      fc.property(
        at,
        fc.oneof(
          at.map((from) => lines[from] as string),
          fc.constantFrom("", "{}", "junk"),
        ),
        (line, put) => {
          const verdict = check(lines.toSpliced(line, 0, put));
          expect(verdict.ok).toBe(false);
          // A copy of a later line is a line that stands where another one should: moved, one before its twin.
          if (!verdict.ok) expect([line, line + 1]).toContain(verdict.line - 1);
        },
      ),
    );
    // Bytes: any one of them changed, line breaks too.
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), (place, by) => {
        const bytes = Buffer.from(text);
        bytes[place] = (bytes[place] as number) ^ by;
        writeFileSync(log(directory), bytes);
        const line = text.slice(0, place).split("\n").length;
        expect(verifyAuditLog(directory)).toMatchObject({ ok: false, line });
      }),
      { numRuns: 300 },
    );
    check(lines);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true });
    truncateSync(log(directory), text.length - 5);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "changed", line: count });
  });

  it("a whole log written anew is noticed with a head that was kept elsewhere", async () => {
    const [one, two] = [folder(), folder()];
    const sink = sinkAt(one);
    sink.write(record(1));
    const head = sink.head();
    await fill(two, 1);
    expect(verifyAuditLog(log(two))).toMatchObject({ ok: true });
    expect(verifyAuditLog(log(two), { expect: head })).toMatchObject({
      ok: false,
      fault: "changed",
      line: 1,
    });
    expect(verifyAuditLog(log(one), { expect: head })).toMatchObject({ ok: true });
    expect(() => verifyAuditLog(join(one, "none.jsonl"))).toThrow(PipelineError);
    expect(() => verifyAuditLog(folder())).toThrow("no audit log");
  });

  it("two sinks of one folder have files of their own; the lock of a process that is gone is taken over", async () => {
    const directory = folder();
    const [one, two] = [sinkAt(directory), sinkAt(directory)];
    one.write(record(1));
    two.write(record(2));
    expect([one.path, two.path]).toEqual([log(directory), join(directory, "audit-2.jsonl")]);
    await one.close();
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => child.once("close", resolve));
    const { hostname } = await import("node:os");
    writeFileSync(
      join(directory, "audit.lock"),
      JSON.stringify({ host: hostname(), pid: child.pid, started: "1" }),
    );
    const three = sinkAt(directory);
    three.write(record(3));
    expect(three.path).toBe(log(directory));
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true, lines: 3 });
  });

  it("a folder that cannot be written is an error of the sink, not of the call", async () => {
    const file = join(folder(), "file");
    writeFileSync(file, "x");
    const reports: unknown[] = [];
    const sink = sinkAt(join(file, "below"));
    const pipeline = createPipeline({ audit: { sink, onSinkError: (error) => void reports.push(error) } });
    expect(await pipeline.run(callOf(), says("x"))).toMatchObject({ content: "x" });
    expect(reports).toMatchObject([{ code: "ENOTDIR" }]);
    expect(() => fileAuditSink({ directory: ".", maxFileBytes: 0 })).toThrow(RangeError);
    expect(() => fileAuditSink({ directory: ".", fsync: { everyMs: 0 } })).toThrow(RangeError);
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
