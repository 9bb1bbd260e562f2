import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, fakeModel, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import {
  createSystemPrompt,
  projectMemoryMiddleware,
  todosMiddleware,
  type ProjectMemoryOptions,
} from "../src/index.js";

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

/** Runs an agent for some user turns and returns the system prompts that its model was sent. */
const prompts = async (
  middleware: AgentMiddleware,
  turns: string[],
  between: (turn: number) => void = () => {},
): Promise<string[]> => {
  const model = fakeModel();
  for (const _turn of turns) model.respond(new AIMessage("ok"));
  const agent = createAgent({
    model,
    tools: [],
    systemPrompt: "BASE",
    middleware: [middleware],
    checkpointer: new MemorySaver(),
  });
  for (const [at, turn] of turns.entries()) {
    await agent.invoke({ messages: [new HumanMessage(turn)] }, { configurable: { thread_id: "t" } });
    between(at);
  }
  return model.calls.map(({ messages }) => (messages[0] as BaseMessage).text);
};

describe("projectMemoryMiddleware", () => {
  const memory = (
    texts: Record<string, string | undefined | Error>,
    options: Partial<ProjectMemoryOptions> = {},
  ) =>
    projectMemoryMiddleware({
      sources: Object.keys(texts).map((path) => ({
        path,
        read: async () => {
          const text = texts[path];
          if (text instanceof Error) throw text;
          return text;
        },
      })),
      ...options,
    });

  it("puts the files behind the system prompt, with their names, and none without a file", async () => {
    const [prompt] = await prompts(memory({ "/workspace/AGENTS.md": "Use tabs.\r\nNo $& magic." }), ["hi"]);
    expect(prompt).toBe("BASE\n\n# Project instructions\n\n## /workspace/AGENTS.md\nUse tabs.\nNo $& magic.");
    expect(await prompts(memory({ "/a": undefined, "/b": "  \n" }), ["hi"])).toEqual(["BASE"]);
  });

  it("reads once a user turn: the prompt of a turn does not move, the next turn sees a change", async () => {
    const texts: Record<string, string> = { "/a": "one" };
    const seen = await prompts(memory(texts), ["hi", "again"], () => {
      texts["/a"] = "two";
    });
    expect(seen.map((prompt) => /one|two/.exec(prompt)?.[0])).toEqual(["one", "two"]);
  });

  it("keeps to its budget and says what was cut", async () => {
    const [prompt = ""] = await prompts(memory({ "/a": "x".repeat(500), "/b": "y" }, { maxTokens: 100 }), [
      "hi",
    ]);
    expect(prompt).toContain(`${"x".repeat(400)}\n[cut here to fit the budget; the whole file is at /a]`);
    expect(prompt).toContain("## /b\n[not shown");
    expect(prompt).not.toContain("yy");
  });

  it("fails open: a source that cannot be read is reported and the rest is used", async () => {
    const warnings: unknown[] = [];
    const middleware = memory(
      { "/a": new Error("EIO"), "/b": "beta" },
      { onWarning: (warning) => warnings.push(warning) },
    );
    const [prompt] = await prompts(middleware, ["hi"]);
    expect(prompt).toContain("beta");
    expect(warnings).toEqual([{ path: "/a", message: "EIO" }]);
    const onWarning = () => {
      throw new Error("listener");
    };
    expect(
      (await prompts(memory({ "/a": new Error("EIO"), "/b": "beta" }, { onWarning }), ["hi"]))[0],
    ).toContain("beta");
  });

  it("keeps threads apart that use one message id", async () => {
    let text = "one";
    const middleware = projectMemoryMiddleware({ sources: [{ path: "/a", read: async () => text }] });
    const model = fakeModel().respond(new AIMessage("ok")).respond(new AIMessage("ok"));
    const agent = createAgent({
      model,
      tools: [],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    for (const thread_id of ["a", "b"]) {
      await agent.invoke(
        { messages: [new HumanMessage({ id: "same", content: "hi" })] },
        { configurable: { thread_id } },
      );
      text = "two";
    }
    expect(model.calls.map(({ messages }) => /one|two/.exec((messages[0] as BaseMessage).text)?.[0])).toEqual(
      ["one", "two"],
    );
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
