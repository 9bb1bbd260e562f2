import { createCodingBackend } from "@fiveseam/backends";
import { createPipeline, failureKind, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
import { createDeepAgent } from "deepagents";
import { AIMessage, fakeModel, HumanMessage, ToolMessage } from "langchain";
import { expect, it } from "vitest";
import { createCodingTools } from "../src/index.js";
import { directoryWith } from "./support.js";

const calling = (id: string, name: string, args: Record<string, unknown>) =>
  new AIMessage({ content: "", tool_calls: [{ id, name, args }] });

it("compose_files and ast_edit reach the workspace and the graph's state alike, and their failures do not end the run", async () => {
  const root = await directoryWith({ "a.ts": "const a = 1;\n" });
  const backend = createCodingBackend({ workspace: root });
  const changes = [
    { action: "create", path: "/notes.py", content: "a = 1\n" },
    { action: "edit", path: "a.ts", old_string: "1", new_string: "2" },
  ];
  const model = fakeModel()
    .respond(calling("1", "compose_files", { changes }))
    .respond(calling("2", "ast_edit", { path: "/notes.py", operation: "rename", symbol: "a", new_name: "b" }))
    .respond(calling("3", "ast_edit", { path: "a.ts", operation: "rename", symbol: "b", new_name: "c" }))
    .respond(calling("4", "read_file", { file_path: "/notes.py" }))
    .respond(new AIMessage("done"));
  const agent = createDeepAgent({
    model,
    backend,
    tools: createCodingTools({ host: {}, root, backend }),
    middleware: [toolPipelineMiddleware(createPipeline())],
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  const [composed, renamed, refused, read] = messages.filter((message) => ToolMessage.isInstance(message));
  expect(composed?.text).toContain("created /notes.py (+1)\nchanged /workspace/a.ts (+1 -1)");
  expect(renamed?.text).toContain("Renamed in a in /notes.py");
  expect(refused && failureKind(refused)).toBe("symbol_not_found");
  expect(read?.text).toContain("b = 1");
});
