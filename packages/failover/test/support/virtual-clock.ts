import type { Clock } from "@fiveseam/failover";

/** Time that moves when it is told to, or by itself to the next timer. */
export class VirtualClock implements Clock {
  private time: number;
  private readonly timers = new Set<{ at: number; run: () => void }>();
  /** Every pause that was asked for, in milliseconds. */
  readonly pauses: number[] = [];

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  readonly now = (): number => this.time;

  schedule(then: () => void, delayMs: number): () => void {
    const timer = { at: this.time + delayMs, run: then };
    this.pauses.push(delayMs);
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** Moves time, firing what is due in order. */
  advance(byMs: number): void {
    const end = this.time + byMs;
    for (;;) {
      const next = [...this.timers].filter((each) => each.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = end;
  }

  /** Runs `work`, moving to the next timer whenever nothing else happens. */
  async through<Result>(work: Promise<Result>): Promise<Result> {
    let settled = false;
    const watched = work.finally(() => {
      settled = true;
    });
    watched.catch(() => undefined);
    for (let turn = 0; turn < 10_000 && !settled; turn += 1) {
      for (let idle = 0; idle < 20 && !settled; idle += 1) await new Promise((next) => setImmediate(next));
      if (settled) break;
      const next = Math.min(...[...this.timers].map((each) => each.at));
      if (Number.isFinite(next)) this.advance(Math.max(0, next - this.time));
    }
    return watched;
  }
}
