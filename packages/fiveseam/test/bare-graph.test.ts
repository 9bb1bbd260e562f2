import { setTimeout as delay } from "node:timers/promises";
import "@fiveseam/testing/vitest";
import { defineTool } from "@fiveseam/tool-pipeline";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentWith, call, lastRequest, modelOf, workspaceWith } from "./support.js";

const human = (content: string) => ({ messages: [{ role: "user", content }] });
const thread = { configurable: { thread_id: "t" } };

describe("a message by invoke on a thread whose last step is unfinished", () => {
  it("finds what is known of each call: its result, unknown when it had begun", async () => {
    const { workspace } = await workspaceWith();
    let paid = 0;
    const tool = (name: string, run: Parameters<typeof defineTool>[0]["run"]) =>
      defineTool({ name, description: "x", schema: z.object({}), effects: ["exec"], run });
    const pay = tool("pay", () => `paid ${(paid += 1)}`);
    const slow = tool("slow", () => delay(5_000).then(() => "late"));
    const model = modelOf((_step, messages) =>
      messages.at(-1)?.text === "go" ? { toolCalls: [{ name: "pay" }, { name: "slow" }] } : "ok",
    );
    const agent = await agentWith({ workspace, checkpointer: new MemorySaver(), model, tools: [pay, slow] });
    const controller = new AbortController();
    const running = agent.invoke(human("go"), { ...thread, signal: controller.signal });
    while (paid === 0) await delay(10);
    await delay(100);
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);

    await agent.invoke(human("and now?"), thread);
    expect(lastRequest(model).slice(1)).toEqual([
      "human: go",
      "ai: ",
      "tool: paid 1",
      expect.stringMatching(/^tool: The outcome of this call is unknown/),
      "human: and now?",
    ]);
    expect(await agent.getState(thread)).toHaveNoOrphanToolCalls();
    expect(paid).toBe(1);
  });

  it("declines what waits for an approval", async () => {
    const { workspace } = await workspaceWith({ x: "1" });
    const model = modelOf((_step, messages) =>
      messages.at(-1)?.text === "go" ? call("delete", { file_path: "/workspace/x" }) : "ok",
    );
    const agent = await agentWith({ workspace, checkpointer: new MemorySaver(), model });
    await agent.invoke(human("go"), thread);
    await agent.invoke(human("never mind"), thread);
    expect(lastRequest(model).at(-2)).toContain(
      "it waited for an approval, and the user sent another message",
    );
  });
});
