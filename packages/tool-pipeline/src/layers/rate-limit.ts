import type { Layer } from "../call.js";
import { withoutResult } from "../outcomes.js";

export interface RateLimitOptions {
  /** Calls in any minute by an agent and its delegates on one thread; default 600. */
  perMinute?: number;
  /** The same for one tool; default 200. */
  perToolPerMinute?: number;
  /** Milliseconds from any start, never going back; default `performance.now()`. */
  nowMs?: () => number;
}

const WINDOW_MS = 60_000;
const MAX_THREADS = 500;

/** The times of the last calls, in a ring as long as the limit, so that a look costs the same however many there were. */
class Window {
  readonly #times: number[] = [];
  #oldest = 0;

  constructor(readonly limit: number) {}

  /** Milliseconds until one more call fits; 0 when it fits now. */
  waitMs(now: number): number {
    if (this.#times.length < this.limit) return 0;
    return Math.max(0, (this.#times[this.#oldest] ?? -Infinity) + WINDOW_MS - now);
  }

  add(now: number): void {
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.limit;
  }
}

interface Windows {
  readonly all: Window;
  readonly tools: Map<string, Window>;
}

/**
 * The layer that refuses the 601st call in a minute, and the 201st of one tool, with a result that the model reads. It
 * counts what reaches it: retries count, cached answers and denied calls do not. Agents on one thread share the count. Per
 * process.
 */
export const rateLimit = (options: RateLimitOptions = {}): Layer => {
  const { perMinute = 600, perToolPerMinute = 200, nowMs = () => performance.now() } = options;
  for (const [name, limit] of Object.entries({ perMinute, perToolPerMinute })) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`${name} must be a whole number from 1 on.`);
  }
  const threads = new Map<string, Windows>();

  const windowsOf = (threadId: string): Windows => {
    const windows = threads.get(threadId) ?? { all: new Window(perMinute), tools: new Map<string, Window>() };
    // The least recently used thread goes first; one that is forgotten while it is busy starts counting anew.
    threads.delete(threadId);
    threads.set(threadId, windows);
    if (threads.size > MAX_THREADS) threads.delete(threads.keys().next().value as string);
    return windows;
  };

  return {
    name: "rate-limit",
    handle(call, next) {
      const now = nowMs();
      const { all, tools } = windowsOf(call.threadId ?? "");
      const own = tools.get(call.toolName) ?? new Window(perToolPerMinute);
      tools.set(call.toolName, own);
      const wait = Math.max(all.waitMs(now), own.waitMs(now));
      if (wait > 0) {
        const which =
          all.waitMs(now) > 0 ? `${perMinute} tool calls` : `${perToolPerMinute} calls of ${call.toolName}`;
        const refusal = withoutResult(
          call,
          `This call was not carried out: there were ${which} in the last minute, which is the limit. It is open again ` +
            `in ${Math.ceil(wait / 1000)} s. Use what you have, or do it with fewer calls.`,
          "limited",
        );
        return Promise.resolve(refusal);
      }
      all.add(now);
      own.add(now);
      return next(call);
    },
  };
};
