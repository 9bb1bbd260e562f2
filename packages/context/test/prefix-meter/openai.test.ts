import { describe, expect, it } from "vitest";
import { PrefixMeterError } from "../../src/prefix-meter/index.js";
import { testMeter, words } from "./bodies.js";

const message = (role: string, name: string, tokens: number) => ({ role, content: words(name, tokens) });

const sender = () => {
  const meter = testMeter();
  return (body: object, atMs = 0) => {
    const turn = meter.record({ model: "gpt-4.1", ...body }, { provider: "openai", conversation: "c", atMs });
    return {
      cause: turn.moved?.cause,
      counts: [
        turn.promptTokens,
        turn.reusedTokens,
        turn.writtenTokens,
        turn.uncachedTokens,
        turn.rebilledTokens,
      ],
    };
  };
};

describe("OpenAI's rules", () => {
  it("read from 1,024 tokens in steps of 128, of which the rest is not called billed again", () => {
    const send = sender();
    const first = [message("system", "s", 1_000), message("user", "u", 100)];
    // 1,100 = 8 × 128 + 76.
    expect(send({ messages: first }).counts).toEqual([1_100, 0, 1_024, 76, 0]);
    const next = [...first, message("assistant", "a", 100), message("user", "v", 100)];
    // 1,300 = 10 × 128 + 20; read are 1,024 of the 1,100 that were there.
    expect(send({ messages: next })).toEqual({ cause: undefined, counts: [1_300, 1_024, 256, 20, 0] });
  });

  it("read nothing of a shorter prompt", () => {
    const send = sender();
    const messages = [message("user", "u", 1_023)];
    send({ messages });
    expect(send({ messages })).toEqual({ cause: "below_minimum", counts: [1_023, 0, 0, 1_023, 1_023] });
  });

  it("read up to the first difference within a long text", () => {
    const send = sender();
    const text = (tail: string) => ({ messages: [{ role: "user", content: `${"§".repeat(5_120)}${tail}` }] });
    send(text("one"));
    // All ten pieces of 512 characters but the last words: 5,117 of 5,120 by share, rounded down to 39 × 128.
    expect(send(text("two")).counts.slice(0, 2)).toEqual([5_120, 4_992]);
    const early = sender();
    early({ messages: [{ role: "user", content: `${"§".repeat(2_048)}x${"§".repeat(3_072)}` }] });
    expect(
      early({ messages: [{ role: "user", content: `${"§".repeat(2_048)}y${"§".repeat(3_072)}` }] }).counts[1],
    ).toBe(1_920);
  });

  it("forget after five idle minutes, or a day when asked to", () => {
    const minute = 60_000;
    const messages = [message("user", "u", 1_280)];
    const [short, long] = [sender(), sender()];
    short({ messages });
    expect(short({ messages }, 6 * minute).cause).toBe("expired");
    long({ messages, prompt_cache_retention: "24h" });
    expect(long({ messages, prompt_cache_retention: "24h" }, 600 * minute).counts[1]).toBe(1_280);
  });

  it("count tools, output format and key as what they are", () => {
    const tool = (name: string) => ({
      type: "function",
      function: { name, description: words(name, 1_000) },
    });
    const messages = [message("system", "s", 1_000), message("user", "u", 280)];
    const after = (first: object, second: object) => {
      const send = sender();
      send({ messages, ...first });
      return send({ messages, ...second }).cause;
    };
    expect(after({ tools: [tool("a"), tool("b")] }, { tools: [tool("b"), tool("a")] })).toBe("tool_order");
    expect(after({}, { response_format: { type: "json_object" } })).toBe("parameters");
    expect(after({ prompt_cache_key: "a" }, { prompt_cache_key: "b" })).toBe("cache_key_changed");
    expect(after({ temperature: 0 }, { temperature: 1 })).toBeUndefined();
  });

  it("find a prefix from GPT-5.6 on at marks only, wherever they stood", () => {
    const send = sender();
    const model = "gpt-5.6";
    const first = [message("system", "s", 2_000), message("user", "u", 100)];
    // OpenAI marks the newest message.
    expect(send({ model, messages: first }).counts).toEqual([2_100, 0, 2_100, 0, 0]);
    const many = Array.from({ length: 30 }, (_each, at) =>
      message(at % 2 ? "user" : "assistant", `m${at}`, 10),
    );
    expect(send({ model, messages: [...first, ...many] }).counts).toEqual([2_400, 2_100, 300, 0, 0]);
    const other = [message("system", "s", 2_000), message("user", "other", 100)];
    const another = sender();
    another({ model, messages: first });
    expect(another({ model, messages: other })).toEqual({
      cause: "message_changed",
      counts: [2_100, 0, 2_100, 0, 2_000],
    });
    const off = { model, messages: first, prompt_cache_options: { mode: "explicit" } };
    expect(sender()(off).counts).toEqual([2_100, 0, 0, 2_100, 0]);
  });

  it("read a body of the Responses API, and refuse one whose history is with the provider", () => {
    const send = sender();
    const input = [
      { role: "user", content: [{ type: "input_text", text: words("u", 1_000) }] },
      { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: words("found", 280) },
    ];
    const instructions = words("s", 1_000);
    send({ instructions, input });
    expect(
      send({ instructions, input: [...input, { role: "assistant", content: words("a", 10) }] }).counts,
    ).toEqual([2_290, 2_176, 0, 114, 0]);
    for (const unknown of [{ input, previous_response_id: "r" }, { prompt: "old" }, "text", undefined]) {
      expect(() => testMeter().record(unknown, { provider: "openai" })).toThrow(PrefixMeterError);
    }
  });
});
