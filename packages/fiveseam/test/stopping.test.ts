import { readFile, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@fiveseam/tool-pipeline";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { RunEvent } from "../src/index.js";
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

const until = async (condition: () => boolean, ms = 10_000): Promise<void> => {
  const deadline = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("The condition did not come true.");
    await delay(20);
  }
};

/** A zombie that nobody has reaped yet is dead. */
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

/** Writes its process id, has a side effect, then takes long. */
const SLOW = "echo effect >> effects; echo $$ > pid.new; mv pid.new pid; sleep 30; echo late >> effects";

describe("abort", () => {
  it("stops the command and its children, ends the run, and leaves a thread that can be resumed", async () => {
    const places = await workspaceWith();
    const model = modelOf((step, messages) =>
      step === 0 ? call("run_command", { command: SLOW }) : `told: ${messages.at(-1)?.text}`,
    );
    const agent = await agentWith({ ...places, model });
    const controller = new AbortController();
    const pidFile = path.join(places.workspace, "pid");
    const reading = collect(agent.run("go", { threadId: "t", signal: controller.signal }));
    await until(() => existsSync(pidFile));
    const pid = Number(await readFile(pidFile, "utf8"));
    const began = performance.now();
    controller.abort();
    const events = await reading;
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(finished(events).reason).toBe("aborted");
    expect(alive(pid)).toBe(false);

    const resumed = await collect(agent.resume({ threadId: "t" }));
    expect(results(resumed)).toMatchObject([{ tool: "run_command", status: "unknown" }]);
    expect(finished(resumed).text).toContain("outcome of this call is unknown");
    expect(await readFile(path.join(places.workspace, "effects"), "utf8")).toBe("effect\n");
  });

  it("reaches a delegate and its processes", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf(
        (step) => (step === 0 ? call("task", { subagent_type: "general-purpose", description: "x" }) : "end"),
        (step, messages) =>
          step === 0 ? call("run_command", { command: SLOW }) : `told: ${messages.at(-1)?.text}`,
      ),
    });
    const controller = new AbortController();
    const pidFile = path.join(places.workspace, "pid");
    const reading = collect(agent.run("go", { threadId: "t", signal: controller.signal }));
    await until(() => existsSync(pidFile));
    controller.abort();
    expect(finished(await reading).reason).toBe("aborted");
    expect(alive(Number(await readFile(pidFile, "utf8")))).toBe(false);

    const resumed = await collect(agent.resume({ threadId: "t" }));
    expect(results(resumed)).toMatchObject([
      { tool: "run_command", status: "unknown", agent: "general-purpose" },
    ]);
    expect(ofType(resumed, "delegate.finished")[0]?.report).toContain("told: The outcome");
    expect(finished(resumed)).toMatchObject({ reason: "completed", text: "end" });
  });

  it("before the start runs nothing", async () => {
    const places = await workspaceWith();
    const model = modelOf(() => "never");
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("go", { threadId: "t", signal: AbortSignal.abort() }));
    expect(finished(events).reason).toBe("aborted");
    expect(model.calls).toHaveLength(0);
  });

  it("happens when the reader stops reading, and the thread is free afterwards", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf((_step, messages) =>
        messages.at(-1)?.text === "go" ? call("run_command", { command: SLOW }) : "fine",
      ),
    });
    for await (const event of agent.run("go", { threadId: "t" })) {
      if (event.type !== "tool.started") continue;
      await until(() => existsSync(path.join(places.workspace, "pid")));
      break;
    }
    expect(alive(Number(await readFile(path.join(places.workspace, "pid"), "utf8")))).toBe(false);
    const events = await collect(agent.run("and now?", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "fine" });
  });

  it("close() stops the runs under way", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf(() => call("run_command", { command: SLOW })),
    });
    const reading = collect(agent.run("go", { threadId: "t" }));
    await until(() => existsSync(path.join(places.workspace, "pid")));
    await agent.close();
    expect(finished(await reading).reason).toBe("aborted");
    expect(() => agent.run("more", { threadId: "t" })).not.toThrow();
    await expect(collect(agent.run("more", { threadId: "t" }))).rejects.toMatchObject({
      code: "agent_closed",
    });
  });
});

describe("a second run on a busy thread", () => {
  /** A tool that waits for a file, so that a test decides when it ends. */
  const gateTool = (workspace: string) =>
    defineTool({
      name: "wait_for_gate",
      description: "x",
      schema: z.object({ name: z.string() }),
      effects: [],
      run: async ({ name }) => {
        await writeFile(path.join(workspace, `${name}.waiting`), "");
        await until(() => existsSync(path.join(workspace, name)));
        return `gate ${name}`;
      },
    });

  it("is a ThreadBusyError that names the run", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      tools: [gateTool(places.workspace)],
      model: modelOf((step) => (step === 0 ? call("wait_for_gate", { name: "a" }) : "end")),
    });
    const first = collect(agent.run("one", { threadId: "t" }));
    await until(() => existsSync(path.join(places.workspace, "a.waiting")));
    await expect(collect(agent.run("two", { threadId: "t" }))).rejects.toMatchObject({
      name: "ThreadBusyError",
      threadId: "t",
      message: expect.stringContaining('whenBusy: "queue"'),
    });
    await writeFile(path.join(places.workspace, "a"), "");
    expect(finished(await first).reason).toBe("completed");
  });

  it("with whenBusy: queue its message joins at the next model call, behind the step's tool results", async () => {
    const places = await workspaceWith();
    const model = modelOf((step, messages) =>
      step === 0
        ? {
            toolCalls: [
              { name: "ls", args: { path: "/workspace" } },
              { name: "wait_for_gate", args: { name: "a" } },
              { name: "ls", args: { path: "/workspace" } },
              { name: "wait_for_gate", args: { name: "b" } },
            ],
          }
        : `I was told: ${messages.at(-1)?.text}`,
    );
    const agent = await agentWith({ ...places, tools: [gateTool(places.workspace)], model });
    const first = collect(agent.run("one", { threadId: "t" }));
    await until(() => existsSync(path.join(places.workspace, "b.waiting")));
    const second = collect(agent.run("two", { threadId: "t", whenBusy: "queue" }));
    const third = collect(agent.run("three", { threadId: "t", whenBusy: "queue" }));
    await delay(50);
    await writeFile(path.join(places.workspace, "b"), "");
    await writeFile(path.join(places.workspace, "a"), "");
    const [events, queued, alsoQueued] = await Promise.all([first, second, third]);
    expect(finished(events).text).toBe("I was told: three");
    const { runId } = events[0] as RunEvent;
    for (const each of [queued, alsoQueued]) {
      expect(each.map((event) => event.type)).toEqual(["waiting", "run.finished"]);
      expect(finished(each)).toMatchObject({ reason: "joined", joinedRunId: runId });
    }
    expect(lastRequest(model).map((line) => line.split(":")[0])).toEqual([
      "system",
      "human",
      "ai",
      "tool",
      "tool",
      "tool",
      "tool",
      "human",
      "human",
    ]);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
    const texts = (values as { messages: { getType(): string; text: string }[] }).messages
      .filter((message) => message.getType() === "human")
      .map((message) => message.text);
    expect(texts).toEqual(["one", "two", "three"]);
  });

  it("with whenBusy: queue it runs itself when the run under way ends first", async () => {
    const places = await workspaceWith();
    const model = modelOf((_step, messages) => `echo ${messages.at(-1)?.text}`);
    const agent = await agentWith({ ...places, model });
    const [one, two, three] = await Promise.all(
      ["one", "two", "three"].map((text) => collect(agent.run(text, { threadId: "t", whenBusy: "queue" }))),
    );
    expect(finished(one ?? []).text).toBe("echo one");
    expect([finished(two ?? []).text, finished(three ?? []).text].toSorted()).toEqual([
      "echo three",
      "echo two",
    ]);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
    expect((values as { messages: unknown[] }).messages).toHaveLength(6);
  });

  it("a queued message can be taken back", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      tools: [gateTool(places.workspace)],
      model: modelOf((step, messages) =>
        step === 0 ? call("wait_for_gate", { name: "a" }) : String(messages.at(-1)?.text),
      ),
    });
    const first = collect(agent.run("one", { threadId: "t" }));
    await until(() => existsSync(path.join(places.workspace, "a.waiting")));
    const controller = new AbortController();
    const second = collect(agent.run("two", { threadId: "t", whenBusy: "queue", signal: controller.signal }));
    await delay(20);
    controller.abort();
    expect(finished(await second).reason).toBe("aborted");
    await writeFile(path.join(places.workspace, "a"), "");
    expect(finished(await first).text).toBe("gate a");
  });

  it("agents that share a checkpointer share its threads", async () => {
    const places = await workspaceWith();
    const options = {
      ...places,
      tools: [gateTool(places.workspace)],
      model: modelOf((step) => (step === 0 ? call("wait_for_gate", { name: "a" }) : "end")),
    };
    const one = await agentWith(options);
    if (!one.threads) throw new Error("no checkpointer");
    const other = await agentWith({ ...options, checkpointer: one.threads });
    const first = collect(one.run("one", { threadId: "t" }));
    await until(() => existsSync(path.join(places.workspace, "a.waiting")));
    await expect(collect(other.run("two", { threadId: "t" }))).rejects.toMatchObject({ code: "thread_busy" });
    await writeFile(path.join(places.workspace, "a"), "");
    await first;
  });
});
