import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { GraphInterrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, fakeModel } from "langchain";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  ALL_RIGHTS,
  createPipeline,
  declarationInAgent,
  declarationOf,
  declareEffects,
  defineTool,
  EFFECTS,
  failuresAsResults,
  isRepeatable,
  mcpDeclaration,
  mustPropagate,
  NotStartedError,
  toolPipelineMiddleware,
  UNDECLARED,
  UNKNOWN_OUTCOME,
  unfinishedCalls,
  type Layer,
  type PipelineCall,
} from "../src/index.js";

const callOf = (given: Partial<PipelineCall> = {}): PipelineCall => ({
  id: "c1",
  toolName: "t",
  args: {},
  toolExists: true,
  declaration: UNDECLARED,
  threadId: undefined,
  namespace: "",
  agent: undefined,
  role: undefined,
  rights: ALL_RIGHTS,
  messages: [],
  anchor: undefined,
  signal: undefined,
  ...given,
});
const answer = (content = "ok") => new ToolMessage({ content, tool_call_id: "c1" });

describe("declarations", () => {
  it("refuses options that there are not, and those of another type", () => {
    const refused = (options: object, message: RegExp) =>
      expect(() => createPipeline(options)).toThrow(
        expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(message) }),
      );
    refused({ rateLimits: {} }, /`rateLimit` may be meant/);
    refused({ dedup: true }, /`dedup` of createPipeline must be an object or `false`/);
    refused({ zebra: 1 }, /there are audit, outputCap/);
  });

  it("an undeclared tool has every effect, whatever its name; deepagents' own are known inside an agent", () => {
    expect(declarationOf(undefined).effects).toEqual(EFFECTS);
    expect(declarationOf({ name: "grep" }).effects).toEqual(EFFECTS);
    expect(declarationInAgent({ name: "mystery" }).effects).toEqual(EFFECTS);
    expect(declarationInAgent({ name: "toString" }).effects).toEqual(EFFECTS);
    expect(declarationInAgent({ name: "grep" }).effects).toEqual(["fs.read"]);
    expect(declarationInAgent({ name: "edit_file" }).effects).toContain("fs.write");
    const own = declareEffects({ name: "grep" }, { effects: ["exec"] });
    expect(declarationInAgent(own).effects).toEqual(["exec"]);
  });

  it("a declaration beats the name, survives deepagents' way of copying a tool, and cannot be changed from outside", () => {
    const effects: ("net" | "exec")[] = ["net"];
    const own = declareEffects({ name: "grep" }, { effects });
    const copy = Object.assign(Object.create(Object.getPrototypeOf(own) as object) as object, own);
    expect(declarationOf(copy as { name: string }).effects).toEqual(["net"]);
    effects.push("exec");
    expect(declarationOf(own).effects).toEqual(["net"]);
  });

  it("what an MCP server says of a tool counts only when it is trusted, and never narrows a tool that writes", () => {
    const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
    expect(mcpDeclaration(reads)).toBe(UNDECLARED);
    expect(mcpDeclaration(undefined, { trust: true })).toBe(UNDECLARED);
    expect(mcpDeclaration(reads, { trust: true }).effects).toEqual(["fs.read"]);
    expect(mcpDeclaration({ readOnlyHint: true }, { trust: true }).effects).toEqual(["fs.read", "net"]);
    const writes = mcpDeclaration({ idempotentHint: true, openWorldHint: false }, { trust: true });
    expect(writes).toEqual({ effects: EFFECTS, idempotent: true });
  });

  it("an effect that does not exist is refused", () => {
    expect(() => declareEffects({}, { effects: ["fs.erase" as never] })).toThrow("fs.erase");
  });

  it("a call may be repeated when its tool is idempotent or only reads", () => {
    expect(isRepeatable({ effects: [] })).toBe(true);
    expect(isRepeatable({ effects: ["fs.read", "state"] })).toBe(true);
    expect(isRepeatable({ effects: ["fs.read", "exec"] })).toBe(false);
    expect(isRepeatable({ effects: ["exec"], idempotent: true })).toBe(true);
    expect(isRepeatable(UNDECLARED)).toBe(false);
  });
});

describe("defineTool", () => {
  const add = defineTool({
    name: "add",
    description: "Adds.",
    schema: z.object({ a: z.number(), b: z.number().default(1) }),
    effects: [],
    run: ({ a, b }, { callId }) => {
      expectTypeOf(b).toEqualTypeOf<number>();
      return { content: String(a + b), artifact: { callId } };
    },
  });

  it("makes a LangChain tool with content, artifact and the call's id", async () => {
    const message = (await add.invoke({
      type: "tool_call",
      id: "c9",
      name: "add",
      args: { a: 2 },
    })) as ToolMessage;
    expect(message).toMatchObject({ content: "3", artifact: { callId: "c9" }, tool_call_id: "c9" });
    expect(await add.invoke({ a: 1, b: 1 })).toBe("2");
  });

  it("refuses a name that providers refuse", () => {
    expect(() =>
      defineTool({ name: "two words", description: "", schema: z.object({}), effects: [], run: () => "" }),
    ).toThrow("two words");
  });
});

describe("a pipeline", () => {
  const tracing = (name: string, trace: string[]): Layer => ({
    name,
    async handle(call, next) {
      trace.push(`>${name}`);
      const result = await next(call);
      trace.push(`<${name}`);
      return result;
    },
  });

  it("runs its layers outermost first, and `use` puts one where it says", async () => {
    const trace: string[] = [];
    const pipeline = createPipeline({ layers: [tracing("a", trace), tracing("d", trace)] })
      .use(tracing("e", trace))
      .use(tracing("b", trace), { after: "a" })
      .use(tracing("c", trace), { before: "d" });
    expect(pipeline.layers.map((layer) => layer.name)).toEqual(["a", "b", "c", "d", "e"]);
    await pipeline.run(callOf(), async () => answer());
    expect(trace.join(" ")).toBe(">a >b >c >d >e <e <d <c <b <a");
  });

  it("refuses two layers of one name and a place that is not there", () => {
    expect(() => createPipeline().use(failuresAsResults())).toThrow("already has a layer");
    expect(() => createPipeline().use(tracing("x", []), { before: "nope" })).toThrow(
      /no layer named "nope"; it has failures/,
    );
  });
});

describe("failures as results", () => {
  const run = (error: unknown, signal?: AbortSignal) =>
    createPipeline({ layers: [failuresAsResults()] }).run(callOf({ signal }), () => Promise.reject(error));

  it("turns what a tool throws into an error message in the words of whoever threw it, not of LangChain or of the causes", async () => {
    const told = new Error("disk on fire", { cause: new Error("ENOENT /home/ada/secret") });
    const wrapped = Object.assign(new Error("outer", { cause: told }), { name: "MiddlewareError" });
    expect(await run(wrapped)).toMatchObject({
      status: "error",
      content: "t failed: disk on fire",
      tool_call_id: "c1",
    });
    for (const thrown of ["text", undefined, null, 42, {}, new Error("")]) {
      expect(await run(thrown)).toMatchObject({ status: "error" });
    }
    const circular = new Error("round");
    circular.cause = circular;
    expect(await run(circular)).toMatchObject({ content: "t failed: round" });
    const long = (await run(new Error("x".repeat(1_000_000)))) as ToolMessage;
    expect(long.text.length).toBeLessThan(5_000);
    expect(long.text).toContain("characters cut");
  });

  it("lets interrupts and everything after an abort through untouched", async () => {
    const interrupt = new GraphInterrupt([]);
    await expect(run(interrupt)).rejects.toBe(interrupt);
    const wrapped = new Error("wrapped", { cause: interrupt });
    await expect(run(wrapped)).rejects.toBe(wrapped);
    const aborted = new Error("aborted");
    await expect(run(aborted, AbortSignal.abort())).rejects.toBe(aborted);
    expect(mustPropagate(new DOMException("x", "AbortError"), undefined)).toBe(false);
  });
});

describe("unfinished calls", () => {
  const setUp = () => {
    const saver = new MemorySaver();
    const anchor = (resumed: boolean) => ({
      saver,
      threadId: "t",
      graphNamespace: "",
      checkpointId: "00000000-0000-0000-0000-000000000001",
      taskId: "task-1",
      resumed,
    });
    const pipeline = createPipeline({ layers: [unfinishedCalls()] });
    return { saver, anchor, pipeline };
  };
  const stored = async () => {
    const at = setUp();
    await at.saver.put(
      { configurable: { thread_id: "t", checkpoint_ns: "" } },
      {
        v: 4,
        id: "00000000-0000-0000-0000-000000000001",
        ts: "2026-01-01T00:00:00Z",
        channel_values: {},
        channel_versions: {},
        versions_seen: {},
      },
      { source: "loop", step: 1, parents: {} },
    );
    return at;
  };

  it("a call that began and has no result is not run again when the step is resumed", async () => {
    const { pipeline, anchor } = await stored();
    let runs = 0;
    const crash = () => {
      runs += 1;
      return new Promise<never>(() => {});
    };
    void pipeline.run(callOf({ anchor: anchor(false) }), crash);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const result = await pipeline.run(callOf({ anchor: anchor(true) }), crash);
    expect(result).toMatchObject({
      content: UNKNOWN_OUTCOME,
      status: "error",
      additional_kwargs: { fiveseam_outcome: "unknown" },
    });
    expect(runs).toBe(1);
  });

  it("a call that interrupted itself runs again, and is caught when it is cut short after that", async () => {
    const { pipeline, anchor } = await stored();
    const interrupted = () => Promise.reject(new GraphInterrupt([]));
    await expect(pipeline.run(callOf({ anchor: anchor(false) }), interrupted)).rejects.toBeInstanceOf(
      GraphInterrupt,
    );
    await expect(pipeline.run(callOf({ anchor: anchor(true) }), interrupted)).rejects.toBeInstanceOf(
      GraphInterrupt,
    );
    void pipeline.run(callOf({ anchor: anchor(true) }), () => new Promise<never>(() => {}));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await pipeline.run(callOf({ anchor: anchor(true) }), async () => answer())).toMatchObject({
      content: UNKNOWN_OUTCOME,
    });
  });

  it("a call that never started is tried again, and is caught when it is cut short after that", async () => {
    for (const resumed of [false, true]) {
      const { pipeline, anchor } = await stored();
      const call = callOf({ anchor: anchor(resumed) });
      const refused = () => Promise.reject(new NotStartedError("no connection"));
      for (let at = 0; at < 3; at += 1)
        await expect(pipeline.run(call, refused)).rejects.toThrow("no connection");
      void pipeline.run(call, () => new Promise<never>(() => {}));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const after = await pipeline.run({ ...call, anchor: anchor(true) }, async () => answer());
      expect(after).toMatchObject({ content: UNKNOWN_OUTCOME });
    }
  });

  it("repeatable tools leave no note and run again; without a checkpointer nothing is noted", async () => {
    const { pipeline, anchor, saver } = await stored();
    const reads = { declaration: { effects: ["fs.read"] as const } };
    await pipeline.run(callOf({ anchor: anchor(false), ...reads }), async () => answer());
    expect(
      await pipeline.run(callOf({ anchor: anchor(true), ...reads }), async () => answer("again")),
    ).toMatchObject({
      content: "again",
    });
    const tuple = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_ns: "" } });
    expect(tuple?.pendingWrites).toEqual([]);
    expect(await pipeline.run(callOf(), async () => answer("plain"))).toMatchObject({ content: "plain" });
  });

  it("a saver that cannot store the note keeps the tool from running", async () => {
    const { pipeline, anchor } = await stored();
    const broken = {
      ...anchor(false),
      saver: { getTuple: async () => undefined, putWrites: () => Promise.reject(new Error("full")) },
    };
    let ran = false;
    await expect(
      pipeline.run(callOf({ anchor: broken }), async () => {
        ran = true;
        return answer();
      }),
    ).rejects.toThrow("full");
    expect(ran).toBe(false);
  });
});

describe("the middleware, on an agent without the rest of Fiveseam", () => {
  it("sees the call, its declaration and where it stands; LangGraph still puts its keys where task-anchor.ts reads them", async () => {
    const seen: PipelineCall[] = [];
    const pipeline = createPipeline().use({
      name: "spy",
      handle: (call, next) => {
        seen.push(call);
        return next(call);
      },
    });
    const noisy = tool(() => "done", {
      name: "noisy",
      description: "x",
      schema: z.object({ n: z.number() }),
    });
    const model = fakeModel()
      .respond(new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "noisy", args: { n: 1 } }] }))
      .respond(new AIMessage("end"));
    const agent = createAgent({
      model,
      tools: [noisy],
      middleware: [toolPipelineMiddleware(pipeline)],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: [new HumanMessage("go")] }, { configurable: { thread_id: "t" } });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      id: "c1",
      toolName: "noisy",
      args: { n: 1 },
      toolExists: true,
      threadId: "t",
      declaration: UNDECLARED,
      anchor: { threadId: "t", graphNamespace: "", resumed: false },
    });
    expect(seen[0]?.anchor?.checkpointId).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[0]?.namespace).toBe(`tools:${seen[0]?.anchor?.taskId}`);
  });

  it("a layer may change the arguments", async () => {
    const pipeline = createPipeline().use({
      name: "cap",
      handle: (call, next) => next({ ...call, args: { n: 1 } }),
    });
    const echo = defineTool({
      name: "echo",
      description: "x",
      schema: z.object({ n: z.number() }),
      effects: [],
      run: ({ n }) => `n=${n}`,
    });
    const model = fakeModel()
      .respond(new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "echo", args: { n: 99 } }] }))
      .respond(new AIMessage("end"));
    const agent = createAgent({ model, tools: [echo], middleware: [toolPipelineMiddleware(pipeline)] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(messages.map((message) => message.text)).toContain("n=1");
  });
});
