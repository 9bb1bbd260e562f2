import { type FailoverEvent, failureOf, FallbackChatModel } from "@fiveseam/failover";
import { InMemoryCache } from "@langchain/core/caches";
import type { AIMessageChunk } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkModel } from "./support/chunk-model.js";
import { httpError } from "./support/scripted-model.js";

const NOTICE = "\n\n[The answer broke off here and starts again.]\n\n";
const overloaded = (): Error => httpError(529, "Overloaded");
const usage = (tokens: number) => ({
  usage_metadata: { input_tokens: tokens, output_tokens: tokens, total_tokens: 2 * tokens },
});
const text = (value: string, index = 0) => ({ content: [{ type: "text", text: value, index }] });

const read = async (...models: ChunkModel[]) => {
  const events: FailoverEvent[] = [];
  const pieces: AIMessageChunk[] = [];
  let error: unknown;
  try {
    const stream = await new FallbackChatModel({
      models,
      maxWaitMs: 0,
      backoffBaseMs: 1,
      onEvent: (event) => void events.push(event),
    }).stream("Hi");
    for await (const piece of stream) pieces.push(piece);
  } catch (caught) {
    error = caught;
  }
  const whole = pieces.reduce<AIMessageChunk | undefined>(
    (sum, piece) => sum?.concat(piece) ?? piece,
    undefined,
  );
  return { whole, pieces, error, types: events.map((event) => event.type) };
};

describe("a stream that starts again", () => {
  it("counts the usage and the metadata of the answer that succeeded alone", async () => {
    const first = new ChunkModel("first", {
      pieces: [
        {
          content: "",
          ...usage(100),
          response_metadata: { model_provider: "anthropic", model_name: "first" },
        },
        { content: "Half" },
      ],
      error: overloaded(),
    });
    const second = new ChunkModel("second", {
      pieces: [
        { content: "Whole", response_metadata: { model_provider: "openai" } },
        { content: "", ...usage(3), response_metadata: { model_provider: "openai", model_name: "second" } },
      ],
    });
    const { whole } = await read(first, second);
    expect(whole?.content).toBe(`Half${NOTICE}Whole`);
    expect(whole?.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 3, total_tokens: 6 });
    expect(whole?.response_metadata).toEqual({
      model_provider: "openai",
      model_name: "second",
      fiveseam_served_by: "chunkmodel",
    });
  });

  it("is stamped once, by the one that answered, after fallbacks that failed", async () => {
    const dead = new ChunkModel("dead", { pieces: [], error: overloaded() });
    const half = new ChunkModel("half", { pieces: [{ content: "Half" }], error: overloaded() });
    const { whole } = await read(dead, half, new ChunkModel("last", { pieces: [{ content: "Whole" }] }));
    expect(whole?.response_metadata["fiveseam_served_by"]).toBe("chunkmodel");
  });

  it("keeps blocks of two attempts apart by their index, and a call whole", async () => {
    const model = new ChunkModel(
      "first",
      {
        pieces: [text(""), text("Par"), text("tial")],
        error: new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }),
      },
      {
        pieces: [
          text("I call"),
          {
            content: [{ type: "tool_use", id: "t1", name: "f", input: "", index: 1 }],
            tool_call_chunks: [{ type: "tool_call_chunk", id: "t1", name: "f", args: "", index: 1 }],
          },
          {
            content: [{ type: "input_json_delta", input: '{"a":1}', index: 1 }],
            tool_call_chunks: [{ type: "tool_call_chunk", args: '{"a":1}', index: 1 }],
          },
        ],
      },
    );
    const { whole } = await read(model);
    expect(whole?.content).toMatchObject([
      { type: "text", text: "Partial" },
      { type: "text", text: NOTICE },
      { type: "text", text: "I call" },
      { type: "tool_use", id: "t1", index: 3 },
      { type: "input_json_delta", input: '{"a":1}', index: 3 },
    ]);
    expect(whole?.tool_calls).toMatchObject([{ id: "t1", name: "f", args: { a: 1 } }]);
  });

  it("goes from blocks to strings and back without mixing them", async () => {
    const strings = (): ChunkModel =>
      new ChunkModel("s", { pieces: [{ content: "A" }, { content: "B" }], error: overloaded() });
    const blocks = (): ChunkModel =>
      new ChunkModel("b", { pieces: [text("C"), text("D")], error: overloaded() });
    const last = new ChunkModel("l", { pieces: [{ content: "E" }, { content: "F" }] });
    expect((await read(strings(), blocks(), last)).whole?.text).toBe(`AB${NOTICE}CD${NOTICE}EF`);
    const { whole } = await read(
      blocks(),
      strings(),
      new ChunkModel("l", { pieces: [text("E"), text("F")] }),
    );
    expect(whole?.text).toBe(`CD${NOTICE}AB${NOTICE}EF`);
    expect(whole?.content).toHaveLength(5);
  });

  it("gives the second answer another message id when the server repeats its id", async () => {
    const model = new ChunkModel("same", { pieces: [{ content: "Half", id: "x" }], error: overloaded() });
    const again = new ChunkModel("again", {
      pieces: [
        { content: "Whole", id: "x" },
        { content: "!", id: "x" },
      ],
    });
    const { pieces } = await read(model, again);
    const ids = (part: string): unknown => pieces.find((piece) => piece.text === part)?.id;
    expect(ids("Half")).toBe("x");
    expect(ids("Whole")).toBe("x-2");
    expect(ids("!")).toBe("x-2");
  });

  it("says nothing of a start that nobody saw", async () => {
    const quiet = new ChunkModel("quiet", {
      pieces: [text(""), { content: "", ...usage(5) }],
      error: overloaded(),
    });
    const { whole, types } = await read(quiet, new ChunkModel("b", { pieces: [text("Whole")] }));
    expect(whole?.text).toBe("Whole");
    expect(types).not.toContain("restarted");
  });

  it.each([
    ["a thought", { content: [{ type: "thinking", thinking: "PARTIAL", index: 0 }] }],
    ["reasoning beside the content", { content: "", additional_kwargs: { reasoning_content: "Hm" } }],
    [
      "part of a call",
      {
        content: "",
        tool_call_chunks: [{ type: "tool_call_chunk", id: "c", name: "f", args: "{", index: 0 }],
      },
    ],
    ["a text with citations", { content: [{ type: "text", text: "T", citations: [{}], index: 0 }] }],
  ])("does not start again once %s is out, but surfaces the error", async (_name, piece) => {
    const second = new ChunkModel("second", { pieces: [text("Never")] });
    const { error, whole } = await read(
      new ChunkModel("first", { pieces: [piece], error: overloaded() }),
      second,
    );
    expect(failureOf(error).reason).toBe("overloaded");
    expect(second.asked).toBe(0);
    expect(whole?.text).not.toContain("starts again");
  });

  it("changes nothing in the sum of an answer that does not fail (property)", async () => {
    const piece = fc.oneof(
      fc.string().map((content) => ({ content })),
      fc.constantFrom(
        { content: "", ...usage(2) },
        { content: "", additional_kwargs: { id: "m" } },
        { content: "", response_metadata: { model_provider: "openai", model_name: "m" } },
        {
          content: "",
          tool_call_chunks: [{ type: "tool_call_chunk", id: "c", name: "f", args: "{}", index: 0 }],
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const { whole } = await read(new ChunkModel("m", { pieces }));
        let plain: AIMessageChunk | undefined;
        for await (const each of await new ChunkModel("m", { pieces }).stream("Hi"))
          plain = plain?.concat(each) ?? each;
        const facts = (message: AIMessageChunk | undefined) => ({
          content: message?.content,
          calls: message?.tool_calls,
          usage: message?.usage_metadata?.total_tokens,
          kwargs: message?.additional_kwargs,
          provider: message?.response_metadata["model_provider"],
        });
        expect(facts(whole)).toEqual(facts(plain));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a cache that two FallbackChatModels share", () => {
  it("keeps the answers of one from the other, and holds no key", async () => {
    const cache = new InMemoryCache();
    const of = (...responses: string[]): FallbackChatModel =>
      new FallbackChatModel({ models: [new FakeListChatModel({ responses })], cache });
    const one = of("A", "A2");
    expect((await one.invoke("x")).text).toBe("A");
    expect((await of("B").invoke("x")).text).toBe("B");
    expect((await one.invoke("x")).text).toBe("A");
    const factory = (answer: string): FallbackChatModel =>
      new FallbackChatModel({ models: [() => new FakeListChatModel({ responses: [answer] })], cache });
    expect((await factory("C").invoke("x")).text).toBe("C");
    expect((await factory("D").invoke("x")).text).toBe("D");
  });
});
