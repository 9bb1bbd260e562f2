import type { MeterReport, PrefixMove, TurnReport } from "./report.js";

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

const count = (tokens: number): string => tokens.toLocaleString("en-US");

const detail = (move: PrefixMove): string => {
  switch (move.cause) {
    case "tool_order":
    case "tool_changed":
    case "tool_added":
    case "tool_removed":
      return ` (${move.tool})`;
    case "parameters":
      return ` (${move.parameters.join(", ")})`;
    case "lookback":
      return ` (${move.blocks} blocks back, ${move.maxBlocks} are looked at)`;
    case "expired":
      return ` (unused for ${Math.round(move.idleMs / 1000)} s, kept for ${Math.round(move.lifetimeMs / 1000)} s)`;
    case "below_minimum":
      return ` (${count(move.prefixTokens)} tokens, the minimum is ${count(move.minTokens)})`;
    case "mark_missing":
      return move.transient ? " (the mark was on a message that was made for one call)" : "";
    case "mark_limit":
      return ` (${move.marks} marks, ${move.maxMarks} are allowed)`;
    default:
      return "";
  }
};

const who = (move: PrefixMove): string => {
  switch (move.origin) {
    case "middleware":
      return `by middleware ${move.middleware ?? ""}`;
    case "before_watched":
      return "before the watched middleware: in the conversation, or by somebody outside the watched list";
    case "after_watched":
      return "after the watched middleware: by one further in, or by the model's client";
    case "unwatched":
      return "no watched middleware did it: the conversation, or middleware that meter.watch() was not given";
    case "provider":
      return "by the provider's rules; the text is the same";
  }
};

/** A move on one line: what, where, by whom. */
export const describeMove = (move: PrefixMove): string =>
  `${move.cause}${detail(move)} at ${move.where}[${move.index}]${
    move.message ? ` (${move.message.type}${move.message.id === undefined ? "" : ` ${move.message.id}`})` : ""
  }, ${who(move)}`;

const HEADINGS = ["conversation", "turn", "prompt", "reused", "written", "uncached", "rebilled", "share"];

const row = (turn: TurnReport): string[] => [
  turn.conversation,
  String(turn.turn),
  count(turn.promptTokens),
  count(turn.reusedTokens),
  count(turn.writtenTokens),
  count(turn.uncachedTokens),
  count(turn.rebilledTokens),
  percent(turn.reusedShare),
];

/**
 * The report as a plain text table, one line a turn, with what moved the prefix below a turn.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, formatReport } from "@fiveseam/context/prefix-meter";
 *
 * const meter = createPrefixMeter();
 * console.log(formatReport(meter.report()));
 * ```
 */
export const formatReport = (report: MeterReport): string => {
  const { totals, notes } = report;
  const rows = report.turns.map(row);
  const sum = row({ ...totals, conversation: "all", turn: report.turns.length } as TurnReport);
  const table = [HEADINGS, ...rows, sum];
  const widths = HEADINGS.map((_heading, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  const lines = report.turns.flatMap((turn, at) => [
    line(rows[at] ?? []),
    ...(turn.moved ? [`  ^ ${describeMove(turn.moved)}`] : []),
  ]);
  const said = Object.entries(notes)
    .filter(([, times]) => times > 0)
    .map(([name, times]) => `${name}: ${times}`);
  return [line(HEADINGS), ...lines, line(sum), ...said].join("\n");
};
