import { classifyFailure, FAILURE_REASONS, FAILURE_RULES } from "@fiveseam/failover";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type FailureCase, readCases, thrown } from "./support/thrown.js";

const given = readCases("given.jsonl");
const more = readCases("more.jsonl");

const misses = (cases: readonly FailureCase[], withOrigin: boolean): string[] =>
  cases.flatMap((each) => {
    const answer = classifyFailure(thrown(each.shape), withOrigin ? { origin: each.origin } : {});
    return answer.reason === each.reason ? [] : [`${each.id}: ${each.reason}, not ${answer.reason}`];
  });

describe("real failures", () => {
  it.each([
    ["those given", given],
    ["those gathered since", more],
  ])("are told apart: %s", (_name, cases) => {
    expect(misses(cases, true)).toEqual([]);
  });

  it("are told apart without a word about their origin", () => {
    expect(misses([...given, ...more], false)).toEqual([]);
  });

  it.each([...given, ...more])("$id $provider says whether and when to come back", (each) => {
    const answer = classifyFailure(thrown(each.shape), { origin: each.origin });
    expect([each.retryable, each.retryableAlso ?? each.retryable]).toContain(answer.retryable);
    if (each.retryAfterMs !== undefined)
      expect(Math.abs((answer.retryAfterMs ?? Number.NaN) - each.retryAfterMs)).toBeLessThanOrEqual(1);
    if (each.server_error !== undefined) expect(answer.serverError).toBe(each.server_error);
  });
});

describe("the rule table", () => {
  it("names every rule once", () => {
    const names = FAILURE_RULES.map((rule) => rule.name);
    expect(new Set(names).size).toBe(names.length);
  });

  const decidedBy = (shape: unknown): string | undefined =>
    classifyFailure(thrown(shape)).evidence.find((fact) => fact.kind === "rule")?.value;

  it.each(FAILURE_RULES)("$name decides its example and not its counterexample", (rule) => {
    const answer = classifyFailure(thrown(rule.example));
    expect(decidedBy(rule.example)).toBe(rule.name);
    expect(answer.reason).toBe(rule.outcome.reason);
    expect(decidedBy(rule.counterExample)).not.toBe(rule.name);
  });

  it("can give every reason but unknown, which is what no rule decides", () => {
    const reachable = new Set(FAILURE_RULES.map((rule) => rule.outcome.reason));
    expect(FAILURE_REASONS.filter((reason) => !reachable.has(reason))).toEqual(["unknown"]);
    expect(classifyFailure(new Error("Something went wrong"))).toMatchObject({
      reason: "unknown",
      recovery: "failover",
      retryable: true,
    });
  });
});

describe("origin", () => {
  const unauthorized = Object.assign(new Error("401 Unauthorized"), { status: 401 });

  it("of a tool or the graph is never a provider's failure, whatever the text", () => {
    for (const origin of ["tool", "graph"] as const) {
      const answer = classifyFailure(unauthorized, { origin });
      expect(answer).toMatchObject({ reason: "not_provider_failure", recovery: "none", retryable: false });
    }
  });

  it("of the user is an abort", () => {
    expect(classifyFailure(undefined, { origin: "user" }).reason).toBe("user_abort");
  });

  it("of a model lets a provider's message quote a tool", () => {
    const error = new Error("Command failed: 429 Too Many Requests");
    expect(classifyFailure(error, { origin: "model" }).reason).toBe("rate_limit");
    expect(classifyFailure(error).reason).toBe("not_provider_failure");
  });
});

describe("the wait that is stated", () => {
  const now = Date.UTC(2026, 0, 1);
  const waits: [string, object, number][] = [
    ["seconds", { headers: { "Retry-After": "20" } }, 20_000],
    ["a date", { headers: new Headers({ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" }) }, 90_000],
    ["milliseconds", { headers: new Map([["RETRY-AFTER-MS", "1500"]]) }, 1500],
    ["pairs", { headers: [["retry-after", "3"]] }, 3000],
    [
      "the limit that was hit",
      {
        headers: {
          "x-ratelimit-reset-requests": "1s",
          "x-ratelimit-remaining-requests": "9",
          "x-ratelimit-reset-tokens": "6m0s",
          "x-ratelimit-remaining-tokens": "0",
        },
      },
      360_000,
    ],
    ["a reset date", { headers: { "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:10Z" } }, 10_000],
    [
      "RetryInfo",
      { error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" }] } },
      37_000,
    ],
    ["protobuf's duration", { error: { details: [{ retryDelay: { seconds: "2", nanos: 5e8 } }] } }, 2500],
    ["resets_in_seconds", { error: { resets_in_seconds: 13_872 } }, 13_872_000],
    ["a moment", { error: { resets_at: now / 1000 + 60 } }, 60_000],
    ["axios' response", { response: { headers: { "retry-after": "7" } } }, 7000],
  ];
  it.each(waits)("is read as %s", (_name, fields, expected) => {
    const error = Object.assign(new Error("429 Too Many Requests"), { status: 429 }, fields);
    expect(classifyFailure(error, { now }).retryAfterMs).toBe(expected);
  });

  it.each([
    ["Please try again in 7m12s.", 432_000],
    ["Please retry in 37.5s", 37_500],
    ["Please try again in 174ms", 174],
    ["Please retry after 23 seconds.", 23_000],
    ["try again in 5 days 22 hours 11 minutes", 511_860_000],
    ["Your quota will reset after 18h31m10s.", 66_670_000],
    ["retry-after: 30", 30_000],
    ["Claude AI usage limit reached|1767225660", 60_000],
    ["您的限额将在 2026-01-01 08:01:00 重置", 60_000],
  ])("is read from prose: %s", (text, expected) => {
    expect(classifyFailure(new Error(`429 ${text}`), { now }).retryAfterMs).toBe(expected);
  });

  it("makes a failure not retryable when it is long", () => {
    const error = Object.assign(new Error("429"), { status: 429, headers: { "retry-after": "3600" } });
    expect(classifyFailure(error)).toMatchObject({
      reason: "rate_limit",
      retryable: false,
      retryAfterMs: 3_600_000,
    });
  });

  it("is measured by the injected clock", () => {
    const error = Object.assign(new Error("429"), {
      status: 429,
      headers: { "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" },
    });
    expect(classifyFailure(error, { now: () => now + 60_000 }).retryAfterMs).toBe(30_000);
  });
});

describe("evidence", () => {
  it("names the rule, the facts and the provider", () => {
    const error = Object.assign(new Error("Slow down"), {
      status: 400,
      error: { code: "context_length_exceeded" },
    });
    const { evidence } = classifyFailure(error, { provider: "openai", model: "gpt-4.1" });
    expect(evidence).toEqual([
      { kind: "rule", value: "overflow-code" },
      { kind: "code", value: "context_length_exceeded" },
      { kind: "provider", value: "openai:gpt-4.1" },
    ]);
  });

  it("never holds a key", () => {
    const keys = ["sk-proj-abcdefghijklmnop123456", "AIzaSyA1234567890abcdefghij", "gsk_1234567890abcdefgh"];
    for (const key of keys) {
      for (const text of [
        `401 Incorrect API key provided: ${key}`,
        `invalid api key ${key}: API key not valid`,
        `credentials ${key} must be set`,
      ]) {
        const error = Object.assign(new Error(text), {
          code: key,
          headers: { authorization: `Bearer ${key}` },
        });
        expect(JSON.stringify(classifyFailure(error, { origin: "model", provider: key }))).not.toContain(
          key.slice(4, 20),
        );
      }
    }
  });
});

describe("the shape of what is thrown", () => {
  const cases = [...given, ...more];
  const structured = cases.filter((each) => each.origin === "model");
  const reasonOf = (error: unknown): string => classifyFailure(error, { origin: "model" }).reason;
  const anyCase = fc.constantFrom(...structured);

  const wraps: readonly [string, (error: unknown) => unknown][] = [
    ["a plain error", (error) => new Error("The model call failed", { cause: error })],
    ["two errors", (error) => new Error("outer", { cause: new Error("inner", { cause: error }) })],
    [
      "LangChain's MiddlewareError",
      (error) =>
        Object.assign(new Error((error as Error).message, { cause: error }), { name: "MiddlewareError" }),
    ],
    ["an AggregateError", (error) => new AggregateError([error], "All promises were rejected")],
    [
      "the AI SDK's RetryError",
      (error) =>
        Object.assign(new Error("Failed after 3 attempts"), {
          name: "AI_RetryError",
          lastError: error,
          errors: [error],
        }),
    ],
  ];
  it.each(wraps)("changes nothing: wrapped in %s", (_name, wrap) => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const bare = thrown(each.shape);
        expect(reasonOf(wrap(bare))).toBe(reasonOf(bare));
      }),
      { numRuns: 400 },
    );
  });

  it("changes nothing: an object, or JSON in a string, instead of an Error", () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const reason = reasonOf(thrown(each.shape));
        expect(reasonOf(each.shape)).toBe(reason);
        expect(reasonOf(JSON.stringify(each.shape))).toBe(reason);
        expect(reasonOf(new Error(JSON.stringify({ error: each.shape })))).toBe(reason);
      }),
      { numRuns: 400 },
    );
  });

  it("changes nothing: headers in another case", () => {
    const cased = fc.string({ unit: fc.constantFrom("u", "l"), minLength: 11, maxLength: 11 });
    fc.assert(
      fc.property(cased, (mask) => {
        const name = [..."retry-after"]
          .map((char, at) => (mask[at] === "u" ? char.toUpperCase() : char))
          .join("");
        const error = Object.assign(new Error("429"), { status: 429, headers: { [name]: "20" } });
        expect(classifyFailure(error).retryAfterMs).toBe(20_000);
      }),
    );
  });
});

describe("whatever is thrown", () => {
  it("is answered with a reason", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withObjectString: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
        }),
        (value) => {
          expect(FAILURE_REASONS).toContain(classifyFailure(value).reason);
        },
      ),
      { numRuns: 2000 },
    );
  });

  const hostile: readonly [string, () => unknown][] = [
    ["undefined", () => undefined],
    ["a symbol", () => Symbol("x")],
    [
      "a getter that throws",
      () =>
        Object.defineProperty(new Error("x"), "status", {
          get: () => {
            throw new Error("no");
          },
        }),
    ],
    [
      "a proxy that throws at everything",
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
            ownKeys: () => {
              throw new Error("no");
            },
            getPrototypeOf: () => {
              throw new Error("no");
            },
          },
        ),
    ],
    [
      "a revoked proxy",
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    [
      "an endless proxy",
      () => {
        const endless: object = new Proxy(() => undefined, { get: () => endless });
        return { error: endless, cause: new Proxy({}, { get: () => ({}) }) };
      },
    ],
    [
      "a circle",
      () => {
        const error = new Error("x") as Error & { cause?: unknown };
        error.cause = error;
        return error;
      },
    ],
    [
      "a chain of 10,000 causes",
      () => {
        let error = new Error("x");
        for (let i = 0; i < 10_000; i += 1) error = new Error("y", { cause: error });
        return error;
      },
    ],
    ["5 MB of HTML", () => `<html><script>${"<script>".repeat(600_000)}`],
    ["5 MB of open braces", () => new Error("{[".repeat(2_500_000))],
    ["5 MB of quotes", () => new Error(`{"error":"${'\\"code\\":'.repeat(500_000)}`)],
    ["5 MB of spaces", () => new Error(`model${" ".repeat(5_000_000)}not found`)],
    ["5 MB of digits", () => new Error(`try again in ${"1m".repeat(2_500_000)}`)],
    [
      "50,000 headers",
      () => ({
        status: 429,
        headers: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x-${i}`, "1"])),
      }),
    ],
    [
      "JSON in JSON in JSON",
      () => {
        let text = '{"code":"insufficient_quota"}';
        for (let i = 0; i < 12; i += 1) text = JSON.stringify({ error: text }).slice(0, 200_000);
        return text;
      },
    ],
  ];
  const repeated = [
    "model ",
    "exceed ",
    "context length ",
    "input tokens ",
    "api key ",
    "request too large for ",
    "exceeded your current quota ",
    "try again in 1m ",
    "credentials ",
    "reset 2026-01-01 ",
    "'code': ",
    "ECONN_CERT_",
    "https://a.b/",
  ].map((words): [string, () => unknown] => [
    `many texts of "${words}"`,
    () => ({ errors: Array.from({ length: 8 }, (_, at) => `${at} ${words.repeat(20_000)}`) }),
  ]);
  it.each([...hostile, ...repeated])("takes bounded time: %s", (_name, make) => {
    const value = make();
    classifyFailure(value);
    const start = performance.now();
    expect(FAILURE_REASONS).toContain(classifyFailure(value).reason);
    // Ordinary errors take some tens of microseconds; a pattern that backtracks takes seconds here.
    expect(performance.now() - start).toBeLessThan(150);
  });

  it("is left as it was", () => {
    const error = Object.freeze({ status: 429, error: Object.freeze({ message: "Slow down" }) });
    expect(classifyFailure(error).reason).toBe("rate_limit");
  });
});

it("has a closed set of reasons in its type", () => {
  expectTypeOf(classifyFailure(null).reason).toEqualTypeOf<(typeof FAILURE_REASONS)[number]>();
});
