import { HumanMessage, ToolMessage } from "langchain";
import { describe, expect, it } from "vitest";
import { backendConformance } from "@fiveseam/backends/conformance";
import { createAgent } from "../src/agent.js";
import { memoryObjectStore } from "../src/object-store.js";
import { ObjectStoreBackend } from "../src/object-store-backend.js";

describe("a backend over an object store", () => {
  const cases = backendConformance({
    create: () => ({ backend: new ObjectStoreBackend(memoryObjectStore()) }),
    lacks: ["disk"],
  });
  it.each(cases)("$name", ({ run }) => run());

  it("is the workspace of an agent, whose tools do there what they do on a disk", async () => {
    const files = new ObjectStoreBackend(memoryObjectStore());
    await files.write("/src/greeting.ts", 'export const greeting = "Hello";\n');
    const { messages } = await createAgent(files).invoke({ messages: [new HumanMessage("Greet better.")] });
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    expect(results.map(({ name, status }) => `${name} ${status ?? "success"}`)).toEqual([
      "grep success",
      "read_file success",
      "edit_file success",
    ]);
    expect(results[0]?.text).toContain("/workspace/src/greeting.ts");
    expect((await files.read("/src/greeting.ts")).content).toBe('export const greeting = "Good morning";');
  });
});
