import type { RunEventLike } from "./run-event.js";

export interface TranscriptOptions {
  /** Characters kept of each text; default 400. */
  maxChars?: number;
  /** Changes every text before it is cut: for paths of temporary folders and the like. */
  normalise?: (text: string) => string;
}

type Show = (text: string | undefined) => string;

const sentences: Record<string, (event: RunEventLike, show: Show) => string | undefined> = {
  "run.started": ({ resumed }) => (resumed ? "run resumed" : "run started"),
  "tool.started": ({ tool, args }, show) => `-> ${tool} ${show(JSON.stringify(args ?? {}))}`,
  "tool.finished": ({ tool, status, output, restored }, show) =>
    `<- ${tool} ${status}${restored ? " (restored)" : ""}: ${show(output)}`,
  "todos.changed": ({ todos = [] }, show) =>
    `todos: ${show(todos.map(({ content, status }) => `${content} (${status})`).join("; "))}`,
  "delegate.started": ({ role, brief }, show) => `=> ${role}: ${show(brief)}`,
  "delegate.finished": ({ role, status, report, restored }, show) =>
    `<= ${role} ${status}${restored ? " (restored)" : ""}: ${show(report)}`,
  "approval.needed": ({ actions = [] }, show) =>
    `? approve ${actions.map(({ tool, args }) => `${tool} ${show(JSON.stringify(args))}`).join(", ")}`,
  "input.needed": ({ value }, show) => `? input ${show(JSON.stringify(value))}`,
  warning: ({ code, message }, show) => `warning ${code}: ${show(message)}`,
  waiting: ({ reason }) => `waiting: ${reason}`,
  "model.retried": ({ from, to, reason }) => `model retried: ${from} to ${to}, ${reason}`,
  "text.discarded": () => "text discarded",
  "run.finished": ({ reason, error, text }, show) =>
    `run ${reason}${error ? ` (${error.name}${error.code === undefined ? "" : ` ${error.code}`}: ${show(error.message)})` : ""}: ${show(text)}`,
  // Costs and counts differ from model to model.
  usage: () => undefined,
};

/**
 * A run as text, one line an event, without ids, times, token counts and costs: for snapshots, and for people.
 *
 * @example
 * ```ts
 * import { transcriptOf } from "@fiveseam/testing";
 *
 * console.log(
 *   transcriptOf([
 *     { type: "tool.started", callId: "c1", tool: "ls", args: { path: "/" } },
 *     { type: "tool.finished", callId: "c1", tool: "ls", status: "success", output: "README.md" },
 *   ]),
 * );
 * ```
 */
export const transcriptOf = (
  events: Iterable<RunEventLike>,
  { maxChars = 400, normalise = (text) => text }: TranscriptOptions = {},
): string => {
  const show: Show = (text = "") => {
    const whole = normalise(text);
    // One line an event: what is multi-line is shown as JSON shows it.
    const cut = whole.length > maxChars ? `${whole.slice(0, maxChars)}…` : whole;
    return cut.replaceAll("\n", "\\n");
  };
  const lines: string[] = [];
  /** Deltas that stand together: how a provider cuts its stream is chance. */
  let open: { kind: string; message: string; text: string } | undefined;
  const flush = (): void => {
    if (open) lines.push(`${open.message}${open.kind}: ${show(open.text)}`);
    open = undefined;
  };
  for (const event of events) {
    const who = event.agent === undefined || event.agent === "main" ? "" : `[${event.agent}] `;
    const kind = /^(text|reasoning)\.delta$/.exec(event.type)?.[1];
    if (kind !== undefined) {
      if (open?.kind !== kind || open.message !== who) flush();
      open = { kind, message: who, text: (open?.text ?? "") + (event.text ?? "") };
      continue;
    }
    const sentence = sentences[event.type];
    const line = sentence ? sentence(event, show) : event.type;
    if (line === undefined) continue;
    flush();
    lines.push(who + line);
  }
  flush();
  return lines.join("\n");
};
