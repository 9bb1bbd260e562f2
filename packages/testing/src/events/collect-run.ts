import type { RunEventLike, RunEvents } from "./run-event.js";

/** One tool call of a run. */
export interface CollectedTool {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly agent: string;
  /** "unfinished" when the run ended before the call did. */
  readonly status: string;
  readonly output: string;
}

/** The event by which a run ends, where the union of events tells it from others. */
export type FinishedEvent<Event extends RunEventLike> = [Extract<Event, { type: "run.finished" }>] extends [
  never,
]
  ? Event
  : Extract<Event, { type: "run.finished" }>;

/** What happened in a run. */
export interface CollectedRun<Event extends RunEventLike = RunEventLike> {
  readonly events: readonly Event[];
  /** The final answer; while there is none, what the main agent has said since its last tool call. */
  readonly text: string;
  /** Tool calls in the order in which they began, delegates' included. */
  readonly tools: readonly CollectedTool[];
  /** What was asked about, one entry an action. */
  readonly approvals: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
  /** The `run.finished` event; undefined for a run that was left. */
  readonly finished: FinishedEvent<Event> | undefined;
}

const toolsOf = (events: readonly RunEventLike[]): CollectedTool[] => {
  const ended = new Map(
    events.flatMap((event) => (event.type === "tool.finished" ? [[event.callId, event] as const] : [])),
  );
  return events.flatMap((event) => {
    if (event.type !== "tool.started") return [];
    const end = ended.get(event.callId);
    return [
      {
        tool: event.tool ?? "",
        args: event.args ?? {},
        agent: event.agent ?? "main",
        status: end?.status ?? "unfinished",
        output: end?.output ?? "",
      },
    ];
  });
};

const saidLast = (events: readonly RunEventLike[]): string => {
  const main = events.filter((event) => (event.agent ?? "main") === "main");
  const from = main.findLastIndex(({ type }) => type === "tool.started" || type === "text.discarded") + 1;
  return main
    .slice(from)
    .map((event) => (event.type === "text.delta" ? (event.text ?? "") : ""))
    .join("");
};

/** The same of events that are there already. */
export const summariseRun = <Event extends RunEventLike>(events: readonly Event[]): CollectedRun<Event> => {
  const finished = events.findLast(
    (event): event is Event & FinishedEvent<Event> => event.type === "run.finished",
  );
  return {
    events,
    text: finished?.text ?? saidLast(events),
    tools: toolsOf(events),
    approvals: events.flatMap(({ type, actions }) => (type === "approval.needed" ? (actions ?? []) : [])),
    finished,
  };
};

/**
 * Reads a run to its end.
 *
 * @example
 * ```ts
 * import { createCodingAgent } from "fiveseam";
 * import { collectRun } from "@fiveseam/testing";
 *
 * await using agent = await createCodingAgent({ workspace: ".", model: "scripted" });
 * const run = await collectRun(agent.run("List the files", { threadId: "t" }));
 * console.log(run.text, run.tools.map(({ tool }) => tool), run.finished?.reason);
 * ```
 */
export const collectRun = async <Event extends RunEventLike>(
  events: RunEvents<Event>,
): Promise<CollectedRun<Event>> => {
  const collected: Event[] = [];
  for await (const event of events) collected.push(event);
  return summariseRun(collected);
};
