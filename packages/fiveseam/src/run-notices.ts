import { getConfig, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { RunEvent } from "./events.js";

type Body<Type extends RunEvent["type"], Keys extends PropertyKey> = Pick<
  Extract<RunEvent, { type: Type }>,
  Extract<keyof Extract<RunEvent, { type: Type }>, Keys>
>;

/** What the agent's own middleware says in a run. */
export type RunNotice =
  | Body<"model.retried", "type" | "from" | "to" | "reason" | "message">
  | Body<"waiting", "type" | "reason" | "untilMs">
  | Body<"delegate.heartbeat", "type" | "callId" | "role" | "elapsedMs">
  | Body<"warning", "type" | "code" | "message">
  | Body<"context.compacted", "type" | "tier" | "cause" | "tokensBefore" | "tokensAfter" | "keptIn">
  | { type: "restarted" };

interface Envelope {
  readonly fiveseam: "notice";
  readonly notice: RunNotice;
}

export const isRunNotice = (value: unknown): value is Envelope =>
  typeof value === "object" && value !== null && (value as { fiveseam?: unknown }).fiveseam === "notice";

/** The run that we are in, as LangGraph knows it. */
export const runConfig = (): LangGraphRunnableConfig | undefined =>
  getConfig() as LangGraphRunnableConfig | undefined;

/**
 * Puts a notice into the graph's custom stream: there it travels in order with everything else, says by its namespace whose
 * it is, and reaches whoever streams the graph without us. False outside of a run.
 */
export const sayInRun = (notice: RunNotice): boolean => {
  const writer = runConfig()?.writer;
  if (!writer) return false;
  writer({ fiveseam: "notice", notice } satisfies Envelope);
  return true;
};
