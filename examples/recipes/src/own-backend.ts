// Files of your own in place of the workspace: any deepagents backend. Nothing then confines the agent but the backend itself, so
// it is asked for in so many words. examples/custom-backend writes one and puts it to the conformance suite.
import { ScriptedChatModel } from "@fiveseam/models";
import { InMemoryStore } from "@langchain/langgraph";
import { StoreBackend } from "deepagents";
import { createCodingAgent } from "fiveseam";

export const run = async (workspace: string, stateDir: string): Promise<string[]> => {
  const store = new InMemoryStore();
  const files = new StoreBackend({ store, namespace: ["repository"] });
  await files.write("/workspace/greeting.txt", "Good morning");
  const model = new ScriptedChatModel({
    policy: (messages) =>
      messages.at(-1)?.getType() === "tool"
        ? "It says what it says."
        : { toolCalls: [{ name: "read_file", args: { file_path: "/workspace/greeting.txt" } }] },
  });
  await using agent = await createCodingAgent({
    workspace,
    stateDir,
    model,
    backend: files,
    unsafe: true,
    // These work on the real disk, which is another place now.
    codingTools: false,
  });
  const said: string[] = [];
  for await (const event of agent.run("What does the greeting say?", { threadId: "t" }))
    if (event.type === "tool.finished") said.push(event.output.split("\n").at(-1) ?? "");
  return said;
};
