import { HumanMessage } from "@langchain/core/messages";
import { classifyFailure } from "@fiveseam/failover";
import { describe, expect, it } from "vitest";
import { emulator } from "./support/emulator.js";
import { modelAt, nameOf, PROVIDERS } from "./support/providers.js";

const add = {
  type: "function" as const,
  function: {
    name: "write",
    description: "Writes.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
};

const strict = PROVIDERS.filter(({ provider }) => provider !== "local");

const streamed = async (model: Awaited<ReturnType<typeof modelAt>>): Promise<unknown> => {
  try {
    let message;
    for await (const piece of await model.bindTools!([add]).stream([new HumanMessage("hi")]))
      message = message ? message.concat(piece) : piece;
    return message;
  } catch (error) {
    return error;
  }
};

describe("a stream that is closed cleanly in the middle of an answer", () => {
  it.each(strict.map((each) => [nameOf(each), each] as const))(
    "of %s is a failure, and a network's",
    async (_name, each) => {
      const { url, behave } = await emulator({ kind: "cut" });
      const model = await modelAt(url, each);
      const text = await streamed(model);
      expect(text).toMatchObject({ name: "ProviderStreamError", code: "stream_cut" });
      expect(classifyFailure(text, { origin: "model" })).toMatchObject({
        reason: "network",
        retryable: true,
      });
      behave({ kind: "cut", toolCall: { name: "write", args: { text: "all of it" } } });
      expect(await streamed(model)).toMatchObject({
        code: expect.stringMatching(/stream_cut|empty_answer/) as string,
      });
      behave({ kind: "answer", toolCall: { name: "write", args: { text: "all of it" } } });
      expect(await streamed(model)).not.toBeInstanceOf(Error);
    },
  );

  it("of a server that may leave out its last word is one when a tool call is cut, and else an answer", async () => {
    const { url, behave } = await emulator({ kind: "cut" });
    const model = await modelAt(url, { provider: "local", model: "qwen3" });
    expect(await streamed(model)).toMatchObject({ content: "hello there" });
    behave({ kind: "answer" });
    expect(await streamed(model)).toMatchObject({ content: "hello" });
  });
});
