import { type Clock, systemClock, tell } from "../clock.js";
import type { FailoverEvent } from "../events.js";
import { ProviderHealth } from "../health/provider-health.js";

/** Settings that both faces of failover share. */
export interface RecoveryOptions {
  /** Shared memory of what failed. Default: one of its own. */
  readonly health?: ProviderHealth;
  /** Told of everything that recovery does. What it throws is ignored. */
  readonly onEvent?: (event: FailoverEvent) => void;
  /** Once output has reached the caller: start the answer again and say so (default), or surface the error. */
  readonly onPartial?: "restart-with-notice" | "fail";
  /** Silence allowed before the first piece of output. Default 120,000; 0 switches it off. */
  readonly firstByteTimeoutMs?: number;
  /** Silence allowed between two pieces. Default 120,000; 0 switches it off. */
  readonly idleTimeoutMs?: number;
  /** How long one call goes on waiting and asking again once everybody failed. Default 5 minutes; 0 never waits. */
  readonly maxWaitMs?: number;
  /** Retries of the same model when the line to it broke. Default 2. */
  readonly networkRetries?: number;
  /** First pause of the exponential backoff. Default 500. */
  readonly backoffBaseMs?: number;
  /** Longest pause of the backoff. Default 30,000. */
  readonly backoffCapMs?: number;
  /** For tests. */
  readonly clock?: Clock;
  /** For tests: a number from 0 up to 1. */
  readonly random?: () => number;
}

/** The same with every default in place. */
export type ResolvedOptions = Required<Omit<RecoveryOptions, "onEvent">> & {
  readonly emit: (event: FailoverEvent) => void;
};

/** Fills in the defaults. */
export const resolveOptions = (options: RecoveryOptions): ResolvedOptions => {
  const clock = options.clock ?? systemClock;
  return {
    health: options.health ?? new ProviderHealth({ now: clock.now }),
    onPartial: options.onPartial ?? "restart-with-notice",
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 120_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    maxWaitMs: options.maxWaitMs ?? 300_000,
    networkRetries: options.networkRetries ?? 2,
    backoffBaseMs: options.backoffBaseMs ?? 500,
    backoffCapMs: options.backoffCapMs ?? 30_000,
    clock,
    random: options.random ?? Math.random,
    emit: (event) => tell(options.onEvent, event),
  };
};
