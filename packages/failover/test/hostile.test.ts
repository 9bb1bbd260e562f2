import {
  classifyFailure,
  failureOf,
  FallbackChatModel,
  type FailoverEvent,
  modelIdentity,
  ProviderHealth,
} from "@fiveseam/failover";
import { HumanMessage } from "@langchain/core/messages";
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { brokenLine, httpError, ScriptedModel, type Step } from "./support/scripted-model.js";
import { VirtualClock } from "./support/virtual-clock.js";

const ask = (model: FallbackChatModel, signal?: AbortSignal) =>
  model.invoke([new HumanMessage("Hi")], signal ? { signal } : {});

const two = (first: Step[], second: Step[], more: object = {}) => {
  const clock = new VirtualClock();
  const events: FailoverEvent[] = [];
  const models = [new ScriptedModel("first", ...first), new ScriptedModel("second", ...second)] as const;
  const model = new FallbackChatModel({
    models: [...models],
    clock,
    health: new ProviderHealth({ now: clock.now }),
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    ...more,
  });
  return { clock, events, models, model };
};

describe("what providers, callers and clocks may do to a call", () => {
  it("a broken line with a long stated wait is not waited for while another model is healthy", async () => {
    const page = httpError(403, "<html><title>Just a moment...</title></html>", {
      headers: { "retry-after": "240" },
    });
    const { clock, model, models } = two([{ error: page }], [{ text: "second" }]);
    const before = clock.now();
    expect((await clock.through(ask(model))).text).toBe("second");
    expect(clock.now() - before).toBeLessThan(1_000);
    expect(models[0].asked).toHaveLength(1);
  });

  it("what nobody understands is asked of each model once, however long there would be to wait", async () => {
    const odd = (): Error => new Error("The flux is inverted.");
    const { clock, model, models } = two([{ error: odd() }], [{ error: odd() }]);
    await expect(clock.through(ask(model))).rejects.toMatchObject({ name: "FailoverExhaustedError" });
    expect(models.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  it("an answer that cannot be parsed as asked is nobody's failure", () => {
    const error = Object.assign(new Error("Failed to parse. Error: Unexpected end of JSON input"), {
      name: "OutputParserException",
      lc_error_code: "OUTPUT_PARSING_FAILURE",
    });
    expect(classifyFailure(error, { origin: "model" })).toMatchObject({ recovery: "none" });
  });

  it("an abort is heard while a fallback is being made, and while something is shortened", async () => {
    for (const more of [
      {
        models: [
          new ScriptedModel("first", { error: httpError(529, "x") }),
          () => new Promise(() => undefined),
        ],
      },
      {
        models: [
          new ScriptedModel("first", { error: httpError(400, "prompt is too long: 5 tokens > 4 maximum") }),
        ],
        compact: () => new Promise(() => undefined),
      },
    ]) {
      const { model } = two([], [], more);
      const controller = new AbortController();
      const asking = ask(model, controller.signal);
      setTimeout(() => controller.abort(new Error("enough")), 20);
      await expect(asking).rejects.toThrow("enough");
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    }
  });

  it("a shortening that fails leaves the provider's own words", async () => {
    const tooLong = httpError(400, "prompt is too long: 5 tokens > 4 maximum");
    const { model } = two([{ error: tooLong }], [{ text: "x" }], {
      compact: () => Promise.reject(new Error("the summary failed")),
    });
    await expect(ask(model)).rejects.toBe(tooLong);
  });

  it("a listener that rejects costs nothing", async () => {
    const failing = (): Promise<never> => Promise.reject(new Error("the listener's own"));
    const { clock, model } = two([{ error: brokenLine() }], [{ text: "second" }], {
      onEvent: failing,
      health: new ProviderHealth({ onEvent: failing as never }),
    });
    expect((await clock.through(ask(model))).text).toBe("second");
    await new Promise((next) => setImmediate(next));
  });

  it("two routes of one gateway, and two models that say nothing of themselves, are two", () => {
    const at = (path: string) =>
      modelIdentity({ model: "m", clientConfig: { baseURL: `https://gate.example${path}` } });
    expect(at("/a/v1")).not.toEqual(at("/b/v1"));
    const [one, other] = [{}, {}];
    expect(modelIdentity(one)).toEqual(modelIdentity(one));
    expect(modelIdentity(one)).not.toEqual(modelIdentity(other));
  });

  it("Retry-After of nothing, or of the past, cools as long as none at all", () => {
    const clock = new VirtualClock();
    const health = new ProviderHealth({ now: clock.now });
    const who = { provider: "p", model: "m" };
    health.recordFailure(who, { reason: "rate_limit", retryAfterMs: 0 });
    expect(health.availability(who).state).toBe("cooling");
  });

  it("fifty failures side by side count once, also within one millisecond", () => {
    const clock = new VirtualClock();
    const health = new ProviderHealth({ now: clock.now });
    const who = { provider: "p", model: "m" };
    const tickets = Array.from({ length: 50 }, () => health.begin(who, { force: true }));
    for (const ticket of tickets) ticket?.failure({ reason: "overloaded" });
    expect(health.availability(who).consecutiveFailures).toBe(1);
  });

  it("nothing that is thrown or passed makes the classifier throw", () => {
    const trap = (): never => {
      throw new Error("trap");
    };
    const proxy = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });
    const getter = Object.defineProperty(new Error("x"), "cause", { get: trap });
    for (const options of [null, { now: trap }, { now: Number.NaN }, { provider: proxy }, proxy]) {
      const failure = classifyFailure(
        httpError(429, "x", { headers: { "retry-after": "3" } }),
        options as never,
      );
      expect(failure).toMatchObject({ reason: "rate_limit", retryAfterMs: 3_000 });
    }
    expect(failureOf(proxy).reason).toBe("unknown");
    expect(failureOf(getter).reason).toBe("unknown");
  });

  it("a thrown proxy does not keep the fallback from being asked", async () => {
    const trap = (): never => {
      throw new Error("trap");
    };
    const { clock, model } = two([{ error: new Proxy({}, { get: trap }) }], [{ text: "second" }]);
    expect((await clock.through(ask(model))).text).toBe("second");
  });
});
