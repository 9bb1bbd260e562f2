import { expect, it } from "vitest";
import { createPrefixMeter, formatReport, PrefixMeterError } from "../../src/prefix-meter/index.js";
import { block, body, conversation, user } from "./bodies.js";

it("formatReport is a table with a line a turn, what moved below it, and the sum", () => {
  const { meter, send } = conversation();
  const at = (time: string) =>
    body({ system: [block(time, 2_000, true)], messages: [user(block("u", 100, true))] });
  send(at("10:00"));
  send(at("10:01"));
  expect(formatReport(meter.report())).toBe(
    [
      "conversation  turn  prompt  reused  written  uncached  rebilled  share",
      "c                1   2,100       0    2,100         0         0   0.0%",
      "c                2   2,100       0    2,100         0       100   0.0%",
      "  ^ system_changed at system[0], no watched middleware did it: the conversation, or middleware that meter.watch() was not given",
      "all              2   4,200       0    4,200         0       100   0.0%",
    ].join("\n"),
  );
});

it("options out of range are refused", () => {
  for (const options of [{ maxTurns: 0 }, { maxConversations: 1.5 }, { maxCacheEntries: Number.NaN }])
    expect(() => createPrefixMeter(options)).toThrow(PrefixMeterError);
  const meter = createPrefixMeter({ countTokens: () => Number.NaN });
  expect(() => meter.record(body({ messages: [user(block("u", 1))] }), { provider: "anthropic" })).toThrow(
    /countTokens returned NaN/,
  );
});

it("the simulated cache forgets the longest unused prefix beyond its maximum", () => {
  const { send } = conversation({ maxCacheEntries: 1 });
  const sent = (name: string) => body({ messages: [user(block(name, 2_000, true))] });
  const reused = ["a", "a", "b", "a"].map((name) => send(sent(name)).reusedTokens);
  expect(reused).toEqual([0, 2_000, 0, 0]);
});
