import { isGraphBubbleUp } from "@langchain/langgraph";

const MAX_CAUSES = 20;

/** A property of a thrown value, which may be anything, one whose getter throws included. */
export const read = (value: unknown, name: string): unknown => {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
};

/** The error and its causes, outermost first. LangChain wraps what a middleware throws once a layer. */
export function* causesOf(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>();
  let at = error;
  while (at !== undefined && at !== null && !seen.has(at) && seen.size < MAX_CAUSES) {
    seen.add(at);
    yield at;
    at = typeof at === "object" ? read(at, "cause") : undefined;
  }
}

/** True for LangGraph's interrupts and other exceptions that are a message to the graph, not a failure. */
export const isGraphSignal = (error: unknown): boolean => {
  for (const cause of causesOf(error)) if (isGraphBubbleUp(cause)) return true;
  return false;
};

/** True when a tool said that it did nothing before it failed (`NotStartedError`). */
export const isNotStarted = (error: unknown): boolean => {
  for (const cause of causesOf(error)) if (read(cause, "code") === "not_started") return true;
  return false;
};

/** True for an error that ends the run on purpose (`RunStoppedError`, or any with `stopsRun: true`). */
export const isRunStop = (error: unknown): boolean => {
  for (const cause of causesOf(error)) if (read(cause, "stopsRun") === true) return true;
  return false;
};

/** True when an error must reach the graph untouched: an interrupt, a run that was stopped, anything after an abort. */
export const mustPropagate = (error: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true || isGraphSignal(error) || isRunStop(error);
