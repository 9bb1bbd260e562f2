import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent, fakeModel, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { createSystemPrompt, todosMiddleware } from "../src/index.js";

describe("createSystemPrompt", () => {
  it("is the same bytes for the same options, and says only what holds", () => {
    const full = {
      hasDocs: true,
      canRunCommands: true,
      hasTodos: true,
      delegates: ["a", "b"],
      instructions: " Be brief. ",
    };
    expect(createSystemPrompt(full)).toBe(createSystemPrompt({ ...full }));
    expect(createSystemPrompt(full)).toMatch(/\/docs\/[^]*run the tests[^]*task \(a, b\)[^]*Be brief\.$/);
    const bare = createSystemPrompt();
    for (const absent of ["/docs/", "run the tests", "write_todos", "Delegate", "Be brief"])
      expect(bare).not.toContain(absent);
  });
});

describe("todosMiddleware", () => {
  const write = (id: string, content: string) => ({
    id,
    name: "write_todos",
    args: { todos: [{ content, status: "in_progress" }] },
  });

  it("keeps the list in the state under `todos`, also when two lists are written in one step", async () => {
    const model = fakeModel()
      .respond(new AIMessage({ content: "", tool_calls: [write("1", "first"), write("2", "second")] }))
      .respond(new AIMessage("done"));
    const agent = createAgent({ model, tools: [], middleware: [todosMiddleware()] });
    const state = (await agent.invoke({ messages: [new HumanMessage("go")] })) as unknown as {
      todos: { content: string }[];
    };
    expect(state.todos).toEqual([{ content: "second", status: "in_progress" }]);
  });

  it("adds no node to the graph, so a model step costs no further checkpoint", async () => {
    const nodes = (middleware: AgentMiddleware[]) =>
      Object.keys(createAgent({ model: fakeModel(), tools: [], middleware }).graph.nodes);
    expect(nodes([todosMiddleware()]).filter((name) => /before|after/.test(name))).toEqual([]);
  });
});
