import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { call, compactionOf, converse, echo } from "./support.js";

/** JSON writes half of a character as an escape, and Anthropic refuses such a request. */
const HALF = /\\ud[89a-f]/;

describe("a text that is cut", () => {
  it.each([0, 1])("is not cut inside of a character, by compaction (%s)", async (shift) => {
    const { middleware, events } = compactionOf();
    const emoji = "a".repeat(shift) + "😀".repeat(700);
    const { calls } = await converse([middleware], [emoji.repeat(2), emoji, "x".repeat(9_000), "more"], {
      tools: [echo],
      answers: [
        call("a", "echo", { text: emoji.repeat(2), size: 1 }),
        new AIMessage(emoji),
        call("b", "echo", { text: emoji, size: 9 }),
        new AIMessage(emoji),
        new AIMessage("done"),
        new AIMessage("done"),
      ],
    });
    expect(events.length).toBeGreaterThan(0);
    for (const sent of calls)
      for (const message of sent)
        expect(JSON.stringify([message.content, (message as AIMessage).tool_calls])).not.toMatch(HALF);
  });
});
