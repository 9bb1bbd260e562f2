import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  audit,
  createPipeline,
  createRights,
  declareEffects,
  defineTool,
  fileAuditSink,
  memoryAuditSink,
  NO_RIGHTS,
  redact,
  verifyAuditLog,
  wrapTool,
  type AuditRecord,
} from "../src/index.js";

const readOnly = createRights({ effects: ["fs.read"], read: "all", write: "none" });
const deploy = (ran: string[]) =>
  defineTool({
    name: "deploy",
    description: "x",
    schema: z.object({}),
    effects: ["exec"],
    run: () => {
      ran.push("deploy");
      return "deployed";
    },
  });
const callOf = (name: string, id = "c1") => ({ type: "tool_call" as const, id, name, args: {} });

describe("wrapping again, for somebody who may do less", () => {
  it("takes away what the second identity lacks, whichever way the call comes", async () => {
    const ran: string[] = [];
    const pipeline = createPipeline();
    const main = wrapTool(deploy(ran), pipeline, { agent: "main" });
    const reviewer = wrapTool(main, pipeline, { agent: "reviewer", rights: readOnly });
    expect(await reviewer.invoke(callOf("deploy"))).toMatchObject({ status: "error" });
    expect(ran).toEqual([]);
    expect(await main.invoke(callOf("deploy"))).toMatchObject({ content: "deployed" });
    // As an agent does that has the same pipeline as middleware and everything allowed.
    const outer = wrapTool(
      defineTool({
        name: "deploy",
        description: "x",
        schema: z.object({}),
        effects: [],
        run: async (_args, { callId }) => String((await reviewer.invoke(callOf("deploy", callId))).content),
      }),
      pipeline,
    );
    expect(String((await outer.invoke(callOf("deploy", "c2"))).content)).toContain("was refused");
    expect(ran).toEqual(["deploy"]);
  });

  it("a call that a tool makes of another one with its name, or of itself, is a call of its own", async () => {
    const sink = memoryAuditSink();
    const pipeline = createPipeline({ audit: { sink }, rateLimit: { perMinute: 4 } });
    const ran: string[] = [];
    const forbidden = wrapTool(deploy(ran), pipeline, { rights: NO_RIGHTS });
    const outer = wrapTool(
      defineTool({
        name: "deploy",
        description: "x",
        schema: z.object({}),
        effects: [],
        run: async () => String(await forbidden.invoke({})),
      }),
      pipeline,
    );
    expect(String(await outer.invoke({}))).toContain("was refused");
    expect(ran).toEqual([]);
    expect(sink.records).toHaveLength(2);

    let depth = 0;
    const again: ReturnType<typeof deploy> = wrapTool(
      defineTool({
        name: "again",
        description: "x",
        schema: z.object({}),
        effects: [],
        run: async () => {
          depth += 1;
          return depth > 20 ? "end" : String(await again.invoke({}));
        },
      }),
      pipeline,
    );
    await again.invoke({});
    expect(depth).toBeLessThan(5);
  });
});

describe("redaction", () => {
  it("and rights and sinks that are left out are errors that name them", () => {
    expect(() => audit({} as never)).toThrow("`audit.sink` is required");
    expect(() => createRights({ effects: ["exec"], read: "all" } as never)).toThrow("`write` is missing");
  });

  it("refuses options that would be silently off", () => {
    for (const options of [{ pattern: [/x/] }, { keys: "password" }, { patterns: ["x"] }, { keys: [1] }]) {
      expect(() => redact({}, options as never)).toThrow("`redact`");
      expect(() => audit({ sink: memoryAuditSink(), redact: options as never })).toThrow("`redact`");
    }
    expect(redact("ACME-1 and ACME-2", { patterns: [/ACME-\d/] })).toBe("[redacted] and [redacted]");
  });

  it.each([
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nhunter2hunter2\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nhunter2-x\n-----END PGP PRIVATE KEY BLOCK-----",
    '{"password":"correct horse hunter2"}',
    "PASSWORD='ab;cd hunter2'",
    "https://me:p@ss-hunter2@example.com/x",
    '--password "hunter2 x"',
    "curl -u me:hunter2 https://x",
    "Authorization: Token hunter2",
    "pwd=hunter2",
  ])("leaves no secret in %j", (text) => {
    expect(JSON.stringify(redact({ text }))).not.toContain("hunter2");
  });

  it("knows plural names, and keeps numbers", () => {
    expect(redact({ passwords: ["x"], api_keys: "k", maxTokens: 5 })).toEqual({
      passwords: "[redacted]",
      api_keys: "[redacted]",
      maxTokens: 5,
    });
  });
});

describe("the audit log", () => {
  const folder = () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), "audit-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  };
  const record = (n: number): AuditRecord => ({
    time: "2026-01-01T00:00:00.000Z",
    namespace: "",
    callId: `c${n}`,
    tool: "t",
    effects: [],
    argsDigest: "d",
    outcome: "executed",
    durationMs: 1,
  });

  it("shares no file with a process that cannot be seen, and takes its place when that has shown no life for long", async () => {
    const directory = folder();
    const lock = path.join(directory, "audit.lock");
    const alive = { host: os.hostname(), pid: 1, started: "1", namespace: "pid:[1]" };
    writeFileSync(lock, JSON.stringify(alive));
    const first = fileAuditSink({ directory });
    void first.write(record(1));
    expect(path.basename(first.path)).toBe("audit-2.jsonl");
    await first.close();
    const old = new Date(Date.now() - 3_600_000);
    utimesSync(lock, old, old);
    const second = fileAuditSink({ directory });
    void second.write(record(2));
    expect(path.basename(second.path)).toBe("audit.jsonl");
    await second.close();
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true, lines: 2 });
  });

  it("a clock that is wrong costs a line its time, not a call its result", async () => {
    const sink = memoryAuditSink();
    const pipeline = createPipeline({ audit: { sink, nowMs: () => Number.NaN } });
    const tool = wrapTool(deploy([]), pipeline);
    expect(await tool.invoke({})).toBe("deployed");
    expect(sink.records[0]?.time).toMatch(/^\d{4}-/);
  });
});

describe("waiting", () => {
  it("is no circle for a tool that says that a call only asks whether something has moved on", async () => {
    const pipeline = createPipeline();
    const tool = wrapTool(
      declareEffects(
        defineTool({
          name: "wait",
          description: "x",
          schema: z.object({}),
          effects: ["exec"],
          run: () => "running",
        }),
        { effects: ["exec"], polls: () => true },
      ),
      pipeline,
    );
    for (let n = 0; n < 20; n += 1)
      expect(await tool.invoke(callOf("wait", `c${n}`))).toMatchObject({ content: "running" });
  });
});
