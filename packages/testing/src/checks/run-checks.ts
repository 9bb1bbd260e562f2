import { summariseRun } from "../events/collect-run.js";
import type { RunEventLike } from "../events/run-event.js";
import { transcriptOf } from "../events/transcript.js";
import type { Equals, Verdict } from "./verdict.js";

/** A type, or fields of the event that is meant. */
export type EventPattern = string | ({ type: string } & Record<string, unknown>);

const MAX_LINES = 40;

const shown = (events: readonly RunEventLike[]): string => {
  const lines = transcriptOf(events, { maxChars: 120 }).split("\n");
  const cut = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} lines before`] : [];
  return ["The run:", ...cut, ...lines.slice(-MAX_LINES)].map((line) => `  ${line}`).join("\n");
};

const verdict = (pass: boolean, events: readonly RunEventLike[], expected: string): Verdict => ({
  pass,
  message: () => `expected the run ${pass ? "not " : ""}${expected}\n${shown(events)}`,
});

export const checkRan = (
  events: readonly RunEventLike[],
  equals: Equals,
  tool: string,
  args?: Record<string, unknown>,
): Verdict => {
  const calls = summariseRun(events).tools.filter((call) => call.tool === tool);
  const pass = calls.some((call) => args === undefined || equals(call.args, args));
  return verdict(
    pass,
    events,
    `to have run ${tool}${args === undefined ? "" : ` with ${JSON.stringify(args)}`}`,
  );
};

export const checkFinished = (events: readonly RunEventLike[], reason: string): Verdict => {
  const finished = summariseRun(events).finished?.reason;
  return verdict(
    finished === reason,
    events,
    `to have finished with "${reason}"${finished === reason ? "" : `, it ${finished === undefined ? "did not finish" : `finished with "${finished}"`}`}`,
  );
};

const nameOf = (pattern: EventPattern): string =>
  typeof pattern === "string" ? pattern : JSON.stringify(pattern);

export const checkOrder = (
  events: readonly RunEventLike[],
  equals: Equals,
  order: readonly EventPattern[],
): Verdict => {
  let next = 0;
  for (const event of events) {
    const pattern = order[next];
    if (pattern === undefined) break;
    if (typeof pattern === "string" ? event.type === pattern : equals(event, pattern)) next += 1;
  }
  const missing = order[next];
  const after = order[next - 1];
  const found =
    missing === undefined
      ? ""
      : `; there is no ${nameOf(missing)}${after === undefined ? "" : ` after ${nameOf(after)}`}`;
  return verdict(
    missing === undefined,
    events,
    `to have, in this order, ${order.map(nameOf).join(", ")}${found}`,
  );
};

export const checkAskedFor = (events: readonly RunEventLike[], tool: string): Verdict => {
  const { approvals } = summariseRun(events);
  return verdict(
    approvals.some((action) => action.tool === tool),
    events,
    `to have asked for an approval of ${tool}`,
  );
};

const isError = ({ type, status, reason }: RunEventLike): boolean =>
  ((type === "tool.finished" || type === "delegate.finished") && status !== "success") ||
  (type === "run.finished" && (reason === "failed" || reason === "limit"));

export const checkNoErrors = (events: readonly RunEventLike[]): Verdict => {
  const errors = events.filter(isError);
  const found = errors.map((event) => `\n  ${transcriptOf([event])}`).join("");
  return verdict(errors.length === 0, events, `to have no errors${found === "" ? "" : `, it has${found}`}`);
};
