import { createChatModel } from "@fiveseam/models";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createDeepAgent } from "deepagents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  recordModel,
  replayModel,
  startProviderEmulator,
  type EmulatedPolicy,
  type ProviderEmulator,
} from "@fiveseam/testing";
import { scratchFile } from "./support.js";
import "@fiveseam/testing/vitest";

const KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";

describe("a deep agent with delegates that run in parallel", () => {
  const delegating: EmulatedPolicy = (messages, tools) => {
    const last = messages.at(-1);
    if (!tools.some(({ name }) => name === "task") || ToolMessage.isInstance(last))
      return `Read: ${last?.text.slice(0, 40)}`;
    return {
      toolCalls: ["alpha", "beta", "gamma"].map((description) => ({
        name: "task",
        args: { description, subagent_type: "general-purpose" },
      })),
    };
  };
  const run = async (model: BaseChatModel): Promise<BaseMessage[]> => {
    const agent = createDeepAgent({ model });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Go.")] });
    return messages as BaseMessage[];
  };
  const shown = (messages: BaseMessage[]): string[] =>
    messages.map((message) => `${message.getType()} ${message.text}`);

  it("replays with the same messages, and is sent with Anthropic's cache marks as before", async () => {
    await using provider = await startProviderEmulator({ policy: delegating });
    const file = scratchFile();
    const client = await createChatModel({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      apiKey: KEY,
      baseURL: provider.url,
    });
    await using recording = recordModel(client, { file });
    const real = await run(recording.model);
    await recording.finish();
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("cache_control");
    expect(provider.requests).toHaveLength(5);

    const model = replayModel({ file });
    const again = await run(model);
    model.assertFinished();
    expect(shown(again)).toEqual(shown(real));
    expect(again).toHaveNoOrphanToolCalls();
    expect(again).toHaveToolResult("task", { status: "success", content: "Read: beta" });
  });
});

describe.each<[string, (provider: ProviderEmulator) => BaseChatModel]>([
  [
    "ChatAnthropic",
    ({ url }) =>
      new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: KEY, anthropicApiUrl: url, maxRetries: 0 }),
  ],
  [
    "ChatOpenAI",
    ({ openAIBaseURL: baseURL }) =>
      new ChatOpenAI({ model: "gpt-4.1", apiKey: KEY, configuration: { baseURL }, maxRetries: 0 }),
  ],
])("a recorded %s", (_name, make) => {
  const policy: EmulatedPolicy = (_messages, [tool]) =>
    tool ? { toolCalls: [{ name: tool.name, args: { count: 1 } }] } : "Plain words, in more than one piece.";
  const structured = (model: BaseChatModel): Promise<unknown> =>
    model
      .withStructuredOutput(z.object({ count: z.number() }), { name: "counted", method: "functionCalling" })
      .invoke("How many?");
  const tokens = async (model: BaseChatModel): Promise<string[]> => {
    const seen: string[] = [];
    const callbacks = [{ handleLLMNewToken: (token: string) => void seen.push(token) }];
    for await (const _ of await model.stream("Say it", { callbacks }));
    return seen;
  };
  const nameOf = (error: unknown): string => (error as Error).name;

  it("keeps structured output, callbacks and aborts, and replays them", async () => {
    await using provider = await startProviderEmulator({ policy });
    const file = scratchFile();
    const untouched = make(provider);
    const expected = [await structured(untouched), await tokens(untouched)];
    await using recording = recordModel(make(provider), { file });
    expect([await structured(recording.model), await tokens(recording.model)]).toEqual(expected);
    provider.fail({ kind: "hang" });
    const aborted = await recording.model
      .invoke("Wait", { signal: AbortSignal.timeout(50) })
      .then(() => "answered", nameOf);
    await recording.finish();
    expect(aborted).toMatch(/^(Abort|Timeout)Error$/);

    const model = replayModel({ file });
    expect([await structured(model), await tokens(model)]).toEqual(expected);
    expect(await model.invoke("Wait").then(() => "answered", nameOf)).toBe(aborted);
    model.assertFinished();
  });
});
