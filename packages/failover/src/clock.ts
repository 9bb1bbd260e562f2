/** Time, as everything here sees it: tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch, which never go back: durations are measured with it. */
  now(): number;
  /** What the calendar says, for the dates in providers' headers. Default: `now`. */
  wall?(): number;
  /** Calls `then` after `delayMs`; the answer takes it back. */
  schedule(then: () => void, delayMs: number): () => void;
}

/** The longest delay that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  // Not Date.now(): somebody may set the clock in the middle of a wait.
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
  schedule: (then, delayMs) => {
    const timer = setTimeout(then, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** What an aborted signal means as an error: its reason, or the usual one. */
export const abortErrorOf = (signal: AbortSignal): unknown =>
  signal.reason ?? new DOMException("This operation was aborted", "AbortError");

/** Waits; rejects with the signal's reason as soon as it aborts. */
export const sleep = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortErrorOf(signal));
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal ? abortErrorOf(signal) : undefined);
    };
    const cancel = clock.schedule(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });

/** The wait before retry `attempt` (1, 2, …): it doubles, and a random half of it keeps callers apart. */
export const backoffMs = (
  attempt: number,
  options: { baseMs: number; capMs: number; random: () => number },
): number => {
  const full = Math.min(options.capMs, options.baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(full / 2 + (full / 2) * options.random());
};

/** The promise, or the abort if that comes first. */
export const heeding = async <Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  if (!signal) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortErrorOf(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  // Whichever loses the race has nobody else to hear of it.
  aborted.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
};

/** Calls a listener; neither what it throws nor what it rejects with may cost anything. */
export const tell = <Event>(listener: ((event: Event) => unknown) | undefined, event: Event): void => {
  try {
    const result = listener?.(event);
    if (typeof (result as Promise<unknown> | undefined)?.then === "function")
      (result as Promise<unknown>).then(undefined, () => undefined);
  } catch {
    // Stated where listeners are given.
  }
};
