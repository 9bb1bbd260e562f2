/** Lets a number of holders go on at a time for each key, in the order in which they asked. */
export class Slots {
  readonly #limit: number;
  readonly #held = new Map<string, { count: number; waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves to what gives the slot back. Rejects with the signal's reason when it is aborted before. */
  async take(key: string, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const line = this.#held.get(key) ?? { count: 0, waiting: [] };
    this.#held.set(key, line);
    if (line.count < this.#limit) line.count += 1;
    else await this.#turn(line.waiting, signal);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = line.waiting.shift();
      // The slot is handed on, so that nobody who asks meanwhile gets ahead.
      if (next) return next();
      line.count -= 1;
      if (line.count === 0) this.#held.delete(key);
    };
  }

  #turn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const stop = (): void => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(go);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }
}
