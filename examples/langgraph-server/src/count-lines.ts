import { readFile } from "node:fs/promises";
import path from "node:path";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";

/** A tool that says how far it is: what it writes reaches clients that stream in the mode "custom". */
export const countLines = (workspace: string) =>
  defineTool({
    name: "count_lines",
    description: "Counts the lines of files at the top of the workspace.",
    schema: z.object({ files: z.array(z.string()) }),
    effects: ["fs.read"],
    run: async ({ files }, { config }) => {
      const { writer } = config as LangGraphRunnableConfig;
      let lines = 0;
      for (const [at, file] of files.entries()) {
        lines += (await readFile(path.join(workspace, path.basename(file)), "utf8")).split("\n").length - 1;
        writer?.({ counted: at + 1, of: files.length });
      }
      return `${lines} lines`;
    },
  });
