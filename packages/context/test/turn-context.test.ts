import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware } from "langchain";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  promptCacheMiddleware,
  sessionFilesNote,
  turnContextMiddleware,
  type ContextWarning,
} from "../src/index.js";
import { call, converse } from "./support.js";

interface Block {
  type: string;
  text?: string;
  cache_control?: object;
  content?: unknown;
}
interface Body {
  system?: Block[];
  messages: { role: string; content: Block[] | string }[];
  cache_control?: object;
  prompt_cache_key?: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A provider on this machine that answers what it is told and keeps what it was sent. */
const provider = async (
  answer: (body: Body, at: number) => object,
): Promise<{ url: string; bodies: Body[] }> => {
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as Body;
      bodies.push(body);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer(body, bodies.length - 1)));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
};

const anthropicAnswer = (content: object[], at = 0) => ({
  id: `msg_${at}`,
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-6",
  content,
  stop_reason: content.some((block) => (block as Block).type === "tool_use") ? "tool_use" : "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
});

const look = tool(({ at }: { at: string }) => `result ${at}`, {
  name: "look",
  description: "Looks.",
  schema: z.object({ at: z.string() }),
});

/** The places of the marks: "system", or "<message>.<block>:<type>". */
const marks = ({ system, messages }: Body): string[] => [
  ...(system ?? []).filter((block) => block.cache_control).map(() => "system"),
  ...messages.flatMap(({ content }, at) =>
    typeof content === "string"
      ? []
      : content.flatMap((block, index) => (block.cache_control ? [`${at}.${index}:${block.type}`] : [])),
  ),
];

describe("turnContextMiddleware", () => {
  it("puts notes behind everything, for one call, in no state, and never moves what came before", async () => {
    let time = 0;
    const notes = turnContextMiddleware({
      notes: [
        { name: "time", write: () => `it is ${(time += 1)}` },
        { name: "editor", write: ({ context }) => (context as { file?: string } | undefined)?.file },
        { name: "nothing", write: () => "  " },
      ],
    });
    const checkpointer = new MemorySaver();
    const { calls, systems } = await converse([notes], ["one", "two"], {
      checkpointer,
      context: { file: "open.ts" },
    });
    expect(calls.map((sent) => sent.map(({ text }) => text))).toEqual([
      [
        "BASE",
        "one",
        "<now>\nFor this moment, not from the user:\n\n[time]\nit is 1\n\n[editor]\nopen.ts\n</now>",
      ],
      [
        "BASE",
        "one",
        "ok",
        "two",
        "<now>\nFor this moment, not from the user:\n\n[time]\nit is 2\n\n[editor]\nopen.ts\n</now>",
      ],
    ]);
    expect(new Set(systems).size).toBe(1);
    const stored: string[] = [];
    for await (const tuple of checkpointer.list({ configurable: { thread_id: "t" } }))
      stored.push(JSON.stringify(tuple));
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.join()).not.toContain("it is");
  });

  it("leaves a note out that fails, and says so; cuts a long one", async () => {
    const warnings: ContextWarning[] = [];
    const notes = turnContextMiddleware({
      notes: [
        { name: "bad", write: () => Promise.reject(new Error("no editor")) },
        { name: "long", maxTokens: 5, write: () => "y".repeat(100) },
      ],
      onWarning: (warning) => warnings.push(warning),
    });
    const { calls } = await converse([notes], ["one"]);
    expect(calls[0]!.at(-1)!.text).toContain(`[long]\n${"y".repeat(20)}\n[cut here to fit 5 tokens]`);
    expect(warnings).toMatchObject([
      { code: "note_failed", message: 'The note "bad" was left out: no editor' },
    ]);
    expect((await converse([turnContextMiddleware({ notes: [] })], ["one"])).calls[0]).toHaveLength(2);
  });

  it("names the files that were changed, and those that are not as the agent knows them", async () => {
    const note = sessionFilesNote({
      freshness: (file) => (file === "/workspace/read.ts" ? "changed" : "fresh"),
    });
    const messages = [
      new HumanMessage("go"),
      call("1", "read_file", { file_path: "/workspace/read.ts" }),
      new ToolMessage({ content: "x", tool_call_id: "1" }),
      call("2", "edit_file", { file_path: "/workspace/edit.ts" }),
      new ToolMessage({ content: "x", tool_call_id: "2" }),
      call("3", "write_file", { file_path: "/workspace/failed.ts" }),
      new ToolMessage({ content: "no", tool_call_id: "3", status: "error" }),
    ];
    const write = (given: typeof messages) =>
      note.write({ messages: given, context: undefined, threadId: "t", namespace: "", signal: undefined });
    expect(await write(messages)).toBe(
      "You changed: /workspace/edit.ts\nNot as you know it: /workspace/read.ts: changed since you read it",
    );
    expect(await write([new HumanMessage("go")])).toBeUndefined();
  });
});

describe("promptCacheMiddleware", () => {
  const agentOn = (model: ChatAnthropic | ChatOpenAI) =>
    createAgent({
      model,
      tools: [look],
      systemPrompt: "BASE",
      middleware: [
        turnContextMiddleware({ notes: [{ name: "time", write: () => `${Math.random()}` }] }),
        ...promptCacheMiddleware(),
      ],
      checkpointer: new MemorySaver(),
    });

  it("marks the system prompt, the last stable message and the one where the last call ended, never the note", async () => {
    const uses = Array.from({ length: 30 }, (_, at) => ({
      type: "tool_use",
      id: `toolu_${at}`,
      name: "look",
      input: { at: String(at) },
    }));
    const { url, bodies } = await provider((_, at) =>
      anthropicAnswer(at === 0 ? uses : [{ type: "text", text: "done" }], at),
    );
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "k",
      anthropicApiUrl: url,
      maxRetries: 0,
    });
    const agent = agentOn(model);
    const thread = { configurable: { thread_id: "t" } };
    await agent.invoke({ messages: [new HumanMessage("one")] }, thread);
    await agent.invoke({ messages: [new HumanMessage("two")] }, thread);
    expect(bodies.map(marks)).toEqual([
      ["system", "0.0:text"],
      // The mark sits on the last result itself, after 30 blocks; the entry of the first call is found by its own mark.
      ["system", "0.0:text", "2.29:tool_result"],
      ["system", "2.29:tool_result", "4.0:text"],
    ]);
    for (const body of bodies) {
      expect(body.cache_control).toBeUndefined();
      // No block, so that nothing can be marked on it.
      expect(body.messages.at(-1)!.content).toContain("<now>");
      // What was sent before is the beginning of what is sent now, the marks apart.
    }
    const plain = (body: Body) =>
      body.messages.flatMap(({ role, content }) =>
        (typeof content === "string" ? [{ type: "text", text: content } as Block] : content)
          .filter(({ text = "" }) => !text.includes("<now>"))
          .map(({ cache_control: _mark, ...block }) => JSON.stringify([role, block])),
      );
    for (const [at, body] of bodies.slice(0, -1).entries())
      expect(plain(bodies[at + 1]!).slice(0, plain(body).length)).toEqual(plain(body));
  });

  it("leaves every byte as it will be sent without the mark: results that are texts, blocks, pictures and errors", async () => {
    const steps = ["text", "blocks", "picture", "error", "text", "blocks"];
    const kinds = tool(
      ({ at }: { at: string }) => {
        if (at === "error") throw new Error("no");
        if (at === "blocks")
          return [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ];
        if (at === "picture")
          return [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }];
        return "plain";
      },
      { name: "look", description: "Looks.", schema: z.object({ at: z.string() }) },
    );
    const { url, bodies } = await provider((_, at) =>
      anthropicAnswer(
        steps[at]
          ? [{ type: "tool_use", id: `toolu_${at}`, name: "look", input: { at: steps[at] } }]
          : [{ type: "text", text: "done" }],
        at,
      ),
    );
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "k",
      anthropicApiUrl: url,
      maxRetries: 0,
    });
    const failing = createMiddleware({
      name: "failing",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch {
          return new ToolMessage({
            content: "failed",
            status: "error",
            tool_call_id: request.toolCall.id ?? "",
          });
        }
      },
    });
    const agent = createAgent({
      model,
      tools: [kinds],
      systemPrompt: "BASE",
      middleware: [failing, ...promptCacheMiddleware()],
    });
    await agent.invoke({ messages: [new HumanMessage("one")] });
    expect(bodies).toHaveLength(7);
    const bytes = (body: Body) =>
      body.messages.flatMap(({ role, content }) =>
        (typeof content === "string" ? [{ type: "text", text: content } as Block] : content).map(
          ({ cache_control: _mark, ...block }) => JSON.stringify([role, block]),
        ),
      );
    for (const [at, body] of bodies.slice(0, -1).entries())
      expect(bytes(bodies[at + 1]!).slice(0, bytes(body).length)).toEqual(bytes(body));
    // Everything but the picture can carry the mark of the last message.
    expect(bodies.slice(1).map((body) => marks(body).at(-1))).toEqual(
      ["2", "4", "4", "8", "10", "12"].map((message) => `${message}.0:tool_result`),
    );
  });

  it("never exceeds four marks, and respects those that are there", async () => {
    const { url, bodies } = await provider(() => anthropicAnswer([{ type: "text", text: "ok" }]));
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "k",
      anthropicApiUrl: url,
      maxRetries: 0,
    });
    const own = { type: "text", text: "mine", cache_control: { type: "ephemeral" } };
    await agentOn(model).invoke(
      {
        messages: [
          new HumanMessage({ content: [own, { ...own, text: "b" }, { ...own, text: "c" }] }),
          new AIMessage("ok"),
          new HumanMessage("x"),
        ],
      },
      { configurable: { thread_id: "t" } },
    );
    expect(marks(bodies[0]!)).toHaveLength(4);
    expect(marks(bodies[0]!)).not.toContain("2.0:text");
  });

  it("sends OpenAI a key for the conversation where told that it is OpenAI, and other providers nothing", async () => {
    const { url, bodies } = await provider(() => ({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "gpt-4.1",
      choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }));
    const model = new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: "k",
      configuration: { baseURL: url },
      maxRetries: 0,
    });
    const thread = { configurable: { thread_id: "t" } };
    const withKey = createAgent({
      model,
      tools: [look],
      systemPrompt: "BASE",
      middleware: promptCacheMiddleware({ providerOf: () => "openai" }),
    });
    await withKey.invoke({ messages: [new HumanMessage("x")] }, thread);
    await withKey.invoke({ messages: [new HumanMessage("y")] }, thread);
    await agentOn(model).invoke({ messages: [new HumanMessage("x")] }, thread);
    expect(bodies[0]!.prompt_cache_key).toMatch(/^[0-9a-f]{32}$/);
    expect(bodies[1]!.prompt_cache_key).toBe(bodies[0]!.prompt_cache_key);
    expect(bodies[2]!.prompt_cache_key).toBeUndefined();
    expect(JSON.stringify(bodies)).not.toContain("cache_control");
  });
});
