import { HumanMessage, ToolMessage, type AIMessage, type AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedChatModel, ScriptedModelError, type ScriptedStep } from "../src/index.js";

const search = tool(() => "found", {
  name: "search",
  description: "Searches.",
  schema: z.object({ q: z.string() }),
});
const scripted = (...script: ScriptedStep[]) => new ScriptedChatModel({ script });

const streamed = async (model: Pick<ScriptedChatModel, "stream">, input = "hi"): Promise<AIMessageChunk> => {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(input)) whole = whole ? whole.concat(chunk) : chunk;
  if (!whole) throw new Error("no chunk");
  return whole;
};

describe("a script", () => {
  it("is played step by step, invoked and streamed alike", async () => {
    const model = scripted({ text: "one" }, { text: "two" });
    expect((await model.invoke("x")).text).toBe("one");
    expect((await streamed(model)).text).toBe("two");
    expect(model.remainingSteps).toBe(0);
    model.assertFinished();
    expect(model.calls.map(({ turn }) => turn.text)).toEqual(["one", "two"]);
  });

  it("fails loudly when it is called once too often", async () => {
    const model = scripted({ text: "only" });
    await model.invoke("x");
    await expect(model.invoke("again")).rejects.toMatchObject({
      name: "ScriptedModelError",
      reason: "script_exhausted",
      message: expect.stringContaining('human: "again"'),
    });
  });

  it("fails loudly when steps were never played", () => {
    expect(() => scripted({ text: "x" }).assertFinished()).toThrow(
      expect.objectContaining({ reason: "unused_steps" }),
    );
  });

  it("fails loudly when a step did not expect the call, and does not count the step as played", async () => {
    const model = scripted({
      text: "x",
      expect: (messages) => messages.at(-1)?.text === "right" || "say right",
    });
    await expect(model.invoke("wrong")).rejects.toMatchObject({
      reason: "unexpected_call",
      message: expect.stringContaining("say right"),
    });
    expect((await model.invoke("right")).text).toBe("x");
    await expect(scripted({ text: "x", expect: () => false }).invoke("x")).rejects.toMatchObject({
      reason: "unexpected_call",
    });
  });

  it("fails loudly for a tool that the call did not offer, and for a turn that says nothing", async () => {
    const model = scripted({ toolCalls: [{ name: "serach", args: {} }] });
    await expect(model.bindTools([search]).invoke("x")).rejects.toMatchObject({
      reason: "unknown_tool",
      message: expect.stringContaining("offered: search"),
    });
    await expect(scripted({}).invoke("x")).rejects.toMatchObject({ reason: "invalid_turn" });
  });

  it("throws a step's error as a provider's client would, invoked and streamed", async () => {
    const error = new Error("429");
    const model = scripted({ error }, { error });
    await expect(model.invoke("x")).rejects.toBe(error);
    await expect(streamed(model)).rejects.toBe(error);
  });

  it("needs exactly one of script and policy", () => {
    expect(() => new ScriptedChatModel({} as never)).toThrow(TypeError);
    expect(() => new ScriptedChatModel({ script: [], policy: () => "x" } as never)).toThrow(TypeError);
  });
});

describe("a policy", () => {
  it("computes the turn from the conversation and the tools, so it needs no memory of its own", async () => {
    const policy = (messages: readonly { getType(): string; text: string }[]) =>
      messages.at(-1)?.getType() === "tool"
        ? `got ${messages.at(-1)?.text}`
        : { toolCalls: [{ name: "search", args: { q: "x" } }] };
    const asked = (await new ScriptedChatModel({ policy }).bindTools([search]).invoke("go")) as AIMessage;
    const [call] = asked.tool_calls ?? [];
    expect(call).toMatchObject({ name: "search", args: { q: "x" } });
    const answer = await new ScriptedChatModel({ policy })
      .bindTools([search])
      .invoke([
        new HumanMessage("go"),
        asked,
        new ToolMessage({ content: "42", tool_call_id: call?.id ?? "" }),
      ]);
    expect(answer.text).toBe("got 42");
  });

  it("that throws is a typed failure with its cause", async () => {
    const cause = new Error("bug");
    const model = new ScriptedChatModel({
      policy: () => {
        throw cause;
      },
    });
    const error: unknown = await model.invoke("x").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ScriptedModelError);
    expect(error).toMatchObject({ reason: "policy_failed", cause });
  });

  it("that returns a promise is told that it may not", async () => {
    const model = new ScriptedChatModel({ policy: (async () => "x") as never });
    await expect(model.invoke("x")).rejects.toMatchObject({
      reason: "invalid_turn",
      message: expect.stringContaining("is a promise"),
    });
  });

  it("works with withStructuredOutput", async () => {
    const model = new ScriptedChatModel({
      policy: (_m, tools) => ({ toolCalls: [{ name: tools[0]?.name ?? "", args: { city: "Oslo" } }] }),
    });
    const structured = model.withStructuredOutput(z.object({ city: z.string() }), { name: "place" });
    expect(await structured.invoke("Where?")).toEqual({ city: "Oslo" });
  });

  it("sees the tools as a provider is told of them", async () => {
    const model = new ScriptedChatModel({ policy: (_messages, tools) => JSON.stringify(tools) });
    const [seen] = JSON.parse((await model.bindTools([search]).invoke("x")).text) as [
      { name: string; description: string; parameters: { required: string[] } },
    ];
    expect(seen).toMatchObject({ name: "search", description: "Searches.", parameters: { required: ["q"] } });
  });
});

describe("streaming", () => {
  it("puts text, reasoning, tool calls and usage back together, whatever the chunk size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), { nil: undefined }),
        fc.array(fc.record({ q: fc.string({ unit: "grapheme" }) }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        async (text, reasoning, calls, chunkSize) => {
          const toolCalls = calls.map((args, at) => ({ name: "search", args, id: `c${at}` }));
          const model = new ScriptedChatModel({
            chunkSize,
            policy: () => ({ text, toolCalls, ...(reasoning ? { reasoning } : {}) }),
          }).bindTools([search]);
          let whole: AIMessageChunk | undefined;
          for await (const chunk of await model.stream("x")) {
            expect(chunk.text).not.toMatch(/\p{Surrogate}/u);
            whole = whole ? whole.concat(chunk) : chunk;
          }
          const invoked = await model.invoke("x");
          expect(whole?.text).toBe(text);
          expect(invoked.text).toBe(text);
          expect(whole?.tool_calls?.map(({ id, args }) => [id, args])).toEqual(
            calls.map((args, at) => [`c${at}`, args]),
          );
          expect(invoked.tool_calls?.map(({ id, args }) => [id, args])).toEqual(
            calls.map((args, at) => [`c${at}`, args]),
          );
          expect(whole?.usage_metadata).toMatchObject(invoked.usage_metadata ?? {});
          if (reasoning)
            expect(JSON.stringify(whole?.content)).toContain(JSON.stringify(reasoning).slice(1, -1));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("reports usage: an estimate, or what the turn states", async () => {
    const model = scripted({ text: "12345678" }, { text: "x", usage: { inputTokens: 900, outputTokens: 7 } });
    expect((await model.invoke("1234")).usage_metadata).toEqual({
      input_tokens: 1,
      output_tokens: 2,
      total_tokens: 3,
    });
    expect((await model.invoke("1234")).usage_metadata).toMatchObject({
      input_tokens: 900,
      total_tokens: 907,
    });
  });

  it("stops in the middle when its signal is aborted, and before the start", async () => {
    const model = new ScriptedChatModel({ chunkSize: 1, chunkDelayMs: 20, policy: () => "x".repeat(1_000) });
    const controller = new AbortController();
    let chunks = 0;
    const reading = (async () => {
      for await (const _chunk of await model.stream("x", { signal: controller.signal })) {
        chunks += 1;
        if (chunks === 3) controller.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(chunks).toBeLessThan(6);
    await expect(model.invoke("x", { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it("makes a new id for each tool call, or takes ids from where it is told", async () => {
    const fields = { policy: () => ({ toolCalls: [{ name: "search" }, { name: "search" }] }) };
    const free = (await new ScriptedChatModel(fields).bindTools([search]).invoke("x")) as AIMessage;
    expect(new Set(free.tool_calls?.map(({ id }) => id)).size).toBe(2);
    let n = 0;
    const told = (await new ScriptedChatModel({ ...fields, ids: () => `id-${n++}` })
      .bindTools([search])
      .invoke("x")) as AIMessage;
    expect(told.tool_calls?.map(({ id }) => id)).toEqual(["id-0", "id-1"]);
  });
});
