import { readFile } from "node:fs/promises";
import path from "node:path";
import { defineTool } from "@fiveseam/tool-pipeline";
import { InMemoryStore, MemorySaver, interrupt } from "@langchain/langgraph";
import { toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  agentWith,
  call,
  collect,
  finished,
  lastRequest,
  modelOf,
  ofType,
  results,
  workspaceWith,
} from "./support.js";

const boom = defineTool({
  name: "boom",
  description: "Always fails.",
  schema: z.object({ n: z.number().optional() }),
  effects: [],
  run: () => {
    throw new Error("the reactor is out of cheese");
  },
});

describe("a run", () => {
  it("streams text, tools, todos and usage, and ends with the final answer", async () => {
    const places = await workspaceWith({ "a.txt": "alpha\n" });
    const model = modelOf((step) =>
      step === 0
        ? {
            reasoning: "let me look",
            text: "Reading.",
            toolCalls: [
              { name: "write_todos", args: { todos: [{ content: "read a", status: "in_progress" }] } },
              { name: "read_file", args: { file_path: "/workspace/a.txt" } },
            ],
          }
        : "It says alpha.",
    );
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("What does a.txt say?", { threadId: "t" }));

    expect(events[0]).toMatchObject({ type: "run.started", resumed: false, threadId: "t", agent: "main" });
    expect(
      ofType(events, "reasoning.delta")
        .map((event) => event.text)
        .join(""),
    ).toBe("let me look");
    expect(
      ofType(events, "text.delta")
        .map((event) => event.text)
        .join(""),
    ).toBe("Reading.It says alpha.");
    expect(ofType(events, "todos.changed").at(-1)?.todos).toEqual([
      { content: "read a", status: "in_progress" },
    ]);
    const read = results(events).find((event) => event.tool === "read_file");
    expect(read).toMatchObject({ status: "success", restored: false });
    expect(read?.output).toContain("alpha");
    expect(ofType(events, "tool.started").map((event) => event.tool)).toEqual(["write_todos", "read_file"]);
    expect(ofType(events, "usage")).toHaveLength(2);
    expect(finished(events)).toMatchObject({ reason: "completed", text: "It says alpha." });
  });

  it("takes content blocks, images included", async () => {
    const places = await workspaceWith();
    const model = modelOf(() => "A red dot.");
    const agent = await agentWith({ ...places, model });
    const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
    await collect(agent.run([{ type: "text", text: "What is this?" }, image], { threadId: "t" }));
    expect(model.calls[0]?.messages.at(-1)?.content).toEqual([
      { type: "text", text: "What is this?" },
      image,
    ]);
  });

  it("keeps the conversation of a thread, and threads apart", async () => {
    const places = await workspaceWith();
    const model = modelOf((step) => `answer ${step}`);
    const agent = await agentWith({ ...places, model });
    await collect(agent.run("one", { threadId: "a" }));
    await collect(agent.run("two", { threadId: "a" }));
    expect(lastRequest(model).slice(1)).toEqual(["human: one", "ai: answer 0", "human: two"]);
    await collect(agent.run("three", { threadId: "b" }));
    expect(lastRequest(model).slice(1)).toEqual(["human: three"]);
  });

  it("survives closing: another agent on the same state goes on with the thread", async () => {
    const places = await workspaceWith();
    const first = await agentWith({ ...places, model: modelOf(() => "noted") });
    await collect(first.run("The word is plum.", { threadId: "a" }));
    await first.close();
    const model = modelOf(() => "plum");
    const second = await agentWith({ ...places, model });
    await collect(second.run("What was the word?", { threadId: "a" }));
    expect(lastRequest(model).slice(1)).toEqual([
      "human: The word is plum.",
      "ai: noted",
      "human: What was the word?",
    ]);
  });

  it("reports a failing model as the end of the run, with the error's own name and message", async () => {
    const places = await workspaceWith();
    const error = Object.assign(new Error("529 overloaded"), { name: "OverloadedError", code: "overloaded" });
    const model = modelOf(() => ({ error }));
    const agent = await agentWith({ ...places, model, failover: { maxWaitMs: 0 } });
    const events = await collect(agent.run("hi", { threadId: "t" }));
    expect(finished(events)).toMatchObject({
      reason: "failed",
      error: { name: "OverloadedError", message: "529 overloaded", code: "overloaded" },
    });
  });

  it("runs without a checkpointer, and says so when asked to resume", async () => {
    const { workspace } = await workspaceWith();
    const agent = await agentWith({ workspace, model: modelOf(() => "hello"), checkpointer: false });
    expect(agent.stateDir).toBeUndefined();
    expect(finished(await collect(agent.run("hi", { threadId: "t" })))).toMatchObject({
      reason: "completed",
    });
    expect(() => agent.resume({ threadId: "t" })).toThrow(
      expect.objectContaining({ code: "no_checkpointer" }),
    );
  });

  it("gives a structured response when the agent has a responseFormat", async () => {
    const places = await workspaceWith();
    const model = modelOf(() => call("extract-1", { city: "Oslo" }));
    const agent = await agentWith({
      ...places,
      model,
      responseFormat: toolStrategy(z.object({ city: z.string() })),
    });
    const events = await collect(agent.run("Where?", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", response: { city: "Oslo" } });
  });

  it("has the same methods after withConfig, on the same threads", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({ ...places, model: modelOf(() => "hello") });
    const tagged = agent.withConfig({ tags: ["x"] }).withConfig({ metadata: { y: 1 } });
    await collect(tagged.run("hi", { threadId: "t" }));
    const state = await agent.graph.getState({ configurable: { thread_id: "t" } });
    expect((state.values as { messages: unknown[] }).messages).toHaveLength(2);
    await tagged.close();
    await expect(collect(agent.run("hi", { threadId: "t" }))).rejects.toMatchObject({ code: "agent_closed" });
  });

  it("is an ordinary LangGraph agent: invoke and getState work on it", async () => {
    const { workspace } = await workspaceWith();
    const agent = await agentWith({
      workspace,
      model: modelOf(() => "hello"),
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "t" } };
    const state = await agent.invoke({ messages: [{ role: "user", content: "hi" }] }, config);
    expect(state.messages.at(-1)?.text).toBe("hello");
    expect((await agent.graph.getState(config)).next).toEqual([]);
  });
});

describe("what fails inside a run", () => {
  const failing = [
    { name: "boom", args: {} },
    { name: "boom", args: { n: "three" } },
    { name: "run_command", args: {} },
  ];

  it("comes back to the main agent as tool results, and the run goes on", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      tools: [boom],
      model: modelOf((step) => (step === 0 ? { toolCalls: failing } : "I see.")),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events).reason).toBe("completed");
    const byCall = results(events).map((event) => [event.tool, event.status, event.output]);
    expect(byCall).toContainEqual(["boom", "error", "boom failed: the reactor is out of cheese"]);
    expect(byCall).toContainEqual([
      "boom",
      "error",
      expect.stringMatching(
        /^Invalid arguments for boom: .*expected number, received string.* at n\. Correct them/,
      ),
    ]);
  });

  it("comes back to a delegate as tool results too", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      tools: [boom],
      model: modelOf(
        (step) =>
          step === 0 ? call("task", { subagent_type: "general-purpose", description: "try" }) : "ok",
        (step) => (step === 0 ? { toolCalls: failing } : "tried"),
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(
      results(events).filter((event) => event.agent === "general-purpose" && event.status === "error"),
    ).toHaveLength(3);
    expect(ofType(events, "delegate.finished")).toMatchObject([{ status: "success", report: "tried" }]);
  });

  it("a delegate that fails, and one that does not exist, are results", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf(
        (step) =>
          step === 0
            ? {
                toolCalls: ["code-analyzer", "astrologer"].map((subagent_type) => ({
                  name: "task",
                  args: { subagent_type, description: "look" },
                })),
              }
            : "Then I do it myself.",
        () => ({ error: new Error("the model of the delegate fell over") }),
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const ended = ofType(events, "delegate.finished");
    expect(ended.find((event) => event.role === "code-analyzer")).toMatchObject({
      status: "error",
      report: expect.stringContaining("fell over"),
    });
    expect(ended.find((event) => event.role === "astrologer")).toMatchObject({
      status: "error",
      report: expect.stringContaining("code-analyzer"),
    });
    expect(finished(events).text).toBe("Then I do it myself.");
  });
});

describe("delegates", () => {
  it("report under their role and the call that started them, also two at once", async () => {
    const places = await workspaceWith({ "a.txt": "alpha" });
    const agent = await agentWith({
      ...places,
      model: modelOf(
        (step) =>
          step === 0
            ? {
                toolCalls: ["one", "two"].map((id) => ({
                  id,
                  name: "task",
                  args: { subagent_type: "code-analyzer", description: id },
                })),
              }
            : "both done",
        (step, messages) =>
          step === 0 ? call("ls", { path: "/workspace" }) : `report of ${messages[1]?.text}`,
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    for (const id of ["one", "two"]) {
      const own = events.filter((event) => event.delegation === id);
      expect(own.map((event) => event.type)).toEqual([
        "usage",
        "tool.started",
        "tool.finished",
        "text.delta",
        "usage",
      ]);
      expect(own.every((event) => event.agent === "code-analyzer")).toBe(true);
      expect(ofType(events, "delegate.finished").find((event) => event.callId === id)?.report).toBe(
        `report of ${id}`,
      );
    }
  });

  it("code-analyzer has tools that read and no others, and its writes are refused by the files themselves", async () => {
    const places = await workspaceWith({ "a.txt": "alpha" });
    const model = modelOf(
      (step) => (step === 0 ? call("task", { subagent_type: "code-analyzer", description: "x" }) : "ok"),
      (step) => (step === 0 ? call("read_file", { file_path: "/workspace/a.txt" }) : "seen"),
    );
    const agent = await agentWith({ ...places, model, tools: [boom] });
    await collect(agent.run("go", { threadId: "t" }));
    const offered = model.calls.find(({ tools }) => !tools.some((tool) => tool.name === "task"))?.tools ?? [];
    expect(offered.map((tool) => tool.name).toSorted()).toEqual([
      "boom",
      "git_read",
      "glob",
      "grep",
      "ls",
      "read_file",
      "ripgrep_search",
      "run_command",
      "think",
      "web_fetch",
    ]);
    expect(await readFile(path.join(places.workspace, "a.txt"), "utf8")).toBe("alpha");
  });
});

describe("files", () => {
  it("/docs/ is kept in the store across threads, and is not there without one", async () => {
    const places = await workspaceWith();
    const store = new InMemoryStore();
    const model = modelOf((step, messages) => {
      if (messages.at(-1)?.text === "write")
        return call("write_file", { file_path: "/docs/n.md", content: "kept" });
      if (messages.at(-1)?.text === "read") return call("read_file", { file_path: "/docs/n.md" });
      return `done ${step}`;
    });
    const agent = await agentWith({ ...places, model, store });
    await collect(agent.run("write", { threadId: "a" }));
    expect(results(await collect(agent.run("read", { threadId: "b" })))[0]?.output).toContain("kept");
    const without = await agentWith({ ...places, model, checkpointer: new MemorySaver(), store: false });
    await collect(without.run("write", { threadId: "a" }));
    expect(results(await collect(without.run("read", { threadId: "b" })))[0]?.output).not.toContain("kept");
  });

  it("/docs/ survives the agent without any option: another one on the same state reads it", async () => {
    const places = await workspaceWith();
    const write = call("write_file", { file_path: "/docs/adr/1.md", content: "We use tabs." });
    const first = await agentWith({ ...places, model: modelOf((step) => (step === 0 ? write : "ok")) });
    await collect(first.run("note it", { threadId: "a" }));
    await first.close();
    const read = call("read_file", { file_path: "/docs/adr/1.md" });
    const second = await agentWith({ ...places, model: modelOf((step) => (step === 0 ? read : "ok")) });
    expect(results(await collect(second.run("what was it?", { threadId: "b" })))[0]?.output).toContain(
      "We use tabs.",
    );
  });

  it("a large result goes to a file outside the state that the agent can read", async () => {
    const places = await workspaceWith();
    const big = defineTool({
      name: "big",
      description: "x",
      schema: z.object({}),
      effects: [],
      run: () => `${"0123456789\n".repeat(20_000)}the end`,
    });
    const model = modelOf((step, messages) => {
      if (step === 0) return call("big");
      if (step === 1) {
        const path = /\/large_tool_results\/\S+?\.txt/.exec(messages.at(-1)?.text ?? "")?.[0];
        return call("read_file", { file_path: path ?? "none", offset: 20_000 });
      }
      return "ok";
    });
    const agent = await agentWith({ ...places, model, tools: [big] });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events).find((event) => event.tool === "read_file")?.output).toContain("the end");
    const state = await agent.graph.getState({ configurable: { thread_id: "t" } });
    expect(Object.keys((state.values as { files?: object }).files ?? {})).toEqual([]);
  });

  it("AGENTS.md is in the prompt of the agent and its delegates, and a change is seen on the next turn without moving the prompt", async () => {
    const places = await workspaceWith({ "AGENTS.md": "Use tabs. $& $1" });
    const model = modelOf((_step, messages) => {
      const asked = messages.findLast((message) => message.getType() === "human")?.text;
      if (messages.at(-1)?.getType() === "tool") return "done";
      return asked === "first"
        ? {
            toolCalls: [
              { name: "write_file", args: { file_path: "/workspace/AGENTS.md", content: "Use spaces." } },
              { name: "task", args: { subagent_type: "code-analyzer", description: "x" } },
            ],
          }
        : "done";
    });
    const agent = await agentWith({ ...places, model });
    await collect(agent.run("first", { threadId: "t" }));
    await collect(agent.run("second", { threadId: "t" }));
    const prompts = model.calls
      .filter(({ tools }) => tools.some((tool) => tool.name === "task"))
      .map(({ messages }) => messages[0]?.text ?? "");
    expect(prompts[0]).toContain("Use tabs. $& $1");
    expect(prompts[1]).toBe(prompts[0]);
    expect(prompts[2]).toBe(prompts[0]);
    expect(lastRequest(model).at(-1)).toMatch(/^human: second\n\n<context-changed>[^]*Use spaces\./);
    const delegate = model.calls.find(({ tools }) => !tools.some((tool) => tool.name === "task"));
    expect(delegate?.messages[0]?.text).toContain("# Project instructions");
  });
});

describe("a tool that interrupts itself", () => {
  it("may run again when the interrupt is answered, although it has side effects", async () => {
    const places = await workspaceWith();
    let runs = 0;
    const ask = defineTool({
      name: "ask_user",
      description: "Asks.",
      schema: z.object({}),
      effects: ["exec"],
      run: () => {
        runs += 1;
        return `they said ${String(interrupt({ question: "Which colour?" }))}`;
      },
    });
    const agent = await agentWith({
      ...places,
      tools: [ask],
      model: modelOf((step) => (step === 0 ? call("ask_user") : "ok")),
    });
    const paused = await collect(agent.run("go", { threadId: "t" }));
    const [needed] = ofType(paused, "input.needed");
    expect(needed?.value).toEqual({ question: "Which colour?" });
    expect(finished(paused).reason).toBe("needs_input");
    const events = await collect(
      agent.resume({ threadId: "t", answers: { [needed?.interruptId ?? ""]: "blue" } }),
    );
    expect(results(events)).toMatchObject([
      { tool: "ask_user", status: "success", output: "they said blue" },
    ]);
    expect(runs).toBe(2);
    expect(finished(events)).toMatchObject({ reason: "completed", text: "ok" });
  });
});
