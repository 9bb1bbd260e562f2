import { describe, expect, it } from "vitest";
import type { PrefixMove } from "../../src/prefix-meter/index.js";
import { assistant, block, body, conversation, tool, user } from "./bodies.js";

type Body = ReturnType<typeof body>;

/** What moved between two requests. */
const between = (before: Body, after: Body): PrefixMove | undefined => {
  const { send } = conversation();
  send(before);
  return send(after).moved;
};

const tools = (...names: string[]) => names.map((name) => tool(name, 700));
const base = (parts: Partial<Parameters<typeof body>[0]>) =>
  body({
    tools: tools("a", "b"),
    system: [block("s", 2_000, true)],
    messages: [user(block("u", 10, true))],
    ...parts,
  });

describe("what moved the prefix", () => {
  it("is told apart for tools: another order, one changed, one more, one less", () => {
    expect(between(base({}), base({ tools: tools("b", "a") }))).toMatchObject({
      cause: "tool_order",
      where: "tools",
      index: 0,
      tool: "b",
    });
    expect(between(base({}), base({ tools: [...tools("a"), tool("b", 701)] }))).toMatchObject({
      cause: "tool_changed",
      index: 1,
      tool: "b",
    });
    expect(between(base({}), base({ tools: tools("a", "b", "c") }))).toMatchObject({
      cause: "tool_added",
      index: 2,
      tool: "c",
    });
    expect(between(base({}), base({ tools: tools("a", "x", "b") }))).toMatchObject({
      cause: "tool_added",
      index: 1,
      tool: "x",
    });
    expect(between(base({}), base({ tools: tools("b") }))).toMatchObject({
      cause: "tool_removed",
      index: 0,
      tool: "a",
    });
  });

  it("is a clock in the system prompt, shown on both sides", () => {
    const at = (time: string) =>
      base({ system: [{ ...block("", 2_000, true), text: `${"§".repeat(2_000)} It is ${time}.` }] });
    const moved = between(at("10:00"), at("10:01"));
    expect(moved).toMatchObject({ cause: "system_changed", where: "system", index: 0, origin: "unwatched" });
    expect(moved?.before).toContain("It is 10:00");
    expect(moved?.after).toContain("It is 10:01");
    expect(moved?.after.length).toBeLessThan(100);
  });

  it("is a changed memory, in a system block of its own", () => {
    const memory = (text: string) =>
      base({
        system: [block("s", 2_000, true), { type: "text", text, cache_control: { type: "ephemeral" } }],
      });
    expect(between(memory("Use tabs."), memory("Use spaces."))).toMatchObject({
      cause: "system_changed",
      index: 1,
      before: "Use tabs.",
      after: "Use spaces.",
    });
  });

  it("is a summary where several messages gave way to fewer", () => {
    const history = [
      user(block("u", 900)),
      assistant(block("a", 900)),
      user(block("v", 900)),
      assistant(block("b", 900)),
    ];
    const tail = (mark: boolean) => user(block("tail", 500, mark));
    const moved = between(
      base({ messages: [...history, tail(true)] }),
      base({ messages: [user(block("summary", 50)), tail(false), user(block("next", 5, true))] }),
    );
    expect(moved).toMatchObject({ cause: "summary", where: "messages", index: 0, message: { type: "user" } });
  });

  it("is a changed message in the middle, or one that is gone", () => {
    const m = (...names: string[]) =>
      base({
        messages: names.map((name, at) =>
          (at % 2 ? assistant : user)(block(name, 100, at === names.length - 1)),
        ),
      });
    expect(between(m("1", "2", "3", "4"), m("1", "changed", "3", "4"))).toMatchObject({
      cause: "message_changed",
      index: 1,
      message: { type: "assistant" },
    });
    const gone = base({ messages: [user(block("1", 100)), user(block("3", 100, true))] });
    expect(
      between(
        base({ messages: [user(block("1", 100)), user(block("2", 100)), user(block("3", 100, true))] }),
        gone,
      ),
    ).toMatchObject({
      cause: "message_removed",
      index: 1,
    });
  });

  it("is nothing when the conversation only grows", () => {
    const before = base({});
    const after = base({
      messages: [user(block("u", 10)), assistant(block("a", 10)), user(block("v", 10, true))],
    });
    expect(between(before, after)).toBeUndefined();
    expect(between(before, before)).toBeUndefined();
  });
});

describe("conversations", () => {
  it("are told apart by their messages when nothing else does, and share what they have in common", () => {
    const { meter } = conversation();
    const send = (...messages: ReturnType<typeof user>[]) =>
      meter.record(base({ messages }), { provider: "anthropic" });
    const [x, y] = [send(user(block("x", 10, true))), send(user(block("y", 10, true)))];
    expect(y.conversation).not.toBe(x.conversation);
    // Tools and system (3,400) are in the cache from the other conversation.
    expect(y.reusedTokens).toBe(3_400);
    const more = send(user(block("x", 10)), assistant(block("a", 1)), user(block("z", 1, true)));
    expect([more.conversation, more.turn, more.rebilledTokens]).toEqual([x.conversation, 2, 0]);
  });

  it("go by the longest common prefix where several begin alike", () => {
    const { meter } = conversation();
    const send = (...names: string[]) => {
      const messages = names.map((name, at) => (at % 2 ? assistant : user)(block(name, 10)));
      return meter.record(base({ messages }), { provider: "anthropic" });
    };
    const first = send("hi", "a", "b");
    // It begins as the first one and goes on as that one until somebody else does.
    const [second, third] = [send("hi", "x", "y"), send("hi", "a", "b", "c")];
    expect([second.conversation, third.conversation]).toEqual([first.conversation, first.conversation]);
    const other = meter.record(base({ messages: [user(block("hi", 10)), assistant(block("p", 1))] }), {
      provider: "anthropic",
      conversation: "conversation#other",
    });
    expect(send("hi", "p", "q").conversation).toBe(other.conversation);
    expect(send("hi", "a", "b", "c", "d").conversation).toBe(first.conversation);
  });

  it("are forgotten beyond the maximum, and so are turns", () => {
    const { meter } = conversation({ maxConversations: 1, maxTurns: 2 });
    const send = (conversation: string) =>
      meter.record(base({}), { provider: "anthropic", conversation }).turn;
    expect([send("a"), send("a"), send("b"), send("a")]).toEqual([1, 2, 1, 1]);
    expect(meter.report()).toMatchObject({
      notes: { forgottenTurns: 2 },
      totals: { promptTokens: 4 * 3_410 },
    });
    expect(meter.report().turns.map(({ conversation }) => conversation)).toEqual(["b", "a"]);
  });
});
