import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { SqlJsSaver } from "../src/index.js";
import { on, scratch } from "./support/helpers.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  approved: Annotation<boolean>,
});

const approvalGraph = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode("plan", () => ({ log: ["planned"] }))
    .addNode("ask", () => ({ approved: interrupt<string, boolean>("go?"), log: ["asked"] }))
    .addNode("act", (state) => ({ log: [state.approved ? "acted" : "stopped"] }))
    .addEdge(START, "plan")
    .addEdge("plan", "ask")
    .addEdge("ask", "act")
    .addEdge("act", END)
    .compile({ checkpointer });

const locations = {
  file: () => ({ file: join(scratch(), "t.sqlite") }),
  directory: () => ({ directory: scratch() }),
};

describe.each(Object.entries(locations))("a graph on a %s", (_name, locate) => {
  it("is resumed from an interrupt by a new saver, once", async () => {
    const where = locate();
    const first = await SqlJsSaver.open(where);
    const stopped = await approvalGraph(first).invoke({}, on("t"));
    expect(stopped).toMatchObject({ log: ["planned"], __interrupt__: [{ value: "go?" }] });
    await first.close();

    const second = await SqlJsSaver.open(where);
    const graph = approvalGraph(second);
    expect((await graph.getState(on("t"))).next).toEqual(["ask"]);
    const done = await graph.invoke(new Command({ resume: true }), on("t"));
    expect(done).toEqual({ log: ["planned", "asked", "acted"], approved: true });
    await second.close();

    await using third = await SqlJsSaver.open(where);
    const state = await approvalGraph(third).getState(on("t"));
    expect(state.next).toEqual([]);
    expect(state.values).toEqual({ log: ["planned", "asked", "acted"], approved: true });
  });

  it("keeps two branches from one checkpoint apart, as MemorySaver does", async () => {
    const histories: unknown[][] = [];
    await using saver = await SqlJsSaver.open(locate());
    for (const checkpointer of [new MemorySaver(), saver]) {
      const graph = approvalGraph(checkpointer);
      await graph.invoke({ log: ["start"] }, on("t"));
      const asked = await graph.getState(on("t"));
      // Both branches give `log` its next version, from the same one.
      await graph.updateState(asked.config, { log: ["left"] }, "plan");
      await graph.updateState(asked.config, { log: ["right"] }, "plan");
      await graph.invoke(new Command({ resume: true }), on("t"));
      const history: unknown[] = [];
      for await (const state of graph.getStateHistory(on("t"))) history.push(state.values.log);
      histories.push(history);
    }
    expect(histories[1]).toEqual(histories[0]);
    expect(histories[1]).toContainEqual(["start", "planned", "left"]);
    expect(histories[1]).toContainEqual(["start", "planned", "right"]);
  });

  it("remembers an agent's conversation over a reopening, messages as messages", async () => {
    const where = locate();
    const turn = async (text: string): Promise<string[]> => {
      await using checkpointer = await SqlJsSaver.open(where);
      const agent = createAgent({
        model: new FakeListChatModel({ responses: [`re: ${text}`] }),
        tools: [],
        checkpointer,
      });
      const { messages } = await agent.invoke({ messages: [new HumanMessage(text)] }, on("agent"));
      expect(messages.at(-1)).toBeInstanceOf(AIMessage);
      return messages.map((message) => message.text);
    };
    expect(await turn("one")).toEqual(["one", "re: one"]);
    expect(await turn("two")).toEqual(["one", "re: one", "two", "re: two"]);
  });
});
