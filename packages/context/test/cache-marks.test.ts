import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  HumanMessage,
  type SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { promptCacheMiddleware, turnContextMiddleware } from "../src/index.js";

const bodies: Record<string, unknown>[] = [];
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += String(chunk)));
  request.on("end", () => {
    bodies.push(JSON.parse(text) as Record<string, unknown>);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "m",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-6",
        stop_reason: "end_turn",
        content: [{ type: "text", text: "ok" }],
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const mark = { cache_control: { type: "ephemeral" } };
const send = async (
  messages: BaseMessage[],
  systemPrompt: string | SystemMessage = "BASE",
  tools: never[] = [],
) => {
  const model = new ChatAnthropic({
    model: "claude-sonnet-4-6",
    apiKey: "k",
    anthropicApiUrl: url,
    maxRetries: 0,
  });
  const agent = createAgent({
    model,
    tools,
    systemPrompt,
    middleware: [
      turnContextMiddleware({ notes: [{ name: "n", write: () => "NOTE" }] }),
      ...promptCacheMiddleware(),
    ],
  });
  await agent.invoke({ messages });
  return bodies.at(-1)!;
};
const marks = (body: unknown): number => JSON.stringify(body).split('"cache_control"').length - 1;

describe("marks, as the real client sends them", () => {
  const marked = (text: string) => ({ type: "text", text, ...mark });
  it("are four at most, the caller's counted wherever they are", async () => {
    const four = new HumanMessage({ content: [1, 2, 3, 4].map((at) => marked(`m${at}`)) });
    expect(marks(await send([four]))).toBeLessThanOrEqual(4);
    const inResult = [
      new HumanMessage("x"),
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "t", args: {} }] }),
      new ToolMessage({ tool_call_id: "1", content: [1, 2, 3, 4].map((at) => marked(`m${at}`)) }),
    ];
    expect(marks(await send(inResult))).toBeLessThanOrEqual(4);
    const t = tool(() => "x", { name: "t", description: "d", schema: z.object({}), extras: mark });
    const u = tool(() => "x", { name: "u", description: "d", schema: z.object({}), extras: mark });
    const body = await send([new HumanMessage("a"), new AIMessage("b"), new HumanMessage("c")], "BASE", [
      t,
      u,
    ] as never[]);
    expect(marks(body)).toBeLessThanOrEqual(4);
    expect(marks(body)).toBeGreaterThan(2);
  });
  it("stand on a result that is a list of texts, as tools of MCP servers give", async () => {
    const { messages } = (await send([
      new HumanMessage("x"),
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "t", args: {} }] }),
      new ToolMessage({
        tool_call_id: "1",
        content: [
          { type: "text", text: "r" },
          { type: "text", text: "" },
        ],
      }),
    ])) as { messages: { content: unknown }[] };
    expect(messages[2]!.content).toEqual([
      { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "r" }], ...mark },
    ]);
  });
});
