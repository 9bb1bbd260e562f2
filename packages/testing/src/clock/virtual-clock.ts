export interface VirtualClockOptions {
  /** What `nowMs` says at first, in milliseconds since 1970; default 2026-01-01T00:00:00Z. */
  startMs?: number;
}

/** A timer of a virtual clock. */
export type VirtualTimer = { readonly id: number };

/** A clock that stands still until it is told to go on. It replaces nothing global: give its methods to what takes a clock. */
export interface VirtualClock {
  /** Milliseconds since 1970. Bound: pass it as it is. */
  readonly nowMs: () => number;
  /** Milliseconds since the clock was made. */
  readonly elapsedMs: () => number;
  /** Resolves when the clock has gone on by `ms`; rejects with the signal's reason. */
  readonly sleep: (ms: number, options?: { signal?: AbortSignal | undefined }) => Promise<void>;
  readonly setTimeout: (callback: () => void, ms?: number) => VirtualTimer;
  readonly clearTimeout: (timer: VirtualTimer | undefined) => void;
  /** Goes on by `ms`, running what falls due in order, with time for promises between. */
  readonly advance: (ms: number) => Promise<void>;
  /** Goes on to the next timer and runs it; false when there is none. */
  readonly advanceToNext: () => Promise<boolean>;
  /** Timers and sleeps that wait. */
  readonly pending: number;
}

interface Waiting {
  readonly timer: VirtualTimer;
  readonly dueMs: number;
  readonly run: () => void;
}

/** Lets everything that is ready run: a chain of promises is longer than one turn of the microtasks. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((next) => setImmediate(next));
};

/**
 * A clock for tests of waits, time limits and cooldowns. Unlike fake timers it changes nothing global, so that servers
 * and clients in the same test keep real time.
 *
 * @example
 * ```ts
 * import { createVirtualClock } from "@fiveseam/testing";
 *
 * const clock = createVirtualClock({ startMs: 0 });
 * const done = clock.sleep(60_000).then(() => clock.nowMs());
 * await clock.advance(60_000);
 * console.log(await done, clock.pending); // 60000 0
 * ```
 */
export const createVirtualClock = ({
  startMs = Date.UTC(2026, 0, 1),
}: VirtualClockOptions = {}): VirtualClock => {
  let nowMs = startMs;
  let made = 0;
  const waiting = new Map<number, Waiting>();

  const add = (run: () => void, ms: number): VirtualTimer => {
    made += 1;
    const timer = { id: made };
    waiting.set(made, { timer, dueMs: nowMs + Math.max(0, ms || 0), run });
    return timer;
  };
  const remove = (timer: VirtualTimer | undefined): void => {
    if (timer) waiting.delete(timer.id);
  };
  /** Of those due at one moment the first that was made: a Map keeps that order. */
  const next = (): Waiting | undefined =>
    [...waiting.values()].reduce<Waiting | undefined>(
      (first, each) => (first && first.dueMs <= each.dueMs ? first : each),
      undefined,
    );
  const runNext = async (each: Waiting): Promise<void> => {
    nowMs = Math.max(nowMs, each.dueMs);
    remove(each.timer);
    each.run();
    await settle();
  };

  return {
    nowMs: () => nowMs,
    elapsedMs: () => nowMs - startMs,
    setTimeout: (callback, ms = 0) => add(callback, ms),
    clearTimeout: remove,
    sleep: (ms, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const stop = (): void => {
          remove(timer);
          reject(signal?.reason as Error);
        };
        const timer = add(() => {
          signal?.removeEventListener("abort", stop);
          resolve();
        }, ms);
        signal?.addEventListener("abort", stop, { once: true });
      }),
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`A clock goes forward: ${ms} is not a number of milliseconds.`);
      const untilMs = nowMs + ms;
      // What was started just now may be about to set its first timer.
      await settle();
      for (let each = next(); each && each.dueMs <= untilMs; each = next()) await runNext(each);
      nowMs = Math.max(nowMs, untilMs);
    },
    async advanceToNext() {
      await settle();
      const each = next();
      if (!each) return false;
      await runNext(each);
      return true;
    },
    get pending() {
      return waiting.size;
    },
  };
};
