import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { Annotation, END, messagesStateReducer, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../src/file-storage.js";
import { nodeFileSystem, type FileSystem } from "../src/file-system.js";
import { dependencies, on, saverOn, scratch } from "./support/helpers.js";

const State = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

/** A disk that counts what is written to it. */
const counting = (): { fs: FileSystem; written: () => number } => {
  let bytes = 0;
  return {
    written: () => bytes,
    fs: {
      ...nodeFileSystem,
      writeTemporary(temporary, content, like) {
        bytes += content.length;
        return nodeFileSystem.writeTemporary(temporary, content, like);
      },
      async openLog(path) {
        const log = await nodeFileSystem.openLog(path);
        return {
          ...log,
          write(content, at) {
            bytes += content.length;
            return log.write(content, at);
          },
        };
      },
    },
  };
};

/** One invoke of so many steps, each of which adds a message to a conversation that is in every checkpoint. */
const conversation = async (steps: number): Promise<{ written: number; onDisk: number }> => {
  const folder = scratch();
  const { fs, written } = counting();
  const storage = await FileStorage.open(
    join(folder, "t.sqlite"),
    await dependencies({ fs, foldFromBytes: 20_000 }),
  );
  await using saver = saverOn(storage);
  const graph = new StateGraph(State)
    .addNode("say", ({ messages }) => ({
      messages: [new HumanMessage(`${messages.length}: ${"text ".repeat(40)}`)],
    }))
    .addEdge(START, "say")
    .addConditionalEdges("say", ({ messages }) => (messages.length < steps ? "say" : END))
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [] }, { ...on("t"), recursionLimit: steps + 10 });
  await saver.flush();
  const onDisk = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { written: written(), onDisk };
};

describe("a conversation that grows", () => {
  it("writes as much as it says, not its history at every step", async () => {
    const [short, long] = [await conversation(150), await conversation(600)];
    // Four times the steps: sixteen times the bytes, if each step wrote the history.
    expect(long.written / short.written).toBeLessThan(5);
    expect(long.written / long.onDisk).toBeLessThan(5);
    // 600 messages of about 500 bytes as JSON, in a checkpoint each.
    expect(long.onDisk).toBeLessThan(600 * 500 * 5);
  });
});
