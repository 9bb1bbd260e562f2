import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { createPrefixMeter } from "../../src/prefix-meter/index.js";
import { startProvider } from "./provider.js";

const SYSTEM = "Answer with yes. ".repeat(400);
const MARK = { cache_control: { type: "ephemeral" as const } };

const system = new SystemMessage({ content: [{ type: "text", text: SYSTEM, ...MARK }] });
const question = (text: string, marked: boolean) =>
  new HumanMessage(marked ? { content: [{ type: "text", text, ...MARK }] } : text);

describe("meter.fetch", () => {
  for (const streamed of [false, true]) {
    const ask = async (model: ChatAnthropic | ChatOpenAI, messages: BaseMessage[]): Promise<string> => {
      if (!streamed) return (await model.invoke(messages)).text;
      let text = "";
      for await (const chunk of await model.stream(messages)) text += chunk.text;
      return text;
    };
    const how = streamed ? "streaming" : "not streaming";

    it(`measures what ChatAnthropic sends, ${how}`, async () => {
      await using provider = await startProvider();
      const meter = createPrefixMeter();
      const model = new ChatAnthropic({
        model: "claude-sonnet-4-6",
        apiKey: "key",
        anthropicApiUrl: provider.url,
        maxTokens: 100,
        clientOptions: { fetch: meter.fetch },
      });
      expect(await ask(model, [system, question("one", true)])).toBe("yes");
      const call = new AIMessage({ content: "", tool_calls: [{ id: "t", name: "look", args: {} }] });
      const found = new ToolMessage({ tool_call_id: "t", content: "found" });
      await ask(model, [system, question("one", false), call, found, question("two", true)]);
      const [first, second] = meter.report().turns;
      // The system block: its JSON has 28 characters more than its text.
      expect(first?.writtenTokens).toBeGreaterThan(SYSTEM.length / 4);
      expect(second).toMatchObject({
        turn: 2,
        reusedTokens: first?.writtenTokens,
        rebilledTokens: 0,
        uncachedTokens: 0,
      });
      expect(meter.report().notes).toEqual({
        ignoredRequests: 0,
        failedRequests: 0,
        meterFaults: 0,
        forgottenTurns: 0,
      });
    });

    it(`measures what ChatOpenAI sends, ${how}`, async () => {
      await using provider = await startProvider();
      const meter = createPrefixMeter();
      const model = new ChatOpenAI({
        model: "gpt-4.1",
        apiKey: "key",
        configuration: { baseURL: `${provider.url}/v1`, fetch: meter.fetch },
      });
      expect(await ask(model, [system, question("one", false)])).toBe("yes");
      await ask(model, [system, question("one", false), new AIMessage("yes"), question("two", false)]);
      const [first, second] = meter.report().turns;
      expect(first?.promptTokens).toBeGreaterThan(1_700);
      expect(second).toMatchObject({
        turn: 2,
        rebilledTokens: 0,
        reusedTokens: Math.floor((first?.promptTokens ?? 0) / 128) * 128,
      });
    });
  }

  it("does not count a request that the provider refused, and tells of it", async () => {
    await using provider = await startProvider();
    provider.failNext(529);
    const meter = createPrefixMeter();
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "key",
      anthropicApiUrl: provider.url,
      maxRetries: 0,
      clientOptions: { fetch: meter.fetch, maxRetries: 0 },
    });
    await expect(model.invoke([system])).rejects.toMatchObject({ status: 529 });
    await model.invoke([system, question("one", true)]);
    expect(meter.report()).toMatchObject({ notes: { failedRequests: 1 }, totals: { reusedTokens: 0 } });
    expect(meter.report().turns).toHaveLength(1);
  });

  it("lets through what it cannot read, byte for byte, and counts it", async () => {
    await using provider = await startProvider();
    const meter = createPrefixMeter();
    const post = (path: string, body: string | ReadableStream<Uint8Array>) =>
      meter.fetch(`${provider.url}${path}`, { method: "POST", body, duplex: "half" } as RequestInit);
    await post("/v1/embeddings", '{"input":"text"}');
    await post("/v1/messages/count_tokens", '{"messages":[]}');
    await post("/v1/responses", '{"input":"more","previous_response_id":"r"}');
    const stream = new Blob(['{"messages":[]}']).stream() as ReadableStream<Uint8Array>;
    await post("/v1/messages", stream);
    expect(provider.seen.map(({ body }) => body)).toEqual([
      '{"input":"text"}',
      '{"messages":[]}',
      '{"input":"more","previous_response_id":"r"}',
      '{"messages":[]}',
    ]);
    expect(meter.report()).toMatchObject({ turns: [], notes: { ignoredRequests: 4, meterFaults: 0 } });
    const request = new Request(`${provider.url}/v1/messages`, {
      method: "POST",
      body: '{"messages":[{"role":"user","content":"hi"}]}',
    });
    await meter.fetch(request);
    expect(meter.report().turns).toHaveLength(1);
  });

  it("never fails a request by a fault of its own, and hands on the fault of a request", async () => {
    await using provider = await startProvider();
    const meter = createPrefixMeter({
      countTokens: () => {
        throw new Error("counter broken");
      },
    });
    const body = '{"messages":[{"role":"user","content":"hi"}]}';
    const answer = await meter.fetch(`${provider.url}/v1/messages`, { method: "POST", body });
    expect(await answer.json()).toMatchObject({ type: "message" });
    expect(meter.report().notes.meterFaults).toBe(1);
    const down = new Error("down");
    const broken = createPrefixMeter({ fetch: () => Promise.reject(down) });
    await expect(broken.fetch("http://x.invalid/v1/messages", { method: "POST", body })).rejects.toBe(down);
  });

  it("knows the conversation of an agent's run by its thread", async () => {
    await using provider = await startProvider();
    const meter = createPrefixMeter();
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "key",
      anthropicApiUrl: provider.url,
      clientOptions: { fetch: meter.fetch },
    });
    const agent = createAgent({ model, tools: [], systemPrompt: system });
    for (const thread_id of ["a", "b", "a"])
      await agent.invoke({ messages: [question("same words", false)] }, { configurable: { thread_id } });
    expect(meter.report().turns.map(({ conversation, turn }) => `${conversation}${turn}`)).toEqual([
      "a1",
      "b1",
      "a2",
    ]);
  });
});
