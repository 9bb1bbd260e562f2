import { PrefixMeterError, PrefixMovedError } from "./errors.js";
import { describeMove } from "./format-report.js";
import type { PrefixMeter } from "./meter.js";
import type { MeterReport, MoveCause, TurnReport } from "./report.js";

export interface StablePrefixOptions {
  /**
   * Least share, in each turn, of what could have been reused (`keptShare`: reused ÷ (reused + rebilled)); default 0.97.
   */
  minReusedShare?: number;
  /** Turns at the start of each conversation that are not judged; default 1. */
  warmupTurns?: number;
  /** Causes that are meant: turns moved by one of them are not judged. Default none. */
  allow?: readonly MoveCause[];
}

/** A meter, or what it measured. */
export type Measured = PrefixMeter | MeterReport;

const message = (turn: TurnReport, more: number): string => {
  const { moved } = turn;
  return [
    `The prompt prefix moved in turn ${turn.turn} of conversation "${turn.conversation}": ${
      turn.rebilledTokens
    } tokens were billed again, ${turn.reusedTokens} of ${turn.promptTokens} were reused.`,
    ...(moved
      ? [`  what:   ${describeMove(moved)}`, `  before: ${moved.before}`, `  after:  ${moved.after}`]
      : []),
    ...(more > 0 ? [`  and ${more} more turn(s); see error.report, or print it with formatReport().`] : []),
  ].join("\n");
};

const judge = (measured: Measured, options: StablePrefixOptions): MeterReport => {
  const report = "report" in measured ? measured.report() : measured;
  const { minReusedShare = 0.97, warmupTurns = 1, allow = [] } = options;
  const judged = report.turns.filter(
    ({ turn, moved }) => turn > warmupTurns && !(moved && allow.includes(moved.cause)),
  );
  const failed = judged.filter(({ keptShare }) => keptShare < minReusedShare);
  const [first] = failed;
  if (first) throw new PrefixMovedError(message(first, failed.length - 1), report);
  // A check that has nothing to look at would pass for ever.
  if (!judged.some(({ reusedTokens }) => reusedTokens > 0))
    throw new PrefixMeterError(
      "nothing_measured",
      `None of ${report.turns.length} turn(s) shows that a prefix was reused: send more than ${warmupTurns} request(s) a ` +
        "conversation through the meter, and see that they are marked for the cache and long enough.",
    );
  return report;
};

/**
 * Throws unless every turn after the warm-up reuses what it could. It needs no test framework.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, expectStablePrefix } from "@fiveseam/context/prefix-meter";
 *
 * const conversationOfFiveTurns = async (fetchToUse: typeof fetch): Promise<void> => {};
 *
 * await expectStablePrefix(
 *   async () => {
 *     const meter = createPrefixMeter();
 *     await conversationOfFiveTurns(meter.fetch);
 *     return meter;
 *   },
 *   { allow: ["summary"] },
 * );
 * ```
 *
 * @throws {PrefixMovedError} when a turn billed too much again.
 * @throws {PrefixMeterError} `nothing_measured` when no judged turn reused anything.
 */
export function expectStablePrefix(run: Measured, options?: StablePrefixOptions): MeterReport;
export function expectStablePrefix(
  run: () => Promise<Measured>,
  options?: StablePrefixOptions,
): Promise<MeterReport>;
export function expectStablePrefix(
  run: Measured | (() => Promise<Measured>),
  options: StablePrefixOptions = {},
): MeterReport | Promise<MeterReport> {
  return typeof run === "function" ? run().then((measured) => judge(measured, options)) : judge(run, options);
}
