/** Hands values from a producer that does not wait to one consumer that does. */
export class EventQueue<T> {
  readonly #values: T[] = [];
  #wake: (() => void) | undefined;
  #end: { error?: unknown } | undefined;

  push(value: T): void {
    if (this.#end) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** No more values; with an error, the consumer gets it after the values that came before. */
  close(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<T, void, void> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift() as T;
      if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
