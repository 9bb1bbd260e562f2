import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";
import type { CodingAgentOptions } from "../src/index.js";

const counting = () => {
  const calls: string[] = [];
  const step = tool(
    async ({ at, fail, ms }: { at: string; fail?: boolean; ms?: number }) => {
      calls.push(at);
      if (ms) await new Promise((resolve) => setTimeout(resolve, ms));
      if (fail) throw new Error(`failed at ${at}`);
      return `did ${at}`;
    },
    {
      name: "step",
      description: "Steps.",
      schema: z.object({ at: z.string(), fail: z.boolean().optional(), ms: z.number().optional() }),
    },
  );
  return { calls, step };
};

const agentOf = async (
  turns: Parameters<typeof modelOf>,
  run: NonNullable<CodingAgentOptions["limits"]>["run"],
  options: object = {},
) => {
  const { calls, step } = counting();
  const agent = await agentWith({
    ...(await workspaceWith()),
    model: modelOf(...turns),
    tools: [step],
    limits: { loopGuard: false, ...(run ? { run } : {}) },
    ...options,
  });
  return { agent, calls };
};

describe("a delegate that is at work", () => {
  it("gives signs of life, however quiet it is, and none afterwards", async () => {
    const { agent } = await agentOf(
      [
        (step) =>
          step === 0 ? call("task", { subagent_type: "general-purpose", description: "x" }, "d1") : "done",
        (step) => (step === 0 ? call("step", { at: "slow", ms: 700 }) : "report"),
      ],
      undefined,
      { limits: { delegation: { heartbeatMs: 100 } } },
    );
    const events = await collect(agent.run("go", { threadId: "t" }));
    const beats = ofType(events, "delegate.heartbeat");
    expect(beats.length).toBeGreaterThan(2);
    expect(beats[0]).toMatchObject({ callId: "d1", role: "general-purpose" });
    expect(beats.at(-1)!.elapsedMs).toBeGreaterThan(beats[0]!.elapsedMs);
    const ended = events.findIndex(({ type }) => type === "delegate.finished");
    expect(events.findLastIndex(({ type }) => type === "delegate.heartbeat")).toBeLessThan(ended);
  });
});

describe("the budget of a run", () => {
  it("stops at the last allowed tool call, delegates counted, says which limit it was, and goes on with a fresh one", async () => {
    const { agent, calls } = await agentOf(
      [
        (step) =>
          step === 0
            ? call("task", { subagent_type: "general-purpose", description: "x" })
            : step < 6
              ? call("step", { at: `main ${step}` })
              : "done",
        (step) => (step < 3 ? call("step", { at: `delegate ${step}` }) : "report"),
      ],
      { maxToolCalls: 6 },
    );
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({
      reason: "limit",
      error: { name: "RunLimitError", code: "max_tool_calls" },
    });
    expect(finished(events).error?.message).toContain("6 tool calls");
    expect(calls).toEqual(["delegate 0", "delegate 1", "delegate 2", "main 1", "main 2"]);
    const resumed = await collect(agent.resume({ threadId: "t" }));
    expect(finished(resumed)).toMatchObject({ reason: "completed", text: "done" });
    expect(calls).toEqual([
      "delegate 0",
      "delegate 1",
      "delegate 2",
      "main 1",
      "main 2",
      "main 3",
      "main 4",
      "main 5",
    ]);
  });

  it("lets no further call of a parallel step run", async () => {
    const { agent, calls } = await agentOf(
      [
        (step) =>
          step === 0
            ? {
                toolCalls: Array.from({ length: 9 }, (_, at) => ({ name: "step", args: { at: String(at) } })),
              }
            : "done",
      ],
      { maxToolCalls: 4 },
    );
    expect(finished(await collect(agent.run("go", { threadId: "t" }))).reason).toBe("limit");
    expect(calls).toHaveLength(4);
    const messages = (await agent.graph.getState({ configurable: { thread_id: "t" } })).values as {
      messages: unknown[];
    };
    expect(messages.messages.length).toBeGreaterThan(0);
    expect(
      finished(await collect(agent.run("new words", { threadId: "t", limits: { maxToolCalls: 100 } })))
        .reason,
    ).toBe("completed");
  });

  it("stops after too many failures in a row, and one success starts the count anew", async () => {
    const failures = (pattern: string) =>
      agentOf(
        [
          (step) =>
            step < pattern.length ? call("step", { at: String(step), fail: pattern[step] === "x" }) : "done",
        ],
        { maxConsecutiveFailures: 3 },
      );
    const { agent, calls } = await failures("x.xx.xxx.");
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "limit", error: { code: "max_consecutive_failures" } });
    expect(calls).toHaveLength(8);
    expect(results(events).at(-1)).toMatchObject({ status: "error" });
    const other = await failures("xx.xx.");
    expect(finished(await collect(other.agent.run("go", { threadId: "t" }))).reason).toBe("completed");
  });

  it("stops when its time is over, in the middle of a tool, and of a model's answer", async () => {
    const { agent } = await agentOf(
      [(step) => (step === 0 ? call("run_command", { command: "sleep 20" }) : "done")],
      { maxDurationMs: 1_000 },
      { shellPolicy: false, approvals: false },
    );
    const began = Date.now();
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "limit", error: { code: "max_duration" } });
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(
      finished(await collect(agent.resume({ threadId: "t", limits: { maxDurationMs: false } }))).reason,
    ).toBe("completed");
  });

  it("stops after so many events, also when nobody streams", async () => {
    const { agent, calls } = await agentOf([(step) => call("step", { at: String(step) })], {
      maxEvents: 120,
    });
    await expect(
      agent.invoke({ messages: [{ role: "user", content: "go" }] }, { configurable: { thread_id: "t" } }),
    ).rejects.toThrow(/maxEvents/);
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.length).toBeLessThan(60);
    const events = await collect(agent.run("again", { threadId: "u" }));
    expect(finished(events)).toMatchObject({ reason: "limit", error: { code: "max_events" } });
  });

  it("has the documented defaults", async () => {
    const { limitsInForce } = await import("../src/run-limits.js");
    expect(limitsInForce()).toEqual({
      maxEvents: 15_000,
      maxToolCalls: 2_000,
      maxDurationMs: 3_600_000,
      maxConsecutiveFailures: 50,
    });
    const { agent } = await agentOf(
      [(step) => (step < 51 ? call("step", { at: String(step), fail: true }) : "done")],
      undefined,
    );
    expect(finished(await collect(agent.run("go", { threadId: "t" })))).toMatchObject({
      reason: "limit",
      error: { code: "max_consecutive_failures" },
    });
  });

  it("refuses limits that are none", async () => {
    const { agent } = await agentOf([() => "done"], {});
    const run = async (limits: object) => collect(agent.run("go", { threadId: "t", limits }));
    await expect(run({ maxToolCalls: 0 })).rejects.toMatchObject({ option: "limits.maxToolCalls" });
    await expect(run({ maxSteps: 1 })).rejects.toMatchObject({ option: "limits.maxSteps" });
    expect(ofType(await run({ maxToolCalls: false }), "run.finished")).toHaveLength(1);
  });
});
