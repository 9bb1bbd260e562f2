import { currentCall, type ToolRunContext } from "@fiveseam/tool-pipeline";

/** The thread that a call belongs to, in a pipeline or in LangGraph alone; undefined outside both. */
export const threadOf = ({ config }: Pick<ToolRunContext, "config">): string | undefined => {
  const known = currentCall()?.threadId;
  if (known !== undefined) return known;
  const id = (config.configurable as Record<string, unknown> | undefined)?.["thread_id"];
  return typeof id === "string" ? id : undefined;
};
