import { GraphInterrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  createPipeline,
  isTransient,
  NotStartedError,
  recovery,
  reportedOutcomes,
  reportOutcome,
  type PipelineCall,
  type RecoveryOptions,
} from "../src/index.js";
import { callOf, says, textOf } from "./support.js";

const READS = { effects: ["fs.read"] as const };

describe("recovery", () => {
  const attempts = async (
    error: unknown,
    given: Partial<PipelineCall> = { declaration: READS },
    options: RecoveryOptions = {},
  ) => {
    const waits: number[] = [];
    let ran = 0;
    const pipeline = createPipeline({
      layers: [recovery({ random: () => 1, sleep: async (delayMs) => void waits.push(delayMs), ...options })],
    });
    await pipeline
      .run(callOf(given), () => ((ran += 1), Promise.reject(error as Error)))
      .catch(() => undefined);
    return { ran, waits };
  };
  const busy = Object.assign(new Error("x"), { code: "EBUSY" });

  it("repeats a transient failure twice with growing waits, and lets the last error through", async () => {
    expect(await attempts(busy)).toEqual({ ran: 3, waits: [250, 500] });
    expect(await attempts(new Error("outer", { cause: { status: 503 } }))).toMatchObject({ ran: 3 });
    const options = { retries: 5, baseDelayMs: 100, maxDelayMs: 300, random: () => 0 };
    expect(await attempts(busy, undefined, options)).toEqual({ ran: 6, waits: [50, 100, 150, 150, 150] });
  });

  it("goes by what an error states, not by its text, and repeats nothing else", async () => {
    for (const error of [
      new Error("line 503: authentication timeout, rate limit, overloaded"),
      Object.assign(new Error("x"), { code: "ENOENT" }),
      { status: 500 },
      { status: "503" },
      undefined,
      "ECONNRESET",
      new GraphInterrupt([]),
    ]) {
      expect(isTransient(error)).toBe(false);
      expect(await attempts(error)).toMatchObject({ ran: 1 });
    }
    expect(await attempts(busy, { declaration: READS, signal: AbortSignal.abort() })).toMatchObject({
      ran: 1,
    });
  });

  it("never repeats a tool that is not idempotent, unless it never started", async () => {
    for (const effect of ["exec", "fs.write", "net"] as const) {
      const declaration = { effects: [effect] };
      expect(await attempts(busy, { declaration })).toMatchObject({ ran: 1 });
      expect(
        await attempts(new Error("x", { cause: new NotStartedError("no connection") }), { declaration }),
      ).toMatchObject({
        ran: 3,
      });
      expect(await attempts(busy, { declaration: { ...declaration, idempotent: true } })).toMatchObject({
        ran: 3,
      });
    }
  });

  it("repeats a failure that a backend reported as transient, and gives up waiting when the run is aborted", async () => {
    let ran = 0;
    const pipeline = createPipeline({ layers: [recovery({ baseDelayMs: 1 }), reportedOutcomes()] });
    const result = await pipeline.run(callOf({ declaration: READS }), (call) => {
      ran += 1;
      reportOutcome(ran < 3 ? { ok: false, kind: "busy", transient: true } : { ok: true });
      return says(`try ${ran}`)(call);
    });
    expect(textOf(result)).toBe("try 3");
    const controller = new AbortController();
    const slow = createPipeline({ layers: [recovery({ baseDelayMs: 60_000 })] });
    const running = slow.run(callOf({ declaration: READS, signal: controller.signal }), () =>
      Promise.reject(busy),
    );
    setTimeout(() => controller.abort(new Error("stopped")), 10);
    await expect(running).rejects.toThrow("stopped");
  });
});
