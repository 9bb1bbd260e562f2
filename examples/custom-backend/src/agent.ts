import { createCodingBackend } from "@fiveseam/backends";
import { ScriptedChatModel } from "@fiveseam/models";
import { createDeepAgent, type BackendProtocolV2 } from "deepagents";

const PATH = "/workspace/src/greeting.ts";

/** An agent whose workspace is a backend of one's own. The model is a stand-in that makes these calls. */
export const createAgent = (files: BackendProtocolV2) => {
  const model = new ScriptedChatModel({
    script: [
      { toolCalls: [{ name: "grep", args: { pattern: "Hello", path: "/workspace" } }] },
      { toolCalls: [{ name: "read_file", args: { file_path: PATH } }] },
      {
        toolCalls: [
          { name: "edit_file", args: { file_path: PATH, old_string: "Hello", new_string: "Good morning" } },
        ],
      },
      { text: "The greeting is friendlier now." },
    ],
  });
  return createDeepAgent({ model, backend: createCodingBackend({ workspace: files }) });
};
