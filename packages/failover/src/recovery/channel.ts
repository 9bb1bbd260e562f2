/** Hands values from one task to another; `push` waits until its value was taken, so that neither runs ahead. */
export class Channel<Value> {
  private waiting: ((step: IteratorResult<Value, undefined>) => void) | undefined;
  private fail: ((error: unknown) => void) | undefined;
  private queued: { value: Value; taken: () => void } | undefined;
  private end: { error?: unknown; failed: boolean } | undefined;

  push(value: Value): Promise<void> {
    if (this.end) return Promise.resolve();
    if (this.waiting) {
      const give = this.waiting;
      this.waiting = undefined;
      give({ value, done: false });
      return Promise.resolve();
    }
    return new Promise((taken) => {
      this.queued = { value, taken };
    });
  }

  close(): void {
    this.end ??= { failed: false };
    this.waiting?.({ value: undefined, done: true });
    this.waiting = undefined;
  }

  throw(error: unknown): void {
    this.end ??= { error, failed: true };
    this.fail?.(error);
    this.waiting = undefined;
    this.fail = undefined;
  }

  /** Lets a writer go on whose reader went away. */
  abandon(): void {
    this.end ??= { failed: false };
    this.queued?.taken();
    this.queued = undefined;
  }

  next(): Promise<IteratorResult<Value, undefined>> {
    if (this.queued) {
      const { value, taken } = this.queued;
      this.queued = undefined;
      taken();
      return Promise.resolve({ value, done: false });
    }
    if (this.end)
      return this.end.failed
        ? Promise.reject(this.end.error)
        : Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.waiting = resolve;
      this.fail = reject;
    });
  }
}
