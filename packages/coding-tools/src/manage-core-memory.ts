import type { MemoryBlock, MemoryStorePort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { needed } from "./errors.js";
import { warningLines } from "./store-warnings.js";

const blockText = ({ scope, key, text, bytes }: MemoryBlock): string =>
  `## ${scope}/${key} (${bytes} bytes)\n${text}`;

const schema = z.object({
  action: z.enum(["list", "set", "append", "replace", "delete"]),
  scope: z
    .enum(["user", "project"])
    .optional()
    .describe('"user": about the person, in every project. "project": about this workspace. Needed but for list.'),
  key: z.string().optional().describe('Name of the block, for instance "conventions". Needed but for list.'),
  text: z.string().optional().describe("For set: the whole block. For append: what comes behind it."),
  old_text: z.string().min(1).optional().describe("For replace: a passage that stands in the block exactly once."),
  new_text: z.string().optional().describe("For replace: what stands there instead."),
});

/** The tool that keeps what is worth knowing in the next session. */
export const createManageCoreMemoryTool = (port: MemoryStorePort): StructuredTool => {
  const { maxBlockBytes, maxBlocks } = port.limits;
  return defineTool({
    name: "manage_core_memory",
    description:
      "Keeps short notes that you will have in later sessions, as named blocks: list, set, append, replace, delete. Write " +
      "down what stays true and is hard to find again: the user's preferences, decisions and their reasons, commands " +
      "that work here. Never write a password, a key or a token, nor what a file of the repository says already. " +
      `A block holds at most ${maxBlockBytes} bytes, a scope ${maxBlocks} blocks. The answer shows what was changed.`,
    schema,
    effects: ["state"],
    async run({ action, scope, key, text, old_text, new_text }, { signal }) {
      if (action === "list") {
        const read = await port.list({ signal, ...(scope === undefined ? {} : { scope }) });
        const blocks = read.blocks.length === 0 ? ["Nothing is remembered yet."] : read.blocks.map(blockText);
        return { content: [...blocks, ...warningLines(read.warnings)].join("\n"), artifact: read };
      }
      const where = needed(scope, "scope", action);
      const name = needed(key, "key", action);
      if (action === "delete") {
        const { warnings } = await port.delete(where, name, { signal });
        return [`Deleted ${where}/${name}.`, ...warningLines(warnings)].join("\n");
      }
      const change = () => {
        if (action === "set") return port.set(where, name, needed(text, "text", action), { signal });
        if (action === "append") return port.append(where, name, needed(text, "text", action), { signal });
        const passage = {
          oldText: needed(old_text, "old_text", action),
          newText: needed(new_text, "new_text", action),
        };
        return port.replace(where, name, passage, { signal });
      };
      const { block, warnings } = await change();
      return { content: [blockText(block), ...warningLines(warnings)].join("\n"), artifact: block };
    },
  });
};
