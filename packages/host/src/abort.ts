const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal is aborted; the returned function takes that back. All callbacks of one signal share
 * one listener, since Node warns on standard error when a signal has more than ten and many commands may share a run's.
 */
export const onAbort = (signal: AbortSignal | undefined, callback: () => void): (() => void) => {
  if (!signal) return () => {};
  let callbacks = listeners.get(signal);
  if (!callbacks) {
    const all = new Set<() => void>();
    callbacks = all;
    listeners.set(signal, all);
    signal.addEventListener("abort", () => all.forEach((each) => each()), { once: true });
  }
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
};

/**
 * Settles as `work` does, or rejects with the signal's reason at once: for work that only foreign events end, which may
 * never come. What `work` does later is not heard.
 */
export const orAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal?.reason as Error);
    if (signal?.aborted) giveUp();
    const forget = onAbort(signal, giveUp);
    work.then(resolve, reject).finally(forget);
  });
