import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@fiveseam/tool-pipeline";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
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

const empty = z.object({});
const tool = (name: string, run: Parameters<typeof defineTool>[0]["run"]) =>
  defineTool({ name, description: "x", schema: empty, effects: ["exec"], run });
/** Takes until its signal is aborted. */
const slow = tool(
  "slow",
  (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    }),
);

describe("a new message on a thread whose last step is unfinished", () => {
  it("finds the stored results of that step, and the call that was under way as unknown", async () => {
    const places = await workspaceWith();
    let paid = 0;
    const pay = tool("pay", () => `paid ${(paid += 1)}`);
    const model = modelOf((_step, messages) =>
      messages.at(-1)?.text === "go" ? { toolCalls: [{ name: "pay" }, { name: "slow" }] } : "ok",
    );
    const agent = await agentWith({ ...places, model, tools: [pay, slow] });
    const controller = new AbortController();
    const running = collect(agent.run("go", { threadId: "t", signal: controller.signal }));
    while (paid === 0) await delay(20);
    await delay(200);
    controller.abort();
    const stopped = await running;
    expect(results(stopped)).toMatchObject([{ tool: "pay", status: "success" }]);
    await collect(agent.run("and now?", { threadId: "t" }));
    expect(lastRequest(model).slice(1)).toEqual([
      "human: go",
      "ai: ",
      "tool: paid 1",
      expect.stringMatching(/^tool: The outcome of this call is unknown/),
      "human: and now?",
    ]);
    expect(paid).toBe(1);
  });

  it("declines what waits for an approval, and says so", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf((step) => (step === 0 ? call("delete", { file_path: "/workspace/x" }) : "ok")),
      interruptOn: { delete: true },
    });
    await collect(agent.run("go", { threadId: "t" }));
    const events = await collect(agent.run("never mind", { threadId: "t" }));
    expect(ofType(events, "warning")).toMatchObject([{ code: "approvals_declined" }]);
    expect(finished(events).reason).toBe("completed");
  });

  it("that was queued is not sent when the run before it waits for an answer; the approval stays", async () => {
    const places = await workspaceWith({ x: "1" });
    const agent = await agentWith({
      ...places,
      model: modelOf((step) => (step === 0 ? call("delete", { file_path: "/workspace/x" }) : "deleted")),
      interruptOn: { delete: true },
    });
    const first = agent.run("go", { threadId: "t" });
    await first.next();
    const queued = collect(agent.run("second", { threadId: "t", whenBusy: "queue" }));
    const [needed] = ofType(await collect(first), "approval.needed");
    const events = await queued;
    expect(ofType(events, "warning")).toMatchObject([{ code: "not_sent" }]);
    expect(finished(events).reason).toBe("needs_input");
    const resumed = await collect(
      agent.resume({ threadId: "t", approvals: { [needed?.interruptId ?? ""]: { type: "approve" } } }),
    );
    expect(finished(resumed).text).toBe("deleted");
  });

  it("keeps a message that had joined the step before it was interrupted", async () => {
    const places = await workspaceWith();
    const ask = tool("ask", async () => {
      const { interrupt } = await import("@langchain/langgraph");
      return String(interrupt("?"));
    });
    const quick = tool("quick", () => delay(300).then(() => "quick"));
    const model = modelOf((step) =>
      step === 0 ? { toolCalls: [{ name: "ask" }, { name: "quick" }] } : "ok",
    );
    const agent = await agentWith({ ...places, model, tools: [ask, quick] });
    const first = agent.run("go", { threadId: "t" });
    await first.next();
    const queued = collect(agent.run("IMPORTANT", { threadId: "t", whenBusy: "queue" }));
    await collect(first);
    expect(finished(await queued).reason).toBe("joined");
    await collect(agent.run("next", { threadId: "t" }));
    expect(lastRequest(model).filter((line) => line.startsWith("human"))).toEqual([
      "human: go",
      "human: IMPORTANT",
      "human: next",
    ]);
  });
});

describe("what events say is so", () => {
  class Full extends MemorySaver {
    broken = false;
    override async put(...args: Parameters<MemorySaver["put"]>) {
      if (this.broken) throw new Error("ENOSPC");
      return super.put(...args);
    }
    override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
      if (this.broken) throw new Error("ENOSPC");
      return super.putWrites(...args);
    }
  }

  it("run.started: not when the message could not be stored, or nothing was begun", async () => {
    const { workspace } = await workspaceWith();
    const checkpointer = new Full();
    const agent = await agentWith({ workspace, checkpointer, model: modelOf(() => "hi") });
    checkpointer.broken = true;
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(events.map((event) => event.type)).toEqual(["run.finished"]);
    expect(finished(events)).toMatchObject({ reason: "failed", error: { message: "ENOSPC" } });
    const aborted = await collect(agent.run("go", { threadId: "t", signal: AbortSignal.abort() }));
    expect(aborted.map((event) => event.type)).toEqual(["run.finished"]);
  });

  it("tool.finished: not when its result could not be stored; resume reports it as unknown", async () => {
    const { workspace } = await workspaceWith();
    const checkpointer = new Full();
    const pay = tool("pay", () => {
      checkpointer.broken = true;
      return "paid";
    });
    const model = modelOf((step) => (step === 0 ? call("pay") : "ok"));
    const agent = await agentWith({ workspace, checkpointer, tools: [pay], model });
    const failed = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(failed).reason).toBe("failed");
    expect(results(failed)).toEqual([]);
    checkpointer.broken = false;
    expect(results(await collect(agent.resume({ threadId: "t" })))).toMatchObject([{ status: "unknown" }]);
  });

  it("a tool that calls its own artifact's outcome unknown is a success all the same", async () => {
    const places = await workspaceWith();
    const ci = tool("ci", () => ({ content: "ok", artifact: { outcome: "unknown" } }));
    const agent = await agentWith({
      ...places,
      tools: [ci],
      model: modelOf((step) => (step === 0 ? call("ci") : "ok")),
    });
    expect(results(await collect(agent.run("go", { threadId: "t" })))).toMatchObject([{ status: "success" }]);
  });

  it("each call is started and finished once, also when the model counts its ids from call_0 every time", async () => {
    const places = await workspaceWith();
    const one = tool("one", () => "result of one");
    const two = tool("two", () => "result of two");
    const agent = await agentWith({
      ...places,
      tools: [one, two],
      model: modelOf((step) =>
        step < 3
          ? {
              toolCalls: [
                { name: "one", id: "call_0" },
                { name: "two", id: "call_0" },
              ],
            }
          : "ok",
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const started = ofType(events, "tool.started");
    expect(new Set(started.map((event) => event.callId)).size).toBe(6);
    for (const event of results(events)) expect(event.output).toBe(`result of ${event.tool}`);
    expect(
      results(events)
        .map((event) => event.callId)
        .toSorted(),
    ).toEqual(started.map((event) => event.callId).toSorted());
  });
});

describe("a run does not depend on its reader", () => {
  const endless = async () => {
    const places = await workspaceWith();
    return agentWith({ ...places, tools: [slow], model: modelOf(() => call("slow")) });
  };

  it("close() inside the loop that reads it, or beside one that was left half read, comes back", async () => {
    const agent = await endless();
    for await (const event of agent.run("go", { threadId: "t" }))
      if (event.type === "tool.started") await agent.close();
    const other = await endless();
    await other.run("go", { threadId: "t" }).next();
    await Promise.all([other.close(), other.close()]);
    await expect(collect(other.run("go", { threadId: "t" }))).rejects.toMatchObject({ code: "agent_closed" });
  });

  it("an error thrown into the iterator stops the graph before the thread is free", async () => {
    const agent = await endless();
    const run = agent.run("go", { threadId: "t" });
    for (;;) if ((await run.next()).value?.type === "tool.started") break;
    await expect(run.throw(new Error("mine"))).rejects.toThrow("mine");
    const resumed = await collect(agent.resume({ threadId: "t", signal: AbortSignal.timeout(300) }));
    expect(results(resumed)).toMatchObject([{ status: "unknown" }]);
  });

  it("a checkpointer that hangs holds up neither an abort nor close()", async () => {
    const { workspace } = await workspaceWith();
    class Hanging extends MemorySaver {
      override getTuple(): Promise<never> {
        return new Promise(() => {});
      }
    }
    const agent = await agentWith({ workspace, checkpointer: new Hanging(), model: modelOf(() => "hi") });
    const events = await collect(agent.run("go", { threadId: "t", signal: AbortSignal.timeout(50) }));
    expect(finished(events).reason).toBe("aborted");
    await agent.close();
  }, 15_000);
});

describe("bad input", () => {
  const ready = async () => {
    const places = await workspaceWith();
    return agentWith({ ...places, model: modelOf((step) => `answer ${step}`) });
  };

  it.each([
    ["a controller for a signal", "go", { signal: new AbortController() }, "signal"],
    ["another way to be busy", "go", { whenBusy: "wait" }, "whenBusy"],
    ["nothing", undefined, {}, "input"],
    ["a number", 42, {}, "input"],
    ["an empty list", [], {}, "input"],
    ["a list of nothing", [null], {}, "input"],
    ["a block that cannot be stored", [{ type: "text", text: "x", n: 1n }], {}, "input"],
  ])("%s is a ConfigError, and the thread is free and whole", async (_name, input, options, option) => {
    const agent = await ready();
    expect(() => agent.run(input as never, { threadId: "t", ...options } as never)).toThrow(
      expect.objectContaining({ name: "ConfigError", option }),
    );
    expect(finished(await collect(agent.run("good", { threadId: "t" }))).text).toBe("answer 0");
  });

  it("a HumanMessage can be sent again: each sending is a message of its own", async () => {
    const agent = await ready();
    const message = new HumanMessage({ id: "mine", content: "same" });
    await collect(agent.run(message, { threadId: "t" }));
    await collect(agent.run(message, { threadId: "t" }));
    const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
    expect((values as { messages: unknown[] }).messages).toHaveLength(4);
    expect(message.id).toBe("mine");
  });

  it.each([
    ["a BigInt", { ino: 1n }],
    [
      "a circle",
      (() => {
        const circle: Record<string, unknown> = {};
        circle["self"] = circle;
        return circle;
      })(),
    ],
    [
      "a getter that throws",
      {
        get outcome() {
          throw new Error("getter");
        },
      },
    ],
  ])("an artifact with %s costs the artifact, not the thread", async (_name, artifact) => {
    const places = await workspaceWith();
    const odd = tool("odd", () => ({ content: "ok", artifact }));
    const agent = await agentWith({
      ...places,
      tools: [odd],
      model: modelOf((step) => (step === 0 ? call("odd") : "fine")),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events)).toMatchObject([
      { status: "success", output: "ok", artifact: { unstorable: expect.any(String) } },
    ]);
    expect(finished(await collect(agent.run("again", { threadId: "t" }))).reason).toBe("completed");
  });

  it.each([
    ["null", null],
    ["an object without a prototype", Object.create(null)],
    [
      "an error whose message throws",
      Object.defineProperty(new Error("x"), "message", {
        get() {
          throw new Error("trap");
        },
      }),
    ],
    ["an error whose message is no text", Object.assign(new Error("x"), { message: { a: 1 } })],
  ])("a tool and a model that throw %s end as a result and as an event", async (_name, thrown) => {
    const places = await workspaceWith();
    const bad = tool("bad", () => {
      throw thrown;
    });
    const model = modelOf((step) => (step === 0 ? call("bad") : { error: thrown as Error, text: "x" }));
    const agent = await agentWith({ ...places, tools: [bad], model });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events)).toMatchObject([{ status: "error" }]);
    expect(["failed", "completed"]).toContain(finished(events).reason);
  });
});

describe("nothing leaks", () => {
  it("large results of one thread are not read by another that uses the same call id", async () => {
    const places = await workspaceWith();
    const big = tool("big", (_args, { config }) =>
      `${String(config.configurable?.["thread_id"])}-SECRET`.repeat(20_000),
    );
    const model = modelOf((step, messages) =>
      step === 0
        ? call(
            messages.at(-1)?.text === "make" ? "big" : "read_file",
            messages.at(-1)?.text === "make" ? {} : { file_path: "/large_tool_results/call_0.txt" },
            "call_0",
          )
        : "ok",
    );
    const agent = await agentWith({ ...places, tools: [big], model });
    await collect(agent.run("make", { threadId: "alice" }));
    const peek = await collect(agent.run("peek", { threadId: "bob" }));
    expect(results(peek)[0]?.output).not.toContain("SECRET");
    for (const name of ["large_tool_results", "threads"]) {
      expect((await stat(path.join(places.stateDir, name))).mode & 0o077).toBe(0);
    }
  });

  it("twenty calls in one step print nothing", async () => {
    const places = await workspaceWith();
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const wait = tool("wait", () => delay(50).then(() => "ok"));
    const agent = await agentWith({
      ...places,
      tools: [wait],
      model: modelOf((step) =>
        step === 0 ? { toolCalls: Array.from({ length: 20 }, () => ({ name: "wait" })) } : "ok",
      ),
    });
    const events: RunEvent[] = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events)).toHaveLength(20);
    expect(warnings).toEqual([]);
  });

  it("an edit cannot name another tool, and a delegate cannot loosen the agent's gates", async () => {
    const places = await workspaceWith({ x: "1" });
    const agent = await agentWith({
      ...places,
      model: modelOf(
        (step) => (step === 0 ? call("task", { subagent_type: "mine", description: "x" }) : "ok"),
        (step) => (step === 0 ? call("delete", { file_path: "/workspace/x" }) : "ok"),
      ),
      interruptOn: { delete: true },
      subagents: [{ name: "mine", description: "x", systemPrompt: "x", interruptOn: { delete: false } }],
    });
    const [needed] = ofType(await collect(agent.run("go", { threadId: "t" })), "approval.needed");
    const edit = { type: "edit", tool: "run_command", args: { command: "true" } } as never;
    await expect(
      collect(agent.resume({ threadId: "t", approvals: { [needed?.interruptId ?? ""]: edit } })),
    ).rejects.toMatchObject({ code: "invalid_decision" });
    expect(await readFile(path.join(places.workspace, "x"), "utf8")).toBe("1");
  });
});
