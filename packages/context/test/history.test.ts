import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, fakeModel } from "langchain";
import { describe, expect, it } from "vitest";
import { compactionOf, converse } from "./support.js";

describe("history", () => {
  const talk = async (
    made: ReturnType<typeof compactionOf>,
    threadId: string,
    word: string,
    checkpointer = new MemorySaver(),
  ) => converse([made.middleware], [`${word} `.repeat(4_000), "b", "c"], { threadId, checkpointer });
  it.each([
    ["a/b", "a_b"],
    ["日本", "中国"],
    [`${"x".repeat(120)}1`, `${"x".repeat(120)}2`],
  ])("of the threads %s and %s is kept apart", async (one, other) => {
    const made = compactionOf();
    await talk(made, one, "first");
    const before = new Map(made.files);
    expect(before.size).toBeGreaterThan(0);
    await talk(made, other, "other");
    for (const [path, text] of before) expect(made.files.get(path)).toBe(text);
  });
  it("of a branch does not replace that of where it branched off", async () => {
    const made = compactionOf();
    const model = fakeModel();
    for (let at = 0; at < 9; at += 1) model.respond(new AIMessage(`answer ${at}`));
    const agent = createAgent({
      model,
      tools: [],
      middleware: [made.middleware],
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: "t" } };
    await agent.invoke({ messages: [new HumanMessage("start")] }, thread);
    const branch = (await agent.graph.getState(thread)).config;
    await agent.invoke({ messages: [new HumanMessage("one ".repeat(4_000))] }, thread);
    await agent.invoke({ messages: [new HumanMessage("go on")] }, thread);
    const before = new Map(made.files);
    expect(before.size).toBeGreaterThan(0);
    await agent.invoke({ messages: [new HumanMessage("two ".repeat(4_000))] }, branch);
    await agent.invoke({ messages: [new HumanMessage("go on")] }, thread);
    for (const [path, text] of before) expect(made.files.get(path)).toBe(text);
    expect([...made.files.values()].join()).toContain("two two");
  });
});
