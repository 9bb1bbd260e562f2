import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { createAgent, createMiddleware, fakeModel } from "langchain";
import { describe, expect, it } from "vitest";
import { compactionOf } from "./support.js";

describe("compaction of several conversations", () => {
  const on = (thread_id: string) => ({ configurable: { thread_id } });

  it("a prompt that was refused in one says nothing of the others", async () => {
    const { middleware, events } = compactionOf({ windowTokens: () => 100_000 });
    let calls = 0;
    const refusing = createMiddleware({
      name: "Refusing",
      wrapModelCall: (request, handler) => {
        calls += 1;
        if (calls === 3) throw ContextOverflowError.fromError(new Error("prompt is too long"));
        return handler(request);
      },
    });
    const model = fakeModel();
    for (let at = 0; at < 9; at += 1) model.respond(new AIMessage(`answer ${at}`));
    const agent = createAgent({
      model,
      tools: [],
      middleware: [middleware, refusing],
      checkpointer: new MemorySaver(),
    });
    for (const turn of ["dense", "go on", "and on"])
      await agent.invoke({ messages: [new HumanMessage(turn)] }, on("one"));
    expect(events.map(({ threadId, cause }) => `${threadId} ${cause}`)).toEqual(["one overflow"]);
    for (const turn of ["x".repeat(20_000), "go on"])
      await agent.invoke({ messages: [new HumanMessage(turn)] }, on("two"));
    expect(events.filter(({ threadId }) => threadId === "two")).toEqual([]);
  });

  it("hides no message that was put in place of those it was made for", async () => {
    const { middleware, events } = compactionOf();
    const model = fakeModel();
    for (let at = 0; at < 9; at += 1) model.respond(new AIMessage(`answer ${at}`));
    const agent = createAgent({
      model,
      tools: [],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    for (const turn of ["a", "b", "c", "x".repeat(16_000), "d"])
      await agent.invoke({ messages: [new HumanMessage(turn)] }, on("t"));
    expect(events.length).toBeGreaterThan(0);
    await agent.graph.updateState(on("t"), {
      messages: [
        new RemoveMessage({ id: REMOVE_ALL_MESSAGES }),
        ...Array.from({ length: 12 }, (_, at) =>
          at % 2 ? new AIMessage(`said ${at}`) : new HumanMessage(`asked ${at}`),
        ),
      ],
    });
    await agent.invoke({ messages: [new HumanMessage("now")] }, on("t"));
    expect(model.calls.at(-1)!.messages.map(({ text }) => text)).toContain("asked 0");
  });
});
