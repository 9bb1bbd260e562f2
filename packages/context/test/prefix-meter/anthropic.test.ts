import { describe, expect, it } from "vitest";
import { ANTHROPIC_CACHE_RULES } from "../../src/prefix-meter/index.js";
import { assistant, block, body, conversation, tool, user } from "./bodies.js";

const counts = (turn: object): unknown => {
  const { promptTokens, reusedTokens, writtenTokens, uncachedTokens, rebilledTokens } = turn as Record<
    string,
    number
  >;
  return [promptTokens, reusedTokens, writtenTokens, uncachedTokens, rebilledTokens];
};

const SYSTEM = block("s", 2_000, true);

describe("Anthropic's rules", () => {
  it("keep up to one mark, and read that much the next time", () => {
    const { send } = conversation();
    // 2,000 of system are kept; the 100 behind the mark are not.
    expect(counts(send(body({ system: [SYSTEM], messages: [user(block("u", 100))] })))).toEqual([
      2_100, 0, 2_000, 100, 0,
    ]);
    // The user's 100 had been sent before and no mark kept them.
    const next = send(
      body({
        system: [SYSTEM],
        messages: [user(block("u", 100)), assistant(block("a", 50)), user(block("v", 30))],
      }),
    );
    expect(counts(next)).toEqual([2_180, 2_000, 0, 180, 100]);
    expect(next.moved).toMatchObject({
      cause: "mark_missing",
      transient: false,
      where: "messages",
      index: 0,
    });
  });

  it("keep at each of four marks, so that a changed tail costs the tail only", () => {
    const { send } = conversation();
    const sent = (tail: string) =>
      body({
        tools: [tool("t", 1_100, { cache_control: { type: "ephemeral" } })],
        system: [block("s", 500, true)],
        messages: [user(block("u", 200, true)), assistant(block("a", 100)), user(block(tail, 40, true))],
      });
    expect(counts(send(sent("one")))).toEqual([1_940, 0, 1_940, 0, 0]);
    expect(counts(send(sent("one")))).toEqual([1_940, 1_940, 0, 0, 0]);
    // Read: 1,100 + 500 + 200 at the third mark. The assistant's 100 stood before the changed text without a mark.
    const changed = send(sent("two"));
    expect(counts(changed)).toEqual([1_940, 1_800, 140, 0, 100]);
    expect(changed.moved).toMatchObject({ cause: "message_changed", where: "messages", index: 2 });
  });

  it("refuse a request with a fifth mark, the request's own counted", () => {
    const { send } = conversation();
    const four = body({
      system: [SYSTEM],
      messages: [user(block("u", 1, true), block("v", 1, true), block("w", 1, true), block("x", 1))],
    });
    expect(send(four).writtenTokens).toBe(2_003);
    const five = send({ ...four, cache_control: { type: "ephemeral" } });
    expect(counts(five)).toEqual([2_004, 2_003, 1, 0, 0].map((n, at) => [n, 0, 0, 2_004, 2_004][at]));
    expect(five.moved).toMatchObject({ cause: "mark_limit", marks: 5, maxMarks: 4, origin: "provider" });
  });

  it("keep nothing below the model's minimum, and say so", () => {
    const { send } = conversation();
    const short = body({ system: [block("s", 1_023, true)], messages: [user(block("u", 5))] });
    expect(counts(send(short))).toEqual([1_028, 0, 0, 1_028, 0]);
    const again = send(short);
    expect(counts(again)).toEqual([1_028, 0, 0, 1_028, 1_028]);
    expect(again.moved).toMatchObject({ cause: "below_minimum", prefixTokens: 1_023, minTokens: 1_024 });
    const long = body({ system: [block("s", 1_024, true)], messages: [user(block("u", 5))] });
    expect(conversation().send(long).writtenTokens).toBe(1_024);
    // The same prompt is too short for another model.
    expect(conversation().send({ ...long, model: "claude-haiku-4-5" }).writtenTokens).toBe(0);
    expect(conversation().send({ ...long, model: "claude-opus-4-20250514" }).writtenTokens).toBe(1_024);
  });

  it("look back over twenty blocks from a mark and not further", () => {
    const turns = (blocks: number) => {
      const { send } = conversation();
      const first = user(block("u", 2_000));
      send(body({ messages: [first], cache_control: { type: "ephemeral" } }));
      const added = Array.from({ length: blocks }, (_each, at) => block(`b${at}`, 10));
      return send(body({ messages: [first, assistant(...added)], cache_control: { type: "ephemeral" } }));
    };
    // The marked block is the first of the twenty that are tried: the kept one may be 19 further back.
    expect(counts(turns(19))).toEqual([2_190, 2_000, 190, 0, 0]);
    for (const blocks of [20, 21]) {
      const lost = turns(blocks);
      expect(counts(lost)).toEqual([2_000 + blocks * 10, 0, 2_000 + blocks * 10, 0, 2_000]);
      expect(lost.moved).toMatchObject({
        cause: "lookback",
        blocks: blocks + 1,
        maxBlocks: 20,
        origin: "provider",
      });
    }
  });

  it("forget after five idle minutes, or an hour, and count them from the last use", () => {
    const minutes = (mark: true | { ttl: string }, ...at: number[]) => {
      const { send } = conversation();
      return at.map((minute) => {
        const { reusedTokens, moved } = send(
          body({ messages: [user(block("u", 2_000, mark))] }),
          minute * 60_000,
        );
        return moved?.cause ?? reusedTokens;
      });
    };
    expect(minutes(true, 0, 4, 8, 12)).toEqual([0, 2_000, 2_000, 2_000]);
    expect(minutes(true, 0, 6, 7)).toEqual([0, "expired", 2_000]);
    expect(minutes({ ttl: "1h" }, 0, 59, 118)).toEqual([0, 2_000, 2_000]);
    expect(minutes({ ttl: "1h" }, 0, 61)).toEqual([0, "expired"]);
    // A shorter lifetime does not cut short what is kept for an hour.
    const { send } = conversation();
    const lives = (mark: true | { ttl: string }, minute: number) =>
      send(body({ messages: [user(block("u", 2_000, mark))] }), minute * 60_000).reusedTokens;
    expect([lives({ ttl: "1h" }, 0), lives(true, 1), lives(true, 31)]).toEqual([0, 2_000, 2_000]);
  });

  it("do not let a trailing note behind the mark do any harm", () => {
    const { send } = conversation();
    const u = (mark: boolean) => user(block("u", 300, mark));
    expect(counts(send(body({ system: [SYSTEM], messages: [u(true), user(block("note 1", 20))] })))).toEqual([
      2_320, 0, 2_300, 20, 0,
    ]);
    const next = send(
      body({
        system: [SYSTEM],
        messages: [
          u(false),
          assistant(block("a", 50)),
          user(block("v", 10, true)),
          user(block("note 1", 20)),
        ],
      }),
    );
    // The note is the same and is billed each time, but it never was to be kept.
    expect(counts(next)).toEqual([2_380, 2_300, 60, 20, 0]);
    expect(next.moved).toBeUndefined();
  });

  it("lose the history when a trailing note takes the automatic mark", () => {
    const { send } = conversation();
    const automatic = { cache_control: { type: "ephemeral" } };
    const u = user(block("u", 300));
    send(body({ system: [SYSTEM], messages: [u, user(block("note 1", 20))], ...automatic }));
    const next = send(
      body({
        system: [SYSTEM],
        messages: [u, assistant(block("a", 50)), user(block("note 2", 20))],
        ...automatic,
      }),
    );
    // The system's own mark still reads 2,000; the user's 300 are billed again.
    expect(counts(next)).toEqual([2_370, 2_000, 370, 0, 300]);
    expect(next.moved).toMatchObject({
      cause: "mark_missing",
      transient: true,
      where: "messages",
      index: 1,
      before: expect.stringContaining("note 1") as string,
    });
  });

  it("take a string for the block that it stands for, and a mark within a tool result for one on it", () => {
    const { send } = conversation();
    const result = (mark: object) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "1", content: [{ ...block("r", 100), ...mark }] }],
    });
    send(body({ system: [block("s", 2_000)], messages: [result({ cache_control: { type: "ephemeral" } })] }));
    const plain = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "1", content: block("r", 100)["text"] }],
    };
    const next = send({
      ...body({ messages: [plain, user(block("v", 1, true))] }),
      system: block("s", 2_000)["text"],
    });
    expect(counts(next)).toEqual([2_101, 2_100, 1, 0, 0]);
  });

  it("move the messages alone for tool_choice, thinking and a first image, and all but the tools for speed", () => {
    const sent = (more: object, image: boolean) => ({
      ...body({
        tools: [tool("t", 1_500, { cache_control: { type: "ephemeral" } })],
        system: [block("s", 100, true)],
        messages: [
          user(block("u", 200, true)),
          ...(image
            ? [user({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } })]
            : []),
        ],
      }),
      ...more,
    });
    const after = (more: object, image = false) => {
      const { send } = conversation({ imageTokens: 1_000 });
      send(sent({}, false));
      const { reusedTokens, promptTokens, moved } = send(sent(more, image));
      return [promptTokens, reusedTokens, moved?.cause, moved?.cause === "parameters" && moved.parameters];
    };
    expect(after({ tool_choice: { type: "any" } })).toEqual([1_800, 1_600, "parameters", ["tool_choice"]]);
    expect(after({ thinking: { type: "enabled" } })).toEqual([1_800, 1_600, "parameters", ["thinking"]]);
    expect(after({}, true)).toEqual([2_800, 1_600, "parameters", ["images"]]);
    expect(after({ speed: "fast" })).toEqual([1_800, 1_500, "parameters", ["speed"]]);
    expect(after({ temperature: 1 })).toEqual([1_800, 1_800, undefined, false]);
    expect(after({ model: "claude-sonnet-4-5" })).toEqual([1_800, 0, "cache_key_changed", false]);
  });

  it("can be overridden, one field at a time", () => {
    const { defaults } = ANTHROPIC_CACHE_RULES;
    const { send } = conversation({
      rules: { anthropic: { ...ANTHROPIC_CACHE_RULES, defaults: { ...defaults, minTokens: 10 } } },
    });
    expect(send(body({ messages: [user(block("u", 10, true))] })).writtenTokens).toBe(10);
  });
});
