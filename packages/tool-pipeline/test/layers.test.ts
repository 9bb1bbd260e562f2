import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  ALL_RIGHTS,
  createPipeline,
  createRights,
  currentCall,
  defaultLayers,
  effectsBeyond,
  failureKind,
  intersect,
  isTruncated,
  memoryAuditSink,
  NO_RIGHTS,
  outcomeOf,
  outputCap,
  policy,
  rateLimit,
  recovery,
  reportedOutcomes,
  reportOutcome,
  type Layer,
  type Next,
  type PipelineCall,
  type Rights,
  type ToolDeclaration,
} from "../src/index.js";
import { callOf, says, textOf } from "./support.js";

const READS = { effects: ["fs.read"] as const };

describe("the order of the built-in layers", () => {
  it("is audit, policy, loop guard, dedup, recovery, rate limit, the tool, as a trace between them shows", async () => {
    const trace: string[] = [];
    const pipeline = createPipeline({ audit: { sink: memoryAuditSink() } });
    const names = pipeline.layers.map(({ name }) => name);
    for (const name of names) {
      pipeline.use(
        { name: `after ${name}`, handle: (call, next) => (trace.push(name), next(call)) },
        { after: name },
      );
    }
    await pipeline.run(callOf({ declaration: READS }), (call) => (trace.push("tool"), says("x")(call)));
    expect(trace).toEqual([
      "audit",
      "failures-as-results",
      "storable-results",
      "output-cap",
      "policy",
      "loop-guard",
      "dedup",
      "recovery",
      "rate-limit",
      "unfinished-calls",
      "reported-outcomes",
      "tool",
    ]);
  });

  it("each layer that has options can be left out", () => {
    const options = {
      outputCap: false,
      loopGuard: false,
      dedup: false,
      recovery: false,
      rateLimit: false,
    } as const;
    expect(defaultLayers(options).map(({ name }) => name)).toEqual([
      "failures-as-results",
      "storable-results",
      "policy",
      "unfinished-calls",
      "reported-outcomes",
    ]);
  });
});

describe("policy", () => {
  const pipeline = createPipeline({ layers: [policy()] });
  const reader = createRights({ effects: ["fs.read", "fs.write"], read: "all", write: ["/docs/**"] });

  it("refuses a tool with an effect that the caller does not have, naming it, and does not run it", async () => {
    let ran = 0;
    const invoke: Next = (call) => ((ran += 1), says("x")(call));
    const refused = await pipeline.run(callOf({ rights: reader, role: "doc-writer" }), invoke);
    expect(outcomeOf(refused as ToolMessage)).toBe("denied");
    expect(textOf(refused)).toContain(
      "exec, vcs.write, net, browser, debug, state, which the role doc-writer does not",
    );
    expect(ran).toBe(0);
    await pipeline.run(callOf({ rights: reader, declaration: { effects: ["fs.write"] } }), invoke);
    expect(ran).toBe(1);
  });

  it("lets a call through that its tool says does less, and refuses when the tool cannot say so", async () => {
    const asked: unknown[] = [];
    const command = (when: (args: Readonly<Record<string, unknown>>) => boolean | Promise<boolean>) => ({
      effects: ["exec"] as const,
      lesser: {
        effects: ["fs.read"] as const,
        when: (args: Readonly<Record<string, unknown>>) => (asked.push(args), when(args)),
      },
    });
    const ask = async (rights: Rights, declaration: ToolDeclaration) =>
      outcomeOf(
        (await pipeline.run(callOf({ rights, declaration, args: { line: "ls" } }), says("x"))) as ToolMessage,
      );
    const reads = command(async ({ line }) => line === "ls");
    expect(await ask(reader, reads)).toBeUndefined();
    expect(asked).toEqual([{ line: "ls" }]);
    expect(
      await ask(
        reader,
        command(() => false),
      ),
    ).toBe("denied");
    expect(
      await ask(
        reader,
        command(() => {
          throw new Error("unreadable");
        }),
      ),
    ).toBe("denied");
    expect(await ask(NO_RIGHTS, reads)).toBe("denied");
    // Who may do everything has nothing to ask.
    asked.length = 0;
    expect(
      await ask(
        ALL_RIGHTS,
        command(() => false),
      ),
    ).toBeUndefined();
    expect(asked).toEqual([]);
    expect(effectsBeyond(reader, reads)).toEqual([]);
    expect(effectsBeyond(NO_RIGHTS, reads)).toEqual(["exec"]);
  });

  it("never grants a call inside another one more than the one around it has", async () => {
    const wide = createRights({ effects: "all", read: "all", write: ["/docs/**", "/workspace/**"] });
    const inner = (await pipeline.run(callOf({ rights: reader, declaration: { effects: [] } }), (outer) =>
      pipeline.run(callOf({ rights: wide, declaration: { effects: ["fs.write"] } }), async (call) =>
        says(JSON.stringify([currentCall()?.rights, call.rights, outer.rights]))(call),
      ),
    )) as ToolMessage;
    const [seen, given] = JSON.parse(inner.text) as unknown[];
    expect(seen).toEqual(JSON.parse(JSON.stringify(intersect(reader, wide))));
    expect(given).toEqual(seen);
    const exec = callOf({ rights: ALL_RIGHTS, declaration: { effects: ["exec"] } });
    const refused = await pipeline.run(callOf({ rights: reader, declaration: { effects: [] } }), () =>
      pipeline.run(exec, says("ran")),
    );
    expect(outcomeOf(refused as ToolMessage)).toBe("denied");
  });

  it("refuses writing to those who may write nowhere, and lets the graph answer for a tool that does not exist", async () => {
    const none = createRights({ effects: "all", read: "all", write: "none" });
    const write = callOf({ rights: none, declaration: { effects: ["fs.write"] } });
    expect(outcomeOf((await pipeline.run(write, says("x"))) as ToolMessage)).toBe("denied");
    expect(
      textOf(await pipeline.run(callOf({ rights: none, toolExists: false }), says("no such tool"))),
    ).toBe("no such tool");
  });
});

describe("the call scope", () => {
  it("tells whatever runs inside who calls, and the innermost call wins", async () => {
    const pipeline = createPipeline();
    const rights = createRights({ effects: [], read: "none", write: "none" });
    const seen: unknown[] = [];
    await pipeline.run(callOf({ id: "outer", declaration: { effects: [] } }), async (outer) => {
      await Promise.all(
        ["a", "b"].map((agent) =>
          pipeline.run(
            callOf({ id: agent, agent, role: "tester", rights, declaration: { effects: [] } }),
            async (call) => {
              await new Promise((resolve) => setTimeout(resolve, 5));
              seen.push(currentCall());
              return says("x")(call);
            },
          ),
        ),
      );
      seen.push(currentCall()?.id);
      return says("x")(outer);
    });
    expect(seen).toMatchObject([
      { id: "a", agent: "a", role: "tester", rights },
      { id: "b", agent: "b" },
      "outer",
    ]);
    expect(currentCall()).toBeUndefined();
    expect(() => reportOutcome({ ok: true })).not.toThrow();
  });

  it("a reported failure makes an error of what the tool returned as text, with its kind; the last report counts", async () => {
    const pipeline = createPipeline({ layers: [reportedOutcomes()] });
    const reporting =
      (...reports: Parameters<typeof reportOutcome>[0][]): Next =>
      (call) => {
        for (const report of reports) reportOutcome(report);
        return says("Error: file not found")(call);
      };
    const run = async (invoke: Next, given: Partial<PipelineCall> = {}) =>
      (await pipeline.run(callOf(given), invoke)) as ToolMessage;
    const failed = await run(reporting({ ok: true }, { ok: false, kind: "not_found" }));
    expect(failed).toMatchObject({ status: "error", content: "Error: file not found" });
    expect(failureKind(failed)).toBe("not_found");
    expect(await run(reporting({ ok: false, kind: "x", message: "Look first." }))).toMatchObject({
      content: "Look first.",
    });
    expect(failureKind(await run(reporting({ ok: false, kind: "not_found" }, { ok: true })))).toBeUndefined();
    const returned = { declaration: { effects: [], outcome: "returned" as const } };
    expect(failureKind(await run(reporting({ ok: false, kind: "not_found" }), returned))).toBeUndefined();
  });
});

describe("rate limit", () => {
  it("refuses the 601st call in a minute and the 201st of one tool as results, and opens again", async () => {
    let now = 0;
    const pipeline = createPipeline({ layers: [rateLimit({ nowMs: () => now })] });
    const call = async (toolName: string, threadId = "t") =>
      outcomeOf((await pipeline.run(callOf({ toolName, threadId }), says("x"))) as ToolMessage);
    for (let at = 0; at < 200; at += 1) expect(await call("a")).toBeUndefined();
    expect(await call("a")).toBe("limited");
    now = 30_000;
    for (let at = 0; at < 200; at += 1) {
      expect(await call("b")).toBeUndefined();
      expect(await call("c")).toBeUndefined();
    }
    expect(await call("d")).toBe("limited");
    expect(await call("d", "another thread")).toBeUndefined();
    now = 59_999;
    expect(await call("a")).toBe("limited");
    now = 60_000;
    expect(await call("a")).toBeUndefined();
    expect(await call("b")).toBe("limited");
  });

  it("counts retries, says when it opens again, and refuses limits that are none", async () => {
    const pipeline = createPipeline({
      layers: [recovery({ sleep: async () => undefined }), rateLimit({ perMinute: 2, nowMs: () => 0 })],
    });
    let ran = 0;
    const result = await pipeline.run(callOf({ declaration: READS }), () => {
      ran += 1;
      return Promise.reject(Object.assign(new Error("x"), { code: "EBUSY" }));
    });
    expect(ran).toBe(2);
    expect(outcomeOf(result as ToolMessage)).toBe("limited");
    expect(textOf(result)).toContain(
      "2 tool calls in the last minute, which is the limit. It is open again in 60 s",
    );
    expect(() => rateLimit({ perMinute: 0 })).toThrow(RangeError);
    expect(() => rateLimit({ perToolPerMinute: 1.5 })).toThrow(RangeError);
  });
});

describe("output cap", () => {
  const run = (layer: Layer, text: string) => createPipeline({ layers: [layer] }).run(callOf(), says(text));

  it("cuts in the middle, says how much, and marks the result; what fits is untouched", async () => {
    const text = `HEAD${"x".repeat(2_000)}TAIL`;
    const cut = await run(outputCap({ maxChars: 200 }), text);
    expect(textOf(cut)).toMatch(/^HEADx+\n\[… 1808 of 2008 characters cut here; .*ask for less …\]\nx+TAIL$/);
    expect(isTruncated(cut as ToolMessage)).toBe(true);
    expect(textOf(await run(outputCap({ maxChars: 2_008 }), text))).toBe(text);
    expect(() => outputCap({ maxChars: 10 })).toThrow(RangeError);
  });

  it("keeps the whole where `keep` says, and says so when that fails; no character is cut in half", async () => {
    let kept = "";
    const text = "😀".repeat(500);
    const keep = async (_call: PipelineCall, whole: string) => ((kept = whole), "/big/1");
    expect(textOf(await run(outputCap({ maxChars: 201, keep }), text))).toContain("the whole is at /big/1");
    expect(kept).toBe(text);
    const failing = outputCap({ maxChars: 201, keep: () => Promise.reject(new Error("full")) });
    const cut = textOf(await run(failing, text));
    expect(cut).toContain("keeping the whole failed");
    expect(() => encodeURIComponent(cut)).not.toThrow();
  });
});

describe("arguments", () => {
  it("wrong ones come back as one line that names what is wrong", async () => {
    const { defineTool, toolPipelineMiddleware } = await import("../src/index.js");
    const { createAgent, fakeModel, AIMessage } = await import("langchain");
    const { z } = await import("zod");
    const add = defineTool({
      name: "add",
      description: "Adds.",
      schema: z.object({ a: z.number(), b: z.object({ c: z.string() }) }),
      effects: [],
      run: () => "x",
    });
    const model = fakeModel()
      .respond(
        new AIMessage({ content: "", tool_calls: [{ id: "1", name: "add", args: { a: "1", b: {} } }] }),
      )
      .respond(new AIMessage("end"));
    const agent = createAgent({
      model,
      tools: [add],
      middleware: [toolPipelineMiddleware(createPipeline())],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const result = messages.at(-2) as ToolMessage;
    expect(result.text).toBe(
      "Invalid arguments for add: ✖ Invalid input: expected number, received string → at a ✖ Invalid input: expected " +
        "string, received undefined → at b.c. Correct them and call it again.",
    );
    expect(failureKind(result)).toBe("invalid_arguments");
  });
});
