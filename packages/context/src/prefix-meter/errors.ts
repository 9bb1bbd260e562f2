import type { MeterReport } from "./report.js";

/** Why the meter refused: a body it cannot read, an option out of range, or nothing to judge. */
export type PrefixMeterErrorCode = "unknown_body" | "invalid_option" | "nothing_measured";

/**
 * The meter was used in a way it cannot answer. A moved prefix is not this error but `PrefixMovedError`.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, PrefixMeterError } from "@fiveseam/context/prefix-meter";
 *
 * try {
 *   createPrefixMeter().record({ prompt: "hello" }, { provider: "openai" });
 * } catch (error) {
 *   if (error instanceof PrefixMeterError) console.log(error.code); // unknown_body
 * }
 * ```
 */
export class PrefixMeterError extends Error {
  override readonly name = "PrefixMeterError";
  readonly code: PrefixMeterErrorCode;

  constructor(code: PrefixMeterErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * A prefix that should have stayed did not. The message names the turn, what moved, who moved it and what that cost;
 * `report` has all of it as data.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, expectStablePrefix, PrefixMovedError } from "@fiveseam/context/prefix-meter";
 *
 * const meter = createPrefixMeter();
 * try {
 *   await expectStablePrefix(async () => meter);
 * } catch (error) {
 *   if (error instanceof PrefixMovedError) console.log(error.report.totals.rebilledTokens);
 * }
 * ```
 */
export class PrefixMovedError extends Error {
  override readonly name = "PrefixMovedError";
  readonly code = "prefix_moved";
  readonly report: MeterReport;

  constructor(message: string, report: MeterReport) {
    super(message);
    this.report = report;
  }
}
