import { AIMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, fakeModel } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createPipeline,
  createRights,
  declarationOf,
  defineTool,
  memoryAuditSink,
  outcomeOf,
  toolPipelineMiddleware,
  wrapTool,
} from "../src/index.js";

const setUp = (perMinute = 100) => {
  const sink = memoryAuditSink();
  const pipeline = createPipeline({ audit: { sink }, rateLimit: { perMinute, nowMs: () => 0 } });
  let runs = 0;
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    schema: z.object({ by: z.number() }),
    effects: ["exec"],
    run: ({ by }) => String((runs += by)),
  });
  return { sink, pipeline, tool };
};

const askOnce = (id: string) =>
  fakeModel()
    .respond(new AIMessage({ content: "", tool_calls: [{ id, name: "count", args: { by: 1 } }] }))
    .respond(new AIMessage("end"));

describe("wrapTool", () => {
  it("takes calls of either form through the pipeline, and leaves the tool itself alone", async () => {
    const { sink, pipeline, tool } = setUp();
    const wrapped = wrapTool(tool, pipeline, { agent: "main" });
    expect(await wrapped.invoke({ by: 2 })).toBe("2");
    const message = (await wrapped.invoke({
      type: "tool_call",
      id: "c1",
      name: "count",
      args: { by: 1 },
    })) as ToolMessage;
    expect(message).toMatchObject({ content: "3", tool_call_id: "c1" });
    expect(await wrapped.invoke({ by: "x" } as never)).toContain("Invalid arguments for count");
    expect(await tool.invoke({ by: 1 })).toBe("4");
    expect(sink.records.map(({ callId, outcome, agent }) => [callId, outcome, agent])).toEqual([
      [expect.stringMatching(/^direct_/), "executed", "main"],
      ["c1", "executed", "main"],
      [expect.stringMatching(/^direct_/), "failed", "main"],
    ]);
    expect(declarationOf(wrapped)).toEqual(declarationOf(tool));
  });

  it("twice with one pipeline is one audit record and one token of the rate limit, alone and in an agent that has it too", async () => {
    const { sink, pipeline, tool } = setUp(2);
    const once = wrapTool(tool, pipeline);
    expect(wrapTool(once, pipeline)).toBe(once);
    const other = createPipeline();
    const both = wrapTool(wrapTool(once, other), pipeline);
    expect(await both.invoke({ by: 1 })).toBe("1");
    expect(sink.records).toHaveLength(1);
    const agent = createAgent({
      model: askOnce("c1"),
      tools: [both],
      middleware: [toolPipelineMiddleware(pipeline)],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(messages.at(-2)?.text).toBe("2");
    expect(sink.records).toHaveLength(2);
    expect(await both.invoke({ by: 1 })).toContain("2 tool calls in the last minute");
  });

  it("one tool in two agents is seen as each of them, with its rights", async () => {
    const { sink, pipeline, tool } = setUp();
    const none = createRights({ effects: [], read: "none", write: "none" });
    const run = async (agent: string, rights?: typeof none) => {
      const built = createAgent({
        model: askOnce(`call of ${agent}`),
        tools: [tool],
        middleware: [toolPipelineMiddleware(pipeline, { agent, ...(rights ? { rights } : {}) })],
      });
      const { messages } = await built.invoke({ messages: [new HumanMessage("go")] });
      return outcomeOf(messages.at(-2) as ToolMessage);
    };
    expect(await Promise.all([run("a"), run("b", none)])).toEqual([undefined, "denied"]);
    expect(sink.records.map(({ agent }) => agent).sort()).toEqual(["a", "b"]);
  });

  it("rights may depend on the context of the run, and a tool beyond them is not even offered", async () => {
    const { pipeline, tool } = setUp();
    const offered: unknown[] = [];
    const plan = createRights({ effects: ["fs.read"], read: "all", write: "none" });
    const full = createRights({ effects: "all", read: "all", write: "all" });
    const run = async (mode: string) => {
      const agent = createAgent({
        model: askOnce("c"),
        tools: [tool],
        contextSchema: z.object({ mode: z.string() }),
        middleware: [
          toolPipelineMiddleware(pipeline, {
            rights: (context) => ((context as { mode?: string }).mode === "plan" ? plan : full),
          }),
          createMiddleware({
            name: "Looks",
            wrapModelCall: (request, handler) => {
              offered.push(request.tools.map(({ name }) => name));
              return handler(request);
            },
          }),
        ],
      });
      const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, { context: { mode } });
      return outcomeOf(messages.at(-2) as ToolMessage);
    };
    expect(await run("plan")).toBe("denied");
    expect(offered.splice(0)).toEqual([[], []]);
    expect(await run("act")).toBeUndefined();
    expect(offered).toEqual([[tool.name], [tool.name]]);
  });
});
