/** What a run may use up, its delegates included; `false` takes a limit away. */
export interface RunLimits {
  /** Events: the beginning and the end of each step of a graph, model call and tool call. Default 15,000. */
  maxEvents?: number | false;
  /** Tool calls, whatever became of them. Default 2,000. */
  maxToolCalls?: number | false;
  /** Default 60 minutes. */
  maxDurationMs?: number | false;
  /** Tool calls that failed one after the other, with none that succeeded between. Default 50. */
  maxConsecutiveFailures?: number | false;
}

export type RunLimitsInForce = Readonly<Record<keyof RunLimits, number>>;

const DEFAULTS: RunLimitsInForce = {
  maxEvents: 15_000,
  maxToolCalls: 2_000,
  maxDurationMs: 60 * 60_000,
  maxConsecutiveFailures: 50,
};

/** The limits of a run: its own, then the agent's, then the defaults. Infinity where there is none. */
export const limitsInForce = (...given: readonly (RunLimits | undefined)[]): RunLimitsInForce => {
  const limits: Record<keyof RunLimits, number> = { ...DEFAULTS };
  for (const each of given.toReversed()) {
    for (const [name, value] of Object.entries(each ?? {}) as [keyof RunLimits, number | false | undefined][])
      if (value !== undefined) limits[name] = value === false ? Infinity : value;
  }
  return limits;
};

export const RUN_LIMITS: readonly string[] = Object.keys(DEFAULTS);
