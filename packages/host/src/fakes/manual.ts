import type { Clock } from "../clock.js";
import type { Ids } from "../ids.js";
import type { LogFields, Logger, LogLevel } from "../logger.js";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves on, and ends the sleeps that are over by then, in their order. */
  advance(ms: number): Promise<void>;
}

/**
 * @example
 * ```ts
 * import { createManualClock } from "@fiveseam/host";
 *
 * const clock = createManualClock();
 * const slept = clock.sleep(60_000);
 * await clock.advance(60_000);
 * await slept;
 * ```
 */
export const createManualClock = (startMs = 0): ManualClock => {
  let nowMs = startMs;
  const sleepers = new Set<{ dueMs: number; wake: () => void }>();
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep: (ms, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        if (signal?.aborted) return reject(signal.reason as Error);
        if (ms <= 0) return resolve();
        const abort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper = {
          dueMs: nowMs + ms,
          wake: () => {
            signal?.removeEventListener("abort", abort);
            resolve();
          },
        };
        signal?.addEventListener("abort", abort, { once: true });
        sleepers.add(sleeper);
      }),
    async advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const next = [...sleepers].sort((a, b) => a.dueMs - b.dueMs)[0];
        if (!next || next.dueMs > endMs) break;
        nowMs = next.dueMs;
        sleepers.delete(next);
        next.wake();
        // What was woken may sleep again within the time that is left.
        await new Promise((resolve) => setImmediate(resolve));
      }
      nowMs = endMs;
    },
  };
};

/** `1`, `2`, `3`, … behind the prefix. */
export const createSequentialIds = (): Ids => {
  let last = 0;
  return {
    next: (prefix = "") => {
      last += 1;
      return `${prefix}${last}`;
    },
  };
};

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that remembers. */
export const createMemoryLogger = (): Logger & { readonly entries: readonly LogEntry[] } => {
  const entries: LogEntry[] = [];
  return { entries, log: (level, message, fields = {}) => void entries.push({ level, message, fields }) };
};
