// A specialist of your own: a prompt, and rights that hold for its files and its tools, whatever it tries.
import { ScriptedChatModel } from "@fiveseam/models";
import { defineRole } from "@fiveseam/subagents";
import { createRights } from "@fiveseam/tool-pipeline";
import { createCodingAgent } from "fiveseam";

const translator = defineRole({
  name: "translator",
  description: "Translates documentation. Give it the file and the language.",
  purpose: "You translate documentation. Keep code, names and links as they are.",
  answer: "Say which files you wrote and which passages you were not sure of.",
  policy: createRights({ effects: ["fs.read", "fs.write"], read: "all", write: ["/workspace/docs/**"] }),
});

export const run = async (workspace: string, stateDir: string): Promise<string[]> => {
  const paths = ["/workspace/docs/hallo.md", "/workspace/src/oops.ts"];
  const model = new ScriptedChatModel({
    policy: (messages, tools) => {
      const answered = messages.filter((message) => message.getType() === "tool").length;
      if (tools.some(({ name }) => name === "task"))
        return answered === 0
          ? {
              toolCalls: [
                { name: "task", args: { subagent_type: "translator", description: "Translate it." } },
              ],
            }
          : "Done.";
      const path = paths[answered];
      return path
        ? { toolCalls: [{ name: "write_file", args: { file_path: path, content: "Hallo" } }] }
        : "Done.";
    },
  });
  await using agent = await createCodingAgent({ workspace, stateDir, model, roles: [translator] });
  const said: string[] = [];
  for await (const event of agent.run("Translate the docs.", { threadId: "t" }))
    if (event.type === "tool.finished" && event.agent === "translator")
      said.push(`${event.tool}: ${event.status}`);
  return said;
};
