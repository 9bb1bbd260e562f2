import { ProviderHealth } from "@fiveseam/failover";
import { describe, expect, it } from "vitest";
import { createVirtualClock } from "@fiveseam/testing";

describe("a virtual clock", () => {
  it("stands still until it is told to go on", async () => {
    const clock = createVirtualClock({ startMs: 1_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([clock.nowMs(), clock.elapsedMs()]).toEqual([1_000, 0]);
    await clock.advance(250);
    expect([clock.nowMs(), clock.elapsedMs()]).toEqual([1_250, 250]);
    expect(createVirtualClock().nowMs()).toBe(Date.UTC(2026, 0, 1));
  });

  it("runs what falls due in order, each at its own time", async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name} at ${clock.nowMs()}`);
    clock.setTimeout(note("late"), 300);
    clock.setTimeout(note("early"), 100);
    clock.setTimeout(note("early too"), 100);
    clock.setTimeout(note("never"), 301);
    await clock.advance(300);
    expect(seen).toEqual(["early at 100", "early too at 100", "late at 300"]);
    expect(clock.pending).toBe(1);
  });

  it("lets promises go on between timers, so that a loop of sleeps takes its steps", async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) {
        await clock.sleep(10);
        for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
        seen.push(clock.nowMs());
      }
    };
    const done = loop();
    await clock.advance(50);
    await done;
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });

  it("rejects a sleep with the signal's reason, before and while it waits", async () => {
    const clock = createVirtualClock();
    const reason = new Error("stop");
    await expect(clock.sleep(10, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = clock.sleep(10, { signal: controller.signal });
    expect(clock.pending).toBe(1);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it("forgets a timer that is cleared, also by one that runs before it", async () => {
    const clock = createVirtualClock();
    const seen: string[] = [];
    const second = clock.setTimeout(() => seen.push("second"), 20);
    clock.setTimeout(() => clock.clearTimeout(second), 10);
    clock.clearTimeout(undefined);
    await clock.advance(100);
    expect(seen).toEqual([]);
  });

  it("goes from timer to timer", async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const sleeping = clock.sleep(3_600_000).then(() => clock.nowMs());
    expect(await clock.advanceToNext()).toBe(true);
    expect(await sleeping).toBe(3_600_000);
    expect(await clock.advanceToNext()).toBe(false);
  });

  it("does not go back", async () => {
    await expect(createVirtualClock().advance(-1)).rejects.toThrow(RangeError);
    await expect(createVirtualClock().advance(Number.NaN)).rejects.toThrow(RangeError);
  });
});

it("is the clock of a package that takes one: a provider's cooldown ends when it is told to", async () => {
  const clock = createVirtualClock();
  const health = new ProviderHealth({ now: clock.nowMs });
  const model = { provider: "openai", model: "gpt-4.1" };
  health.recordFailure(model, { reason: "billing" });
  await clock.advance(1_799_999);
  expect(health.availability(model).state).toBe("cooling");
  await clock.advance(1);
  expect(health.availability(model).state).toBe("half_open");
});
