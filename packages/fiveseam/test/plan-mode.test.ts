import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { defineTool } from "@fiveseam/tool-pipeline";
import { ROLES } from "@fiveseam/subagents";
import { AIMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { delegation, foreignWriter, recklessModel, repository, writes } from "./attacks.js";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const compiledIn = (workspace: string) => ({
  name: "compiled",
  description: "x",
  trusted: true,
  runnable: RunnableLambda.from(async () => {
    await writeFile(path.join(workspace, "compiled.txt"), "x");
    return { messages: [new AIMessage("did it")] };
  }),
});
const poet = { name: "poet", description: "x", systemPrompt: "x" };
const forked = { name: "forked", description: "x", systemPrompt: "x", mode: "fork" as const };
const TYPES = [...Object.keys(ROLES), "poet", "forked", "compiled"];

/** An agent whose model and delegates try everything that changes something. */
const attacked = async () => {
  const places = await repository();
  const { model, answers } = recklessModel((brief) => {
    if (brief === "main") return [...writes("main"), ...TYPES.map(delegation)];
    return brief.startsWith("brief for ") ? writes(brief.slice("brief for ".length)) : [];
  });
  const agent = await agentWith({
    workspace: places.workspace,
    stateDir: places.stateDir,
    model: model as never,
    tools: [foreignWriter(places.workspace)],
    subagents: [poet, forked, compiledIn(places.workspace)],
    limits: { rateLimit: false, loopGuard: false, run: { maxConsecutiveFailures: false } },
  });
  return { ...places, agent, answers };
};

describe("plan mode", () => {
  it("changes nothing, whoever tries by whatever tool: the agent, every delegate, commands, a foreign tool, a compiled one", async () => {
    const { agent, hash, answers } = await attacked();
    const before = await hash();
    const events = await collect(agent.run("main", { threadId: "t", mode: "plan" }));
    expect(finished(events).reason).toBe("completed");
    expect(await hash()).toBe(before);
    // All of them had their turn, and each of their calls was refused.
    expect(answers.map(({ brief }) => brief).toSorted()).toEqual(
      ["main", ...TYPES.filter((type) => type !== "compiled").map((type) => `brief for ${type}`)].toSorted(),
    );
    for (const { brief, messages } of answers) {
      const told = messages.filter((message): message is ToolMessage => message.getType() === "tool");
      const through = told.filter(({ status, name }) => status !== "error" && name !== "task");
      expect(through.map(({ name, text }) => `${brief}: ${name} ${text}`)).toEqual([]);
    }
    expect(ofType(events, "delegate.finished").find(({ role }) => role === "compiled")).toMatchObject({
      status: "error",
      report: expect.stringContaining("cannot be held to what you may do here"),
    });
  });

  it("is what makes the difference: the same run without it changes the tree", async () => {
    const { agent, hash } = await attacked();
    const before = await hash();
    await collect(agent.run("main", { threadId: "t" }));
    expect(await hash()).not.toBe(before);
  });

  it("holds for invoke by the context alone, and each run has its own mode", async () => {
    const places = await workspaceWith({ "a.txt": "alpha" });
    const { model } = recklessModel(() => [
      { name: "write_file", args: { file_path: "/workspace/b.txt", content: "x" } },
    ]);
    const agent = await agentWith({ ...places, model: model as never });
    const written = async () => readFile(path.join(places.workspace, "b.txt"), "utf8").catch(() => "nothing");
    const messages = { messages: [new HumanMessage("go")] };
    const configurable = { thread_id: "t" };
    await agent.invoke(messages, { context: { mode: "plan" }, configurable } as never);
    expect(await written()).toBe("nothing");
    await collect(agent.run("go", { threadId: "t", mode: "plan" }));
    expect(await written()).toBe("nothing");
    await collect(agent.run("go", { threadId: "t" }));
    expect(await written()).toBe("x");
  });

  it("offers nothing that writes, runs, publishes or is unknown, to the agent or a delegate, and the same at every step", async () => {
    const { workspace, stateDir } = await repository();
    const browser = defineTool({
      name: "browse",
      description: "x",
      schema: z.object({}),
      effects: ["net", "browser"],
      run: () => "x",
    });
    const model = modelOf(
      (step) =>
        step === 0
          ? {
              toolCalls: ["general-purpose", "tester", "poet"].map((subagent_type) => ({
                name: "task",
                args: { subagent_type, description: "look" },
              })),
            }
          : step === 1
            ? call("ls", { path: "/workspace" })
            : "the plan",
      () => "seen",
    );
    const agent = await agentWith({
      workspace,
      stateDir,
      model,
      tools: [foreignWriter(workspace), browser],
      subagents: [poet],
    });
    await collect(agent.run("go", { threadId: "t", mode: "plan" }));
    const kept = [
      "git_read",
      "glob",
      "grep",
      "ls",
      "manage_core_memory",
      "manage_tasks",
      "read_file",
      "ripgrep_search",
      "run_command",
      "think",
      "web_fetch",
    ];
    const main = model.calls.filter(({ tools }) => tools.some(({ name }) => name === "task"));
    const delegates = model.calls.filter((each) => !main.includes(each));
    expect([main.length, delegates.length]).toEqual([3, 3]);
    const offered = ({ tools }: (typeof main)[number]) => tools.map(({ name }) => name).toSorted();
    for (const each of main)
      expect(offered(each)).toEqual([...kept, "read_skill", "task", "write_todos"].toSorted());
    // Skills are the main agent's and general-purpose's.
    expect(delegates.map(offered)).toEqual([[...kept, "read_skill"].toSorted(), expect.any(Array), kept]);
    expect(offered(delegates[1] as never).every((name) => kept.includes(name))).toBe(true);
    // One prefix for the whole run, which says what the mode is.
    expect(new Set(main.map(({ messages, tools }) => JSON.stringify([messages[0]?.text, tools]))).size).toBe(
      1,
    );
    for (const { messages } of model.calls) expect(messages[0]?.text).toContain("# Plan mode");
  });

  it("keeps commands that only read, and reading itself", async () => {
    const { workspace, stateDir, hash } = await repository();
    const commands = [
      "git log --oneline",
      "git status",
      "cat a.txt | wc -l",
      "rg alpha . 2>/dev/null; ls -la",
    ];
    const before = await hash();
    const model = modelOf((step) =>
      step === 0
        ? { toolCalls: commands.map((command) => ({ name: "run_command", args: { command } })) }
        : "read",
    );
    const agent = await agentWith({ workspace, stateDir, model });
    const done = results(await collect(agent.run("go", { threadId: "t", mode: "plan" })));
    expect(done.map(({ status, output }) => [status, output.split(/[\n,]/)[0]])).toEqual(
      commands.map(() => ["success", expect.stringContaining("exit code 0")]),
    );
    expect(await hash()).toBe(before);
  });

  it("goes on when its run is resumed, unless the resume says another", async () => {
    const places = await workspaceWith({ "a.txt": "alpha" });
    const write = (n: number) => ({
      name: "write_file",
      args: { file_path: `/workspace/${n}.txt`, content: "x" },
    });
    const { model } = recklessModel(() => [
      { name: "read_file", args: { file_path: "/workspace/a.txt" } },
      write(1),
    ]);
    const options = { ...places, model: model as never, interruptOn: { read_file: true } as const };
    const first = await agentWith(options);
    const needed = async (threadId: string) => {
      const events = await collect(first.run("go", { threadId, mode: "plan" }));
      return ofType(events, "approval.needed")[0]?.interruptId ?? "";
    };
    const [kept, changed] = [await needed("kept"), await needed("changed")];
    await needed("raw");
    await first.close();
    // Another process knows of the mode by the stored thread alone.
    const second = await agentWith(options);
    const resume = async (threadId: string, id: string, mode?: "act") =>
      results(
        await collect(
          second.resume({ threadId, approvals: { [id]: { type: "approve" } }, ...(mode ? { mode } : {}) }),
        ),
      ).find(({ tool }) => tool === "write_file");
    expect(await resume("kept", kept)).toMatchObject({
      status: "error",
      output: expect.stringContaining("fs.write, which you do not have here"),
    });
    expect(await resume("changed", changed, "act")).toMatchObject({ status: "success" });
    // A client of LangGraph knows nothing of modes.
    const { messages } = (await second.invoke(
      new Command({ resume: { decisions: [{ type: "approve" }] } }) as never,
      { configurable: { thread_id: "raw" } },
    )) as { messages: ToolMessage[] };
    const raw = messages.filter((message) => message.getType() === "tool" && message.name === "write_file");
    expect(raw.map(({ status }) => status)).toEqual(["error"]);
  });

  it("goes on also when the process ended before the graph had taken the message in", async () => {
    const places = await workspaceWith();
    class Broken extends MemorySaver {
      puts = 0;
      override put(...args: Parameters<MemorySaver["put"]>) {
        this.puts += 1;
        if (this.puts === 2) throw new Error("the disk is gone");
        return super.put(...args);
      }
    }
    const { model } = recklessModel(() => [
      { name: "write_file", args: { file_path: "/workspace/b.txt", content: "x" } },
    ]);
    const agent = await agentWith({ ...places, model: model as never, checkpointer: new Broken() });
    expect(finished(await collect(agent.run("go", { threadId: "t", mode: "plan" }))).reason).toBe("failed");
    const [write] = results(await collect(agent.resume({ threadId: "t" })));
    expect(write).toMatchObject({ tool: "write_file", status: "error" });
  });

  it("is not joined by a message of another mode, which runs afterwards in its own", async () => {
    const places = await workspaceWith();
    let enter = (): void => {};
    const entered = new Promise<void>((resolve) => (enter = resolve));
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const wait = defineTool({
      name: "wait",
      description: "x",
      schema: z.object({}),
      effects: [],
      run: async () => (enter(), await gate, "waited"),
    });
    const model = modelOf((_step, messages) => {
      const last = messages.at(-1);
      if (last?.getType() !== "human") return "end";
      return last.text === "first" ? call("wait") : call("ls", { path: "/workspace" });
    });
    const agent = await agentWith({ ...places, model, tools: [wait] });
    const acting = collect(agent.run("first", { threadId: "t" }));
    await entered;
    const planning = collect(agent.run("second", { threadId: "t", mode: "plan", whenBusy: "queue" }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    open();
    expect(finished(await acting)).toMatchObject({ reason: "completed" });
    const events = await planning;
    expect(finished(events)).toMatchObject({ reason: "completed", text: "end" });
    expect(model.calls.map(({ tools }) => tools.some(({ name }) => name === "write_file"))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("is one of two, and the context may not say the other", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({ ...places, model: modelOf(() => "x") });
    expect(() => agent.run("x", { threadId: "t", mode: "ask" as never })).toThrow(
      '`mode` is "act" or "plan"',
    );
    expect(() => agent.run("x", { threadId: "t", mode: "act", context: { mode: "plan" } })).toThrow(
      expect.objectContaining({ option: "mode" }),
    );
  });
});
