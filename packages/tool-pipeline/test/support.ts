import { ToolMessage } from "@langchain/core/messages";
import { ALL_RIGHTS, UNDECLARED, type Next, type PipelineCall, type ToolResult } from "../src/index.js";

let count = 0;

/** A call as the middleware would make it, each with an id of its own. */
export const callOf = (given: Partial<PipelineCall> = {}): PipelineCall => ({
  id: `c${(count += 1)}`,
  toolName: "t",
  args: {},
  toolExists: true,
  declaration: UNDECLARED,
  threadId: "thread",
  namespace: `tools:${count}`,
  agent: undefined,
  role: undefined,
  rights: ALL_RIGHTS,
  messages: [],
  anchor: undefined,
  signal: undefined,
  ...given,
});

/** A tool that answers with the text. */
export const says =
  (content: string, more: { status?: "error"; artifact?: unknown } = {}): Next =>
  async (call) =>
    new ToolMessage({ content, tool_call_id: call.id, name: call.toolName, ...more });

export const textOf = (result: ToolResult): string => (result as ToolMessage).text;
