import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import "@fiveseam/testing/vitest";
import { defineTool } from "@fiveseam/tool-pipeline";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { MemorySaver, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentWith, call, modelOf, workspaceWith } from "./support.js";

const human = (text: string) => ({ messages: [new HumanMessage(text)] });
const thread = { configurable: { thread_id: "t" } };
const textsOf = (values: unknown): string[] =>
  (values as { messages: BaseMessage[] }).messages.map((message) => `${message.getType()}: ${message.text}`);

const say = defineTool({
  name: "say",
  description: "x",
  schema: z.object({ text: z.string() }),
  effects: [],
  run: ({ text }, { config }) => {
    (config as LangGraphRunnableConfig).writer?.({ saying: text });
    return `said ${text}`;
  },
});

/** An agent whose delegate says something, and which then writes a file. */
const delegating = async () => {
  const { workspace } = await workspaceWith();
  const agent = await agentWith({
    workspace,
    checkpointer: new MemorySaver(),
    tools: [say],
    model: modelOf(
      (step) => {
        if (step === 0) return call("task", { subagent_type: "general-purpose", description: "say it" });
        return step === 1
          ? call("write_file", { file_path: "/workspace/out.txt", content: "out\n" })
          : "all done";
      },
      (step) => (step === 0 ? call("say", { text: "hello" }) : "the delegate is done"),
    ),
  });
  return { agent, workspace };
};

describe("LangGraph's stream", () => {
  it("has the agent and its delegate in every mode", async () => {
    const { agent } = await delegating();
    const seen: Record<string, { own: unknown[]; delegated: unknown[] }> = {};
    const modes = [
      "values",
      "updates",
      "messages",
      "custom",
      "checkpoints",
      "tasks",
      "debug",
      "tools",
    ] as const;
    const stream = await agent.graph.stream(human("go"), {
      ...thread,
      streamMode: [...modes] as "values"[],
      subgraphs: true,
    });
    // These are told under the task's name, which is behind the graph's.
    const ofTasks = ["messages", "tools"];
    for await (const chunk of stream) {
      const [path, mode, data] = chunk as unknown as [string[], string, unknown];
      const graph = ofTasks.includes(mode) ? path.slice(0, -1) : path;
      (seen[mode] ??= { own: [], delegated: [] })[graph.length > 0 ? "delegated" : "own"].push(data);
    }
    for (const mode of modes.filter((each) => each !== "custom"))
      expect(seen[mode]?.own.length, `${mode} of the agent`).toBeGreaterThan(0);
    for (const mode of modes)
      expect(seen[mode]?.delegated.length, `${mode} of the delegate`).toBeGreaterThan(0);
    expect(seen["custom"]?.delegated).toEqual([{ saying: "hello" }]);
    expect(textsOf(seen["values"]?.own.at(-1)).at(-1)).toBe("ai: all done");
  });

  it("streamEvents v2 tells of the model, the tools and the delegate's tools", async () => {
    const { agent } = await delegating();
    const events: { event: string; name: string }[] = [];
    for await (const event of agent.streamEvents(human("go"), { ...thread, version: "v2" }))
      events.push(event);
    const of = (kind: string) => events.filter(({ event }) => event === kind).map(({ name }) => name);
    expect(of("on_tool_start")).toEqual(["task", "say", "write_file"]);
    expect(of("on_tool_end")).toEqual(["say", "task", "write_file"]);
    expect(of("on_chat_model_start")).toHaveLength(5);
    expect(of("on_chat_model_stream").length).toBeGreaterThan(5);
  });

  it("streamEvents v3 has messages, values and the final state", async () => {
    const { agent } = await delegating();
    const run = await agent.streamEvents(human("go"), { ...thread, version: "v3" });
    const texts: string[] = [];
    for await (const message of run.messages) texts.push(await message.text);
    expect(texts.at(-1)).toBe("all done");
    expect(textsOf(await run.output).at(-1)).toBe("ai: all done");
  });
});

describe("LangGraph's state", () => {
  it("is read, listed and written as that of any graph", async () => {
    const { agent } = await delegating();
    await agent.invoke(human("go"), thread);
    const state = await agent.graph.getState(thread);
    expect(state.next).toEqual([]);
    expect(state).toHaveNoOrphanToolCalls();
    const history = [];
    for await (const each of agent.graph.getStateHistory(thread)) history.push(each);
    expect(history.at(-1)?.metadata).toMatchObject({ source: "input" });
    expect(history.filter(({ next }) => next.includes("tools"))).toHaveLength(2);

    await agent.graph.updateState(thread, human("put in from outside"), "model_request");
    expect(textsOf((await agent.graph.getState(thread)).values).at(-1)).toBe("human: put in from outside");
    const after = await agent.invoke(human("again"), thread);
    expect(textsOf(after).slice(-3)).toEqual(["human: put in from outside", "human: again", "ai: all done"]);
  });

  it("with a checkpoint's id is replayed from there, its side effects included, or forked", async () => {
    const { workspace } = await workspaceWith();
    const model = modelOf((_step, messages) => {
      const last = messages.at(-1);
      if (last?.getType() !== "human") return "done";
      return call("run_command", { command: `echo ${last.text} >> log` });
    });
    const agent = await agentWith({ workspace, checkpointer: new MemorySaver(), model });
    await agent.invoke(human("one"), thread);
    const history = [];
    for await (const each of agent.graph.getStateHistory(thread)) history.push(each);
    const log = () => readFile(path.join(workspace, "log"), "utf8");
    expect(await log()).toBe("one\n");

    const before = history.find(({ next }) => next.includes("tools"));
    if (!before) throw new Error("There is no checkpoint before the command.");
    const replayed = await agent.invoke(null, before.config);
    expect(textsOf(replayed).at(-1)).toBe("ai: done");
    expect(await log()).toBe("one\none\n");

    const start = history.findLast(({ next }) => next.includes("model_request"));
    if (!start) throw new Error("There is no checkpoint before the first answer.");
    const [first] = (start.values as { messages: BaseMessage[] }).messages;
    const forkedFrom = await agent.graph.updateState(start.config, {
      messages: [new HumanMessage({ id: first?.id ?? "", content: "two" })],
    });
    const forked = await agent.invoke(null, forkedFrom as LangGraphRunnableConfig);
    expect(textsOf(forked)).toEqual(["human: two", "ai: ", expect.stringMatching(/^tool: /), "ai: done"]);
    expect(await log()).toBe("one\none\ntwo\n");
    expect(await agent.graph.getState(thread)).toHaveNoOrphanToolCalls();
  });
});

/** What LangSmith's tracer is made of: it builds the tree of runs from callbacks and hands on each root that has ended. */
class Tracer extends BaseTracer {
  override name = "tracer";
  readonly roots: Run[] = [];
  protected persistRun(run: Run): Promise<void> {
    this.roots.push(run);
    return Promise.resolve();
  }
}

const below = (run: Run): Run[] => run.child_runs.flatMap((child) => [child, ...below(child)]);
const named = (runs: readonly Run[], type: string): string[] =>
  runs.filter(({ run_type }) => run_type === type).map(({ name }) => name);

describe("tracing by a callback handler", () => {
  it("sees every chain, model and tool begin and end, those of a delegate inside its task", async () => {
    const { agent } = await delegating();
    const tracer = new Tracer();
    await agent.invoke(human("go"), { ...thread, callbacks: [tracer] });
    const [root, ...others] = tracer.roots;
    if (!root) throw new Error("No root run has ended.");
    expect(others).toEqual([]);
    const runs = below(root);
    expect(runs.filter(({ end_time, error }) => end_time === undefined || error !== undefined)).toEqual([]);
    expect(named(runs, "tool")).toEqual(["task", "say", "write_file"]);
    expect(named(runs, "llm")).toHaveLength(5);
    expect(named(runs, "chain").length).toBeGreaterThan(5);

    const task = runs.find(({ run_type, name }) => run_type === "tool" && name === "task");
    const delegated = task ? below(task) : [];
    expect(named(delegated, "tool")).toEqual(["say"]);
    expect(named(delegated, "llm")).toHaveLength(2);
    const said = delegated.find(({ name }) => name === "say");
    expect(said?.inputs).toMatchObject({ text: "hello" });
  });
});

describe("withConfig", () => {
  it("binds LangGraph's config to invoke, stream and run alike, and keeps the methods", async () => {
    const { agent, workspace } = await delegating();
    const tracer = new Tracer();
    const bound = agent.withConfig({ callbacks: [tracer], configurable: { thread_id: "bound" } });
    await bound.invoke(human("go"));
    expect(named(tracer.roots.flatMap(below), "tool")).toHaveLength(3);
    expect(existsSync(path.join(workspace, "out.txt"))).toBe(true);
    const state = await agent.graph.getState({ configurable: { thread_id: "bound" } });
    expect(textsOf(state.values).at(-1)).toBe("ai: all done");

    for await (const event of bound.run("again", { threadId: "other" })) void event;
    expect(tracer.roots).toHaveLength(2);
  });
});
