import type { CallOptions } from "./call-options.js";

/** The time, so that a test can make it. */
export interface Clock {
  /** Milliseconds since 1970. Wall time: it may be set back. */
  now(): number;
  /** Milliseconds since some moment; it never runs backwards. For durations and time limits. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds, or rejects with the reason of the signal. */
  sleep(ms: number, options?: CallOptions): Promise<void>;
}
