import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startProviderEmulator, type ProviderFault } from "@fiveseam/testing";
import "@fiveseam/testing/vitest";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "../src/index.js";
import { agentWith, call, collect, finished, modelOf, ofType, workspaceWith } from "./support.js";

const BOUND_MS = 2_000;

const until = async (condition: () => boolean): Promise<void> => {
  const deadline = Date.now() + 10_000;
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

type Agent = Awaited<ReturnType<typeof agentWith>>;

/** Runs, aborts when it is time, and holds the end to the bound. */
const stopped = async (agent: Agent, isTime: () => boolean): Promise<RunEvent[]> => {
  const controller = new AbortController();
  const reading = collect(agent.run("go", { threadId: "t", signal: controller.signal }));
  await until(isTime);
  const began = performance.now();
  controller.abort();
  const events = await reading;
  expect(performance.now() - began).toBeLessThan(BOUND_MS);
  expect(finished(events).reason).toBe("aborted");
  return events;
};

/** The thread takes the next message, and is a conversation that providers accept. */
const goesOn = async (agent: Agent): Promise<void> => {
  expect(finished(await collect(agent.run("and now?", { threadId: "t" })))).toMatchObject({
    reason: "completed",
    text: "fine",
  });
  expect(await agent.graph.getState({ configurable: { thread_id: "t" } })).toHaveNoOrphanToolCalls();
};

describe.each(["openai", "anthropic"])("an abort while %s hangs", (vendor) => {
  const agentOn = async (fault: ProviderFault, delegate: boolean) => {
    const provider = await startProviderEmulator({
      policy: (messages, tools) => {
        const inMain = tools.some(({ name }) => name === "task");
        const { text } = messages.at(-1) ?? {};
        if (inMain && text === "go" && delegate)
          return call("task", { subagent_type: "general-purpose", description: "wait" });
        return text === "go" || text === "wait" ? "a long answer that never comes to its end" : "fine";
      },
    });
    onTestFinished(() => provider.close());
    if (delegate) provider.fail({ kind: "none" });
    provider.fail(fault);
    const model =
      vendor === "openai"
        ? new ChatOpenAI({
            model: "gpt-4.1",
            apiKey: "x",
            configuration: { baseURL: provider.openAIBaseURL },
          })
        : new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: "x", anthropicApiUrl: provider.url });
    return { provider, agent: await agentWith({ ...(await workspaceWith()), model }) };
  };

  it.each([
    ["before it answers", { kind: "hang" }, false],
    ["in the middle of its stream", { kind: "hang", afterEvents: 3 }, false],
    ["in the middle of a delegate's stream", { kind: "hang", afterEvents: 3 }, true],
  ] as const)(
    "%s ends the run within two seconds, asks nobody again, and the thread goes on",
    async (_, fault, delegate) => {
      const { agent, provider } = await agentOn(fault, delegate);
      const asked = delegate ? 2 : 1;
      await stopped(agent, () => provider.requests.length === asked);
      await delay(100);
      expect(provider.requests).toHaveLength(asked);
      await goesOn(agent);
    },
  );
});

describe("an abort while processes run", () => {
  const TREE = `sh -c 'sleep 60 & echo $! > "$0".grandchild; wait' NAME & echo $! > NAME.child; wait`;
  const pidsOf = (workspace: string, name: string) =>
    ["child", "grandchild"].map((kind) => path.join(workspace, `${name}.${kind}`));
  const tree = (name: string) => ({ name: "run_command", args: { command: TREE.replaceAll("NAME", name) } });

  it("ends the whole tree of each, in parallel delegates too, within two seconds", async () => {
    const places = await workspaceWith();
    const task = (description: string) => ({
      name: "task",
      args: { subagent_type: "general-purpose", description },
    });
    const agent = await agentWith({
      ...places,
      approvals: false,
      model: modelOf(
        (_step, messages) =>
          messages.at(-1)?.text === "go" ? { toolCalls: [task("left"), task("right"), tree("own")] } : "fine",
        (_step, messages) => ({ toolCalls: [tree(messages[1]?.text ?? "")] }),
      ),
    });
    const files = ["left", "right", "own"].flatMap((name) => pidsOf(places.workspace, name));
    const events = await stopped(agent, () =>
      files.every((file) => existsSync(file) && readFileSync(file, "utf8").endsWith("\n")),
    );
    const pids = files.map((file) => Number(readFileSync(file, "utf8")));
    expect(new Set(pids).size).toBe(6);
    expect(pids.filter(alive)).toEqual([]);
    expect(ofType(events, "delegate.started")).toHaveLength(2);
    await goesOn(agent);
  });
});
