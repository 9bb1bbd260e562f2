import { readFile } from "node:fs/promises";
import path from "node:path";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { AIMessage, fakeModel, HumanMessage, tool, ToolMessage } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import { covers, createRights } from "@fiveseam/tool-pipeline";
import { createCodingBackend, HARNESS_ROUTES, withRights } from "../src/index.js";
import { rootWith, temporary } from "./support.js";

const call = (name: string, args: Record<string, string>) =>
  new AIMessage({ content: "", tool_calls: [{ id: `call_${Math.random()}`, name, args }] });

const results = (messages: readonly unknown[]): string[] =>
  messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.text);

it("one backend instance: what is neither workspace nor docs is in the thread's state, and gone in another thread", async () => {
  const root = await rootWith();
  const store = new InMemoryStore();
  const read = () => call("read_file", { file_path: "/scratch.txt" });
  const model = fakeModel()
    .respond(call("write_file", { file_path: "/scratch.txt", content: "of the first thread" }))
    .respond(call("write_file", { file_path: "/docs/kept.md", content: "of all threads" }))
    .respond(call("write_file", { file_path: "/workspace/real.txt", content: "on the disk" }))
    .respond(new AIMessage("Done."))
    .respond(read())
    .respond(new AIMessage("Done."))
    .respond(read())
    .respond(call("read_file", { file_path: "/docs/kept.md" }))
    .respond(new AIMessage("Done."));
  const agent = createDeepAgent({
    model,
    backend: createCodingBackend({ workspace: root, docs: store }),
    checkpointer: new MemorySaver(),
  });
  const ask = async (thread_id: string) =>
    results(
      (await agent.invoke({ messages: [new HumanMessage("Go on.")] }, { configurable: { thread_id } }))
        .messages,
    );
  await ask("one");
  expect(await readFile(path.join(root, "real.txt"), "utf8")).toBe("on the disk");
  expect((await ask("one")).at(-1)).toContain("of the first thread");
  const [missing, kept] = await ask("two");
  expect(missing).not.toContain("of the first thread");
  expect(kept).toContain("of all threads");
});

it.each(["state", "disk"])(
  "a result that is too large leaves a pointer, under rights too, which read_file follows (kept in %s)",
  async (where) => {
    const root = await rootWith();
    const survey = tool(() => `the first line\n${`${"x".repeat(200)}\n`.repeat(2_000)}`, {
      name: "survey",
      description: "Says a lot.",
      schema: z.object({}),
    });
    const rights = createRights({ effects: ["fs.read"], read: ["/workspace/**"], write: "none" });
    const backend = withRights(
      createCodingBackend({
        workspace: root,
        ...(where === "disk" ? { spillDirectory: await temporary() } : {}),
      }),
      { covers: (access) => covers(rights, access), except: HARNESS_ROUTES },
    );
    let pointer = "";
    const model = fakeModel()
      .respond(call("survey", {}))
      .respond((messages) => {
        pointer = /\/large_tool_results\/[^\s'"`]+/.exec(String(messages.at(-1)?.text))?.[0] ?? "none";
        return call("read_file", { file_path: pointer });
      })
      .respond(new AIMessage("Done."));
    const agent = createDeepAgent({ model, backend, tools: [survey] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Search.")] });
    expect(pointer).toMatch(/^\/large_tool_results\//);
    expect(results(messages).at(-1)).toContain("the first line");
  },
);
