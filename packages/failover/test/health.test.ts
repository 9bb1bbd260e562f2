import {
  credentialFingerprint,
  DEFAULT_COOLDOWNS_MS,
  type HealthEvent,
  HealthSnapshotError,
  type ModelIdentity,
  ProviderHealth,
} from "@fiveseam/failover";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "./support/virtual-clock.js";

const sonnet: ModelIdentity = { provider: "anthropic", model: "claude-sonnet-4-6", credential: "sk-ant-one" };
const haiku: ModelIdentity = { ...sonnet, model: "claude-haiku-4-5" };

const setUp = (options: ConstructorParameters<typeof ProviderHealth>[0] = {}) => {
  const clock = new VirtualClock(1_000_000);
  const events: HealthEvent[] = [];
  const health = new ProviderHealth({ now: clock.now, onEvent: (event) => events.push(event), ...options });
  const left = (identity: ModelIdentity): number => health.availability(identity).availableAtMs - clock.now();
  return { clock, events, health, left };
};

describe("cooldowns", () => {
  it.each([
    ["auth", 600],
    ["billing", 1800],
    ["rate_limit", 60],
    ["timeout", 30],
    ["overloaded", 120],
    ["model_not_found", 3600],
    ["invalid_request", 0],
    ["unknown", 30],
    ["context_overflow", 0],
    ["network", 30],
    ["user_abort", 0],
    ["not_provider_failure", 0],
  ] as const)("after %s last %i seconds", (reason, seconds) => {
    const { health, left } = setUp();
    health.recordFailure(sonnet, { reason });
    expect(left(sonnet)).toBe(seconds * 1000);
    expect(DEFAULT_COOLDOWNS_MS[reason]).toBe(seconds * 1000);
    expect(health.availability(sonnet).state).toBe(seconds === 0 ? "closed" : "cooling");
  });

  it("can be set by reason", () => {
    const { health, left } = setUp({ cooldownsMs: { timeout: 5 } });
    health.recordFailure(sonnet, { reason: "timeout" });
    expect(left(sonnet)).toBe(5);
  });

  it("are replaced by a stated Retry-After, up to the cap", () => {
    const { health, left } = setUp();
    health.recordFailure(sonnet, { reason: "rate_limit", retryAfterMs: 7000 });
    expect(left(sonnet)).toBe(7000);
    const capped = setUp({ retryAfterCapMs: 10_000 });
    capped.health.recordFailure(sonnet, { reason: "rate_limit", retryAfterMs: 86_400_000 });
    expect(capped.left(sonnet)).toBe(10_000);
    const byDefault = setUp();
    byDefault.health.recordFailure(sonnet, { reason: "rate_limit", retryAfterMs: 86_400_000 });
    expect(byDefault.left(sonnet)).toBe(300_000);
  });

  it("double with each failure in a row, up to the limit", () => {
    const { clock, health, left } = setUp();
    const seen = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      health.recordFailure(sonnet, { reason: "rate_limit" });
      const cooldown = left(sonnet);
      clock.advance(cooldown);
      return cooldown / 1000;
    });
    expect(seen).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
  });

  it("grow by the factor and stop at the maximum that are given", () => {
    const { clock, health, left } = setUp({ growthFactor: 3, maxCooldownMs: 200_000 });
    const seen = [1, 2, 3].map(() => {
      health.recordFailure(sonnet, { reason: "rate_limit" });
      const cooldown = left(sonnet);
      clock.advance(cooldown);
      return cooldown;
    });
    expect(seen).toEqual([60_000, 180_000, 200_000]);
  });

  it("count failures of calls that ran side by side once", () => {
    const { clock, health, left } = setUp();
    const tickets = [1, 2, 3].map(() => health.begin(sonnet));
    clock.advance(100);
    for (const ticket of tickets) ticket?.failure({ reason: "overloaded" });
    expect(health.availability(sonnet).consecutiveFailures).toBe(1);
    expect(left(sonnet)).toBe(120_000);
  });

  it("are never shortened, whatever fails afterwards", () => {
    const { health, left } = setUp();
    health.recordFailure(sonnet, { reason: "model_not_found" });
    health.recordFailure(sonnet, { reason: "unknown" });
    health.recordFailure(sonnet, { reason: "rate_limit", retryAfterMs: 1 });
    expect(left(sonnet)).toBe(3_600_000);
    expect(health.availability(sonnet).reason).toBe("model_not_found");
  });

  it("end no earlier for any sequence of failures (property)", () => {
    const failure = fc.record({
      reason: fc.constantFrom("auth", "billing", "rate_limit", "timeout", "overloaded", "unknown" as const),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined }),
      pauseMs: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(failure, { maxLength: 20 }), (failures) => {
        const { clock, health } = setUp();
        let end = 0;
        for (const { reason, retryAfterMs, pauseMs } of failures) {
          health.recordFailure(sonnet, { reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
          const { availableAtMs } = health.availability(sonnet);
          expect(availableAtMs).toBeGreaterThanOrEqual(end);
          end = availableAtMs;
          clock.advance(pauseMs);
        }
      }),
    );
  });
});

describe("scope", () => {
  it.each(["auth", "billing"] as const)("of %s is the credential, with every model behind it", (reason) => {
    const { health } = setUp();
    health.recordFailure(sonnet, { reason });
    expect(health.availability(haiku).state).toBe("cooling");
    expect(health.availability({ ...sonnet, credential: "sk-ant-two" }).state).toBe("closed");
    expect(health.availability({ ...sonnet, provider: "openai" }).state).toBe("closed");
  });

  it.each(["rate_limit", "timeout", "overloaded", "model_not_found", "unknown", "network"] as const)(
    "of %s is the model",
    (reason) => {
      const { health } = setUp();
      health.recordFailure(sonnet, { reason });
      expect(health.availability(sonnet).state).toBe("cooling");
      expect(health.availability(haiku).state).toBe("closed");
      expect(health.availability({ ...sonnet, endpoint: "proxy.example" }).state).toBe("closed");
    },
  );
});

describe("half-open", () => {
  const cooled = () => {
    const made = setUp();
    made.health.recordFailure(sonnet, { reason: "timeout" });
    return made;
  };

  it("refuses while it cools, then lets exactly one probe go", () => {
    const { clock, health } = cooled();
    expect(health.begin(sonnet)).toBeUndefined();
    clock.advance(29_999);
    expect(health.begin(sonnet)).toBeUndefined();
    clock.advance(1);
    expect(health.availability(sonnet).state).toBe("half_open");
    const probe = health.begin(sonnet);
    expect(probe?.probe).toBe(true);
    expect(health.availability(sonnet).state).toBe("probing");
    expect(health.begin(sonnet)).toBeUndefined();
  });

  it("forgets everything when the probe succeeds", () => {
    const { clock, events, health } = cooled();
    clock.advance(30_000);
    health.begin(sonnet)?.success();
    expect(health.availability(sonnet)).toMatchObject({ state: "closed", consecutiveFailures: 0 });
    expect(events.map((event) => event.type)).toEqual(["cooled", "probing", "recovered"]);
    health.recordFailure(sonnet, { reason: "timeout" });
    expect(health.availability(sonnet).consecutiveFailures).toBe(1);
  });

  it("cools longer when the probe fails", () => {
    const { clock, health, left } = cooled();
    clock.advance(30_000);
    health.begin(sonnet)?.failure({ reason: "timeout" });
    expect(left(sonnet)).toBe(60_000);
  });

  it("lets another probe go when the first was given back or never reported", () => {
    const { clock, health } = cooled();
    clock.advance(30_000);
    health.begin(sonnet)?.release();
    expect(health.availability(sonnet).state).toBe("half_open");
    expect(health.begin(sonnet)).toBeDefined();
    clock.advance(300_000);
    expect(health.begin(sonnet)).toBeDefined();
  });

  it("ends a ticket once", () => {
    const { health } = setUp();
    const ticket = health.begin(sonnet);
    ticket?.failure({ reason: "timeout" });
    ticket?.success();
    ticket?.failure({ reason: "timeout" });
    expect(health.availability(sonnet)).toMatchObject({ state: "cooling", consecutiveFailures: 1 });
  });

  it("does not refuse when it is forced", () => {
    const { health } = cooled();
    expect(health.begin(sonnet, { force: true })).toBeDefined();
  });

  it("is not reset by the success of a call that started before the failure", () => {
    const { clock, health } = setUp();
    const slow = health.begin(sonnet);
    clock.advance(10);
    health.recordFailure(sonnet, { reason: "rate_limit" });
    slow?.success();
    expect(health.availability(sonnet).state).toBe("cooling");
  });
});

describe("snapshot", () => {
  it("comes back as it was, without a key in it", () => {
    const { clock, events, health } = setUp();
    health.recordFailure(sonnet, { reason: "rate_limit" });
    health.recordFailure(sonnet, { reason: "billing" });
    const text = JSON.stringify(health.snapshot());
    expect(text + JSON.stringify(events)).not.toContain("sk-ant-one");
    expect(text).toContain(credentialFingerprint("sk-ant-one"));
    const restored = new ProviderHealth({ now: clock.now });
    restored.restore(JSON.parse(text));
    expect(restored.snapshot()).toEqual(health.snapshot());
    expect(restored.availability(haiku).reason).toBe("billing");
  });

  it("does not shorten what is known", () => {
    const { health, left } = setUp();
    health.recordFailure(sonnet, { reason: "timeout" });
    const short = health.snapshot();
    health.recordFailure(sonnet, { reason: "model_not_found" });
    health.restore(short);
    expect(left(sonnet)).toBe(3_600_000);
  });

  it.each([
    ["null", null],
    ["another version", { version: 2, entries: [] }],
    ["entries that are none", { version: 1, entries: {} }],
    [
      "an unknown reason",
      {
        version: 1,
        entries: [
          {
            scope: "model",
            identity: { provider: "a", model: "b" },
            reason: "bad",
            untilMs: 1,
            lastFailureAtMs: 1,
            consecutiveFailures: 1,
          },
        ],
      },
    ],
    [
      "a key for a credential",
      {
        version: 1,
        entries: [
          {
            scope: "model",
            identity: { provider: "a", model: "b", credential: "sk-1" },
            reason: "auth",
            untilMs: 1,
            lastFailureAtMs: 1,
            consecutiveFailures: 1,
          },
        ],
      },
    ],
    [
      "a time that is none",
      {
        version: 1,
        entries: [
          {
            scope: "model",
            identity: { provider: "a", model: "b" },
            reason: "auth",
            untilMs: Number.NaN,
            lastFailureAtMs: 1,
            consecutiveFailures: 1,
          },
        ],
      },
    ],
  ])("is refused whole when it is %s", (_name, bad) => {
    const { health } = setUp();
    health.recordFailure(sonnet, { reason: "timeout" });
    const before = health.snapshot();
    expect(() => health.restore(bad)).toThrow(HealthSnapshotError);
    expect(health.snapshot()).toEqual(before);
  });
});

it("survives a listener that throws", () => {
  const health = new ProviderHealth({
    onEvent: () => {
      throw new Error("listener");
    },
  });
  health.recordFailure(sonnet, { reason: "timeout" });
  expect(health.availability(sonnet).state).toBe("cooling");
});
