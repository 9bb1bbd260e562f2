import {
  failoverMiddleware,
  type FailoverCandidate,
  type FailoverEvent,
  FailoverConfigError,
  FailoverExhaustedError,
  type FailoverMiddlewareOptions,
  failureOf,
  FallbackChatModel,
  identifyModel,
  modelIdentity,
  ModelStalledError,
  ProviderHealth,
} from "@fiveseam/failover";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware } from "langchain";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { brokenLine, httpError, QuietModel, ScriptedModel, type Step } from "./support/scripted-model.js";
import { VirtualClock } from "./support/virtual-clock.js";

const overflow = (): Error => httpError(400, "prompt is too long: 5 tokens > 4 maximum");
const limited = (seconds?: number): Error =>
  httpError(429, "Slow down", seconds === undefined ? {} : { headers: { "retry-after": String(seconds) } });
const overloaded = (): Error => httpError(529, "Overloaded");
const refused = (): Error => httpError(401, "invalid x-api-key");
const never = new Promise<void>(() => undefined);

type Options = Omit<FailoverMiddlewareOptions, "models" | "compact"> & {
  compact?: (messages: readonly BaseMessage[]) => readonly BaseMessage[] | undefined;
};

const setUp = (options: Options = {}) => {
  const clock = new VirtualClock();
  const events: FailoverEvent[] = [];
  const health = options.health ?? new ProviderHealth({ now: clock.now });
  return {
    clock,
    events,
    health,
    types: () => events.map((event) => event.type),
    options: {
      clock,
      health,
      random: () => 0.5,
      onEvent: (event: FailoverEvent) => void events.push(event),
      ...options,
    },
  };
};

describe.each(["FallbackChatModel", "failoverMiddleware"] as const)("recovery of %s", (face) => {
  const caller = (models: FailoverCandidate[], options: Options = {}) => {
    const made = setUp(options);
    const { compact, ...shared } = made.options;
    let invoke: (messages: BaseMessage[], signal?: AbortSignal) => Promise<string>;
    if (face === "FallbackChatModel") {
      const model = new FallbackChatModel({ models, ...shared, ...(compact ? { compact } : {}) });
      invoke = async (messages, signal) => (await model.invoke(messages, signal ? { signal } : {})).text;
    } else {
      const [primary, ...fallbacks] = models;
      const agent = createAgent({
        model: primary as BaseChatModel,
        tools: [],
        middleware: [
          failoverMiddleware({
            models: fallbacks,
            ...shared,
            ...(compact ? { compact: (request) => compact(request.messages) } : {}),
          }),
        ],
      });
      invoke = async (messages, signal) =>
        (await agent.invoke({ messages }, signal ? { signal } : {})).messages.at(-1)?.text ?? "";
    }
    return {
      ...made,
      ask: (signal?: AbortSignal) => made.clock.through(invoke([new HumanMessage("Hi")], signal)),
      error: async (signal?: AbortSignal) => {
        const caught: unknown = await made.clock.through(invoke([new HumanMessage("Hi")], signal)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        // The agent wraps once more, by the name of our middleware.
        return face === "FallbackChatModel" ? caught : ((caught as { cause?: unknown }).cause ?? caught);
      },
    };
  };
  const two = (first: Step[], second: Step[], options: Options = {}) => {
    const models = [new ScriptedModel("first", ...first), new ScriptedModel("second", ...second)] as const;
    return { models, ...caller([...models], options) };
  };

  it("retries a broken line twice, with jittered exponential backoff, and then asks the next", async () => {
    const { ask, events, models } = two([{ error: brokenLine() }], [{ text: "second" }]);
    expect(await ask()).toBe("second");
    expect(models[0].asked).toHaveLength(3);
    expect(events.filter((event) => event.type === "retrying")).toMatchObject([
      { attempt: 1, delayMs: 375 },
      { attempt: 2, delayMs: 750 },
    ]);
  });

  it("stays with the first when a retry helps", async () => {
    const { ask, models, types } = two([{ error: brokenLine() }, { text: "first" }], [{ text: "second" }]);
    expect(await ask()).toBe("first");
    expect(models[1].asked).toHaveLength(0);
    expect(types()).toEqual(["attempt_failed", "retrying", "recovered"]);
  });

  it("retries a line as often as networkRetries says", async () => {
    const { ask, models } = two([{ error: brokenLine() }], [{ text: "second" }], { networkRetries: 0 });
    await ask();
    expect(models[0].asked).toHaveLength(1);
  });

  it("does not retry a certificate that is not trusted", async () => {
    const untrusted = new Error("fetch failed", { cause: { code: "SELF_SIGNED_CERT_IN_CHAIN" } });
    const { ask, models } = two([{ error: untrusted }], [{ text: "second" }]);
    expect(await ask()).toBe("second");
    expect(models[0].asked).toHaveLength(1);
  });

  it("compacts once after an overflow and asks the same model again", async () => {
    const { ask, models, types } = two([{ error: overflow() }, { text: "first" }], [{ text: "second" }], {
      compact: () => [new HumanMessage("Shorter")],
    });
    expect(await ask()).toBe("first");
    expect(models[0].asked.map((messages) => messages.at(-1)?.text)).toEqual(["Hi", "Shorter"]);
    expect(models[1].asked).toHaveLength(0);
    expect(types()).toEqual(["attempt_failed", "compacting", "recovered"]);
  });

  it.each<[string, Options]>([
    ["a second overflow", { compact: () => [new HumanMessage("Shorter")] }],
    ["a compaction that cannot", { compact: () => undefined }],
    ["nobody to compact", {}],
  ])("surfaces an overflow after %s", async (_name, options) => {
    const { error, models } = two([{ error: overflow() }], [{ text: "second" }], options);
    expect(failureOf(await error()).reason).toBe("context_overflow");
    expect(models[1].asked).toHaveLength(0);
  });

  it("goes on with the shortened request when another failure follows", async () => {
    const { ask, models } = two([{ error: overflow() }, { error: overloaded() }], [{ text: "second" }], {
      compact: () => [new HumanMessage("Shorter")],
    });
    expect(await ask()).toBe("second");
    expect(models[1].asked[0]?.at(-1)?.text).toBe("Shorter");
  });

  it("surfaces a bad request and an abort at once", async () => {
    for (const bad of [
      httpError(400, "messages: required"),
      Object.assign(new Error("x"), { name: "AbortError" }),
    ]) {
      const { error, health, models } = two([{ error: bad }], [{ text: "second" }]);
      expect(await error()).toBe(bad);
      expect(models[1].asked).toHaveLength(0);
      expect(health.snapshot().entries).toEqual([]);
    }
  });

  it("surfaces at once what nobody understands where there is no other model, and asks another where there is", async () => {
    const odd = new Error("The flux is inverted.");
    const only = caller([new ScriptedModel("only", { error: odd })]);
    expect(await only.error()).toBe(odd);
    expect(only.types()).toEqual(["attempt_failed"]);
    const { ask } = two([{ error: odd }], [{ text: "second" }]);
    expect(await ask()).toBe("second");
  });

  it("waits for the earliest of Retry-After and backoff, and says so", async () => {
    const { ask, events, models } = two(
      [{ error: limited(40) }, { text: "first" }],
      [{ error: limited(20) }, { text: "second" }],
    );
    expect(await ask()).toBe("second");
    expect(events.filter((event) => event.type === "waiting")).toMatchObject([{ delayMs: 20_000 }]);
    expect(models.map((model) => model.asked.length)).toEqual([1, 2]);
  });

  it("never asks the one that just failed while another is as ready", async () => {
    const { events, ask } = two(
      [{ error: overloaded() }, { error: overloaded() }, { text: "first" }],
      [{ error: overloaded() }, { error: overloaded() }, { text: "second" }],
    );
    await ask();
    const asked = events.flatMap((event) => (event.type === "attempt_failed" ? [event.identity.model] : []));
    expect(asked).toEqual(["first", "second", "first", "second"]);
  });

  it("surfaces when the wait would be longer than maxWaitMs", async () => {
    const { error, types } = two([{ error: limited(40) }], [{ error: limited(50) }], { maxWaitMs: 39_000 });
    expect(FailoverExhaustedError.isInstance(await error())).toBe(true);
    expect(types()).not.toContain("waiting");
  });

  it("gives up after maxWaitMs when everybody goes on failing", async () => {
    const { clock, error } = two([{ error: overloaded() }], [{ error: overloaded() }]);
    const start = clock.now();
    const caught = await error();
    if (!FailoverExhaustedError.isInstance(caught)) throw new Error("Not exhausted", { cause: caught });
    expect(caught.reason).toBe("overloaded");
    expect(caught.attempts.length).toBeGreaterThan(10);
    expect(clock.now() - start).toBeLessThanOrEqual(300_000);
  });

  it("stops waiting when it is aborted, with the abort's reason", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const { clock, error, types } = two([{ error: limited(200) }], [{ error: limited(200) }]);
    clock.schedule(() => abort.abort(reason), 1000);
    const start = clock.now();
    const caught = await error(abort.signal);
    expect([caught, (caught as Error).cause]).toContain(reason);
    expect(types()).toContain("waiting");
    expect(clock.now() - start).toBe(1000);
  });

  it("prefers a healthy model and returns to the primary after its cooldown", async () => {
    const { ask, clock, models } = two([{ error: overloaded() }, { text: "first" }], [{ text: "second" }]);
    expect(await ask()).toBe("second");
    expect(await ask()).toBe("second");
    expect(models[0].asked).toHaveLength(1);
    clock.advance(120_000);
    expect(await ask()).toBe("first");
  });

  it.each([
    ["a refused key", refused()],
    ["an overload", overloaded()],
  ])("does not refuse the only model because it cools after %s", async (_name, failure) => {
    const only = new ScriptedModel("only", { error: failure }, { text: "back" });
    const { ask, clock, error } = caller([only], { maxWaitMs: 0 });
    expect(await error()).toBe(failure);
    const start = clock.now();
    expect(await ask()).toBe("back");
    expect(clock.now()).toBe(start);
  });

  it("waits for the end that the only model stated in an earlier call", async () => {
    const only = new ScriptedModel("only", { error: limited(20) }, { text: "back" });
    const made = setUp({ maxWaitMs: 0 });
    const first = caller([only], { health: made.health, clock: made.clock, maxWaitMs: 0 });
    await first.error();
    const second = caller([only], { health: made.health, clock: made.clock });
    const start = made.clock.now();
    expect(await made.clock.through(second.ask())).toBe("back");
    expect(made.clock.now() - start).toBe(20_000);
    expect(second.types()).toEqual(["waiting"]);
  });

  it("does not keep a second call waiting for the probe of a first", async () => {
    const only = new ScriptedModel(
      "only",
      { error: limited(20) },
      { pieces: [{ pause: never }] },
      { text: "back" },
    );
    const made = caller([only], { maxWaitMs: 0, firstByteTimeoutMs: 0 });
    await made.error();
    made.clock.advance(20_000);
    const probing = new AbortController();
    const first = made.ask(probing.signal).catch((error: unknown) => error);
    const patient = caller([only], { health: made.health, clock: made.clock, firstByteTimeoutMs: 0 });
    const start = made.clock.now();
    expect(await patient.ask()).toBe("back");
    expect(made.clock.now()).toBe(start);
    probing.abort();
    await first;
  });

  it("asks a cooling model when nobody else is left", async () => {
    const { ask, health, models } = two([{ text: "first" }], [{ error: refused() }]);
    health.recordFailure(modelIdentity(models[0]), { reason: "unknown" });
    expect(await ask()).toBe("first");
  });

  it("makes a fallback when it is needed, once, and drops one that cannot be made", async () => {
    let made = 0;
    const missing = new Error("No key");
    const lazy = async (): Promise<ScriptedModel> => {
      made += 1;
      return new ScriptedModel("lazy", { text: "lazy" });
    };
    const broken = async (): Promise<ScriptedModel> => {
      throw missing;
    };
    const primary = new ScriptedModel("first", { text: "first" }, { error: refused() });
    const { ask, events } = caller([primary, { model: broken, modelId: "broken" }, lazy]);
    expect(await ask()).toBe("first");
    expect(made).toBe(0);
    expect(await ask()).toBe("lazy");
    expect(await ask()).toBe("lazy");
    expect(made).toBe(1);
    expect(events.filter((event) => event.type === "candidate_dropped")).toEqual([
      { type: "candidate_dropped", label: "broken", error: missing },
    ]);
  });

  it("measures silence before the first piece and between pieces, and asks the next", async () => {
    for (const [pieces, code, ms] of [
      [[{ pause: never }], "first_byte_timeout", 50],
      [["Half", { pause: never }], "idle_timeout", 70],
    ] as const) {
      const { ask, events } = two([{ pieces }], [{ text: "second" }], {
        firstByteTimeoutMs: 50,
        idleTimeoutMs: 70,
        // Nobody listens to the pieces of FallbackChatModel.invoke(), nor to an agent's that is invoked.
        onPartial: "fail",
      });
      expect(await ask()).toBe("second");
      const failed = events.find((event) => event.type === "attempt_failed");
      expect(failed?.failure.reason).toBe("timeout");
      expect(failed?.error).toBeInstanceOf(ModelStalledError);
      expect(failed?.error).toMatchObject({ code, waitedMs: ms });
    }
  });

  it("does not limit the whole", async () => {
    const clock = new VirtualClock();
    const pause = () => new Promise<void>((resolve) => void clock.schedule(resolve, 60));
    const slow: Step = {
      get pieces() {
        return ["a", "b", "c", "d", "e", "f"].flatMap((text) => [
          {
            get pause() {
              return pause();
            },
          },
          text,
        ]);
      },
    };
    const { ask, types } = caller([new ScriptedModel("slow", slow)], {
      clock,
      firstByteTimeoutMs: 100,
      idleTimeoutMs: 100,
    });
    expect(await clock.through(ask())).toBe("abcdef");
    expect(types()).toEqual([]);
  });

  it("does not time a model that does not stream", async () => {
    const { ask, clock } = caller([new QuietModel("quiet", { text: "quiet" })], { firstByteTimeoutMs: 1 });
    expect(await ask()).toBe("quiet");
    expect(clock.pauses).toEqual([]);
  });

  it("sets no timers with 0", async () => {
    const { ask, clock } = two([{ text: "first" }], [{ text: "second" }], {
      firstByteTimeoutMs: 0,
      idleTimeoutMs: 0,
    });
    await ask();
    expect(clock.pauses).toEqual([]);
  });

  it("survives a listener that throws", async () => {
    const { ask } = two([{ error: overloaded() }], [{ text: "second" }], {
      onEvent: () => {
        throw new Error("listener");
      },
    });
    expect(await ask()).toBe("second");
  });

  it("shows no key in events or health", async () => {
    const models = ["first", "second"].map((model) => ({
      model: new ScriptedModel(model, { error: refused() }),
      credential: `sk-secret-${model}`,
    }));
    const { error, events, health } = caller(
      face === "FallbackChatModel" ? models : [models[0]!.model, models[1]!],
    );
    const caught = await error();
    expect(FailoverExhaustedError.isInstance(caught)).toBe(true);
    const shown =
      inspect([events, health.snapshot(), caught], { depth: 20 }) + JSON.stringify([events, caught]);
    expect(shown).toContain("fp_");
    expect(shown).not.toContain("sk-secret");
  });

  it("notes on an answer of a fallback who gave it", async () => {
    const models = [
      new ScriptedModel("first", { error: overloaded() }),
      identifyModel(new ScriptedModel("second", { text: "second" }), { provider: "glm", model: "glm-4.6" }),
    ];
    let last: BaseMessage | undefined;
    if (face === "FallbackChatModel") last = await new FallbackChatModel({ models }).invoke("Hi");
    else {
      const agent = createAgent({
        model: models[0] as BaseChatModel,
        tools: [],
        middleware: [failoverMiddleware({ models: models.slice(1) })],
      });
      last = (await agent.invoke({ messages: "Hi" })).messages.at(-1);
    }
    expect(last?.response_metadata).toMatchObject({ fiveseam_served_by: "glm" });
  });

  it("does not change the messages that it was given", async () => {
    const foreign = new AIMessage({
      content: [
        { type: "thinking", thinking: "Hm", signature: "s" },
        { type: "text", text: "Yes" },
      ],
      response_metadata: { model_provider: "anthropic" },
      id: "msg_1",
    });
    const before = JSON.stringify(foreign);
    const { models } = two([{ error: overloaded() }], [{ text: "second" }]);
    if (face === "FallbackChatModel")
      await new FallbackChatModel({ models: [...models] }).invoke([
        new HumanMessage("Hi"),
        foreign,
        new HumanMessage("?"),
      ]);
    else
      await createAgent({
        model: models[0],
        tools: [],
        middleware: [failoverMiddleware({ models: [models[1]] })],
      }).invoke({
        messages: [new HumanMessage("Hi"), foreign, new HumanMessage("?")],
      });
    expect(JSON.stringify(foreign)).toBe(before);
    expect(models[1].asked[0]?.[1]?.content).toBe("Yes");
  });
});

describe("failoverMiddleware", () => {
  it("lets LangGraph's control flow through untouched", async () => {
    const interrupt = Object.assign(new Error("interrupt"), { is_bubble_up: true, name: "GraphInterrupt" });
    const inner = createMiddleware({
      name: "Inner",
      wrapModelCall: () => {
        throw interrupt;
      },
    });
    const second = new ScriptedModel("second", { text: "second" });
    const { events, options } = setUp();
    const agent = createAgent({
      model: new ScriptedModel("first", { text: "first" }),
      tools: [],
      middleware: [failoverMiddleware({ models: [second], ...(options as object) }), inner],
    });
    await agent.invoke({ messages: "Hi" }).catch((error: unknown) => error);
    expect(events).toEqual([]);
    expect(second.asked).toHaveLength(0);
  });

  it("unwraps what inner middleware wrapped", async () => {
    const passing = (name: string) =>
      createMiddleware({ name, wrapModelCall: (request, handler) => handler(request) });
    const { events, options } = setUp();
    const failure = limited(7);
    const agent = createAgent({
      model: new ScriptedModel("first", { error: failure }),
      tools: [],
      middleware: [
        failoverMiddleware({
          models: [new ScriptedModel("second", { text: "second" })],
          ...(options as object),
        }),
        passing("One"),
        passing("Two"),
      ],
    });
    await agent.invoke({ messages: "Hi" });
    expect(events[0]).toMatchObject({
      type: "attempt_failed",
      error: failure,
      failure: { retryAfterMs: 7000 },
    });
  });

  it("surfaces what is wrong in other middleware, and blames no model for it", async () => {
    const bug = new TypeError("Cannot read properties of undefined");
    const inner = createMiddleware({
      name: "Inner",
      wrapModelCall: async (request, handler) => {
        await handler(request);
        throw bug;
      },
    });
    const second = new ScriptedModel("second", { text: "second" });
    const { events, health, options } = setUp();
    const agent = createAgent({
      model: new ScriptedModel("first", { text: "first" }),
      tools: [],
      middleware: [failoverMiddleware({ models: [second], ...(options as object) }), inner],
    });
    await expect(agent.invoke({ messages: "Hi" })).rejects.toThrow(bug.message);
    expect(second.asked).toHaveLength(0);
    expect(events).toEqual([]);
    expect(health.snapshot().entries).toEqual([]);
  });

  it("helps a model that inner middleware chose by itself", async () => {
    let asked = 0;
    const health = new ProviderHealth();
    const inner = createMiddleware({
      name: "Inner",
      wrapModelCall: (request, handler) =>
        handler(
          (asked += 1) === 1
            ? { ...request, model: new ScriptedModel("own", { error: limited() }) }
            : request,
        ),
    });
    const agent = createAgent({
      model: new ScriptedModel("first", { text: "first" }),
      tools: [],
      middleware: [
        failoverMiddleware({ models: [new ScriptedModel("second", { text: "second" })], health }),
        inner,
      ],
    });
    expect((await agent.invoke({ messages: "Hi" })).messages.at(-1)?.text).toBe("second");
    expect(health.snapshot().entries).toEqual([]);
  });

  it("calls each model as itself: name, profile, class, private fields and identity", async () => {
    const seen: unknown[] = [];
    const inner = createMiddleware({
      name: "Inner",
      wrapModelCall: (request, handler) => {
        const model = request.model as BaseChatModel;
        seen.push([
          model.getName(),
          model.profile,
          model instanceof ScriptedModel,
          model._llmType(),
          modelIdentity(model).model,
        ]);
        return handler(request);
      },
    });
    const second = identifyModel(new ScriptedModel("second", { text: "second" }), {
      provider: "p",
      model: "named",
    });
    const agent = createAgent({
      model: new ScriptedModel("first", { error: overloaded() }),
      tools: [],
      middleware: [failoverMiddleware({ models: [second] }), inner],
    });
    await agent.invoke({ messages: "Hi" });
    expect(seen).toEqual([
      ["Chatown", { maxInputTokens: 3 }, true, "scripted", "first"],
      ["Chatown", { maxInputTokens: 3 }, true, "scripted", "named"],
    ]);
  });

  it("throws when the primary cannot be called, and refuses what is no list", () => {
    expect(() => failoverMiddleware({ models: "openai" as never })).toThrow(FailoverConfigError);
    expect(() => failoverMiddleware({ models: [{ model: 3 } as never] })).toThrow("models[0]");
  });
});

describe("FallbackChatModel", () => {
  it("refuses an empty list", () => {
    expect(() => new FallbackChatModel({ models: [] })).toThrow("at least one model");
  });

  it("throws what the primary's factory throws", async () => {
    const missing = new Error("No key for the primary");
    const model = new FallbackChatModel({
      models: [() => Promise.reject(missing), new ScriptedModel("second", { text: "second" })],
    });
    await expect(model.invoke("Hi")).rejects.toBe(missing);
  });

  it("notes who answered once in a stream, however many pieces there are", async () => {
    const second = new ScriptedModel("second", { pieces: ["a", "b", "c"] });
    const models = [new ScriptedModel("first", { error: overloaded() }), second];
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await new FallbackChatModel({ models }).stream("Hi"))
      whole = whole ? whole.concat(chunk) : chunk;
    expect(whole?.response_metadata).toMatchObject({ fiveseam_served_by: "own" });
    expect(whole?.text).toBe("abc");
  });

  it("has the primary's profile", () => {
    const model = new FallbackChatModel({ models: [new ScriptedModel("first", { text: "x" })] });
    expect(model.profile).toEqual({ maxInputTokens: 3 });
  });
});
