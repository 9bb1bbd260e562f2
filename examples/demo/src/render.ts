import type { RunEvent } from "fiveseam";

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

export type Paint = (style: Style, text: string) => string;

/** Colours on a terminal that wants them; plain text elsewhere. */
export const painter = (colours: boolean): Paint =>
  colours ? (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m` : (_style, text) => text;

const oneLine = (text: string, length = 100): string => {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat;
};

/** Lines of a delegate's report that are shown; the agent reads all of it. */
const REPORT_LINES = 12;

/** Lines of a diff that are shown. */
const DIFF_LINES = 8;

const shortened = (lines: readonly string[]): string[] => [
  ...lines.slice(0, DIFF_LINES),
  ...(lines.length > DIFF_LINES ? [`… ${lines.length - DIFF_LINES} more lines`] : []),
];

const coloured = (line: string, paint: Paint): string =>
  line.startsWith("-") ? paint("red", line) : line.startsWith("+") ? paint("green", line) : line;

const BOX = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const;

/** A call in a few words: what a reader wants to know of its arguments. */
const describeCall = (tool: string, args: Readonly<Record<string, unknown>>): string => {
  const said = args["command"] ?? args["file_path"] ?? args["pattern"] ?? args["path"];
  return typeof said === "string" ? `${tool} ${oneLine(said, 80)}` : tool;
};

const diffOf = (args: Readonly<Record<string, unknown>>, paint: Paint): string[] => {
  const lines = (key: string): string[] =>
    typeof args[key] === "string" ? (args[key] as string).split("\n") : [];
  const before = lines("old_string");
  const after = lines("new_string");
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => paint("red", `- ${line.trim()}`)),
    ...after.filter((line) => !before.includes(line)).map((line) => paint("green", `+ ${line.trim()}`)),
  ];
};

/** Turns events into lines for a terminal. It keeps what it needs of earlier events, and reads nothing but events. */
export class Renderer {
  readonly #paint: Paint;
  readonly #texts = new Map<string, string>();

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  lines(event: RunEvent): string[] {
    const paint = this.#paint;
    const indent = event.delegation === null ? "" : paint("dim", `  ${event.agent} │ `);
    return this.#body(event).map((line) => `${indent}${line}`);
  }

  #body(event: RunEvent): string[] {
    const paint = this.#paint;
    switch (event.type) {
      case "run.started":
        return event.resumed ? [paint("dim", "resumed from the last stored step")] : [];
      case "text.delta":
        this.#texts.set(event.messageId, (this.#texts.get(event.messageId) ?? "") + event.text);
        return [];
      case "usage": {
        // The message is complete now: its text is shown whole, not in pieces.
        const text = this.#texts.get(event.messageId)?.trim();
        this.#texts.delete(event.messageId);
        if (!text) return [];
        return event.delegation === null ? ["", paint("bold", text)] : [paint("dim", oneLine(text, 120))];
      }
      case "todos.changed":
        return event.todos.map((todo) =>
          paint(todo.status === "completed" ? "green" : "cyan", `  ${BOX[todo.status]} ${todo.content}`),
        );
      case "tool.started":
        if (event.tool === "write_todos") return [];
        return [
          paint("dim", `→ ${describeCall(event.tool, event.args)}`),
          ...(event.tool === "edit_file" ? diffOf(event.args, paint).map((line) => `    ${line}`) : []),
        ];
      case "tool.finished": {
        if (event.tool === "write_todos") return [];
        if (event.status !== "success") return [paint("red", `  ✗ ${oneLine(event.output, 160)}`)];
        if (event.tool !== "run_tests") return [];
        const [verdict = ""] = event.output.split("\n");
        return [paint(verdict.startsWith("Tests passed") ? "green" : "yellow", `  ${verdict}`)];
      }
      case "delegate.started":
        return [paint("dim", `→ delegating to ${event.role}: ${oneLine(event.brief)}`)];
      case "delegate.finished": {
        const report = event.report.split("\n");
        const more = report.length - REPORT_LINES;
        return [
          paint("dim", `  ${event.role} reports:`),
          ...report.slice(0, REPORT_LINES).map((line) => `    ${paint("dim", oneLine(line, 140))}`),
          ...(more > 0 ? [paint("dim", `    … ${more} more lines`)] : []),
        ];
      }
      case "warning":
        return [paint("yellow", `warning: ${event.message}`)];
      case "delegate.heartbeat":
        return [];
      case "context.compacted":
        return [
          paint(
            "dim",
            `the conversation was compacted: ${event.tokensBefore} to ${event.tokensAfter} tokens`,
          ),
        ];
      case "waiting":
        return [
          event.reason === "thread_busy"
            ? paint("dim", "waiting for the run on this thread to end")
            : paint("yellow", "no model can be asked now; waiting for the first that can"),
        ];
      case "model.retried":
        return [paint("yellow", `${event.from} failed (${event.reason}); asking ${event.to}`)];
      case "text.discarded":
        this.#texts.delete(event.messageId);
        return [];
      case "approval.needed":
        return event.actions.flatMap(({ description, details }) => [
          paint("yellow", `? approval needed: ${description}`),
          ...(details?.kind === "change" ? details.files : []).flatMap(({ diff = "" }) =>
            shortened(diff.trimEnd().split("\n").slice(2)).map((line) => `    ${coloured(line, paint)}`),
          ),
        ]);
      case "input.needed":
        return [paint("yellow", `? an answer is needed: ${oneLine(JSON.stringify(event.value))}`)];
      case "run.finished":
        return event.reason === "completed" || event.reason === "needs_input"
          ? []
          : [paint("red", `the run ended: ${event.reason}${event.error ? `: ${event.error.message}` : ""}`)];
      case "reasoning.delta":
        return [];
    }
  }
}
