import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";

/** The tool that does nothing: a place to reason between two calls, which stays in the conversation. */
export const createThinkTool = (): StructuredTool =>
  defineTool({
    name: "think",
    description:
      "Writes down a thought and does nothing else: no file is read and nothing changes. Use it between tool calls when " +
      "a result surprises you, before a change that is hard to take back, or to weigh two ways of doing something. " +
      "Do not use it to talk to the user. The answer is a bare confirmation.",
    schema: z.object({ thought: z.string().min(1).describe("The reasoning, in your own words.") }),
    effects: [],
    idempotent: true,
    run: () => "Noted.",
  });
