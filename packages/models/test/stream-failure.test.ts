import { describe, expect, it } from "vitest";
import { ProviderStreamError } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { modelAt } from "./support/providers.js";

const add = {
  type: "function",
  function: { name: "add", description: "Adds.", parameters: { type: "object" } },
};

const readAll = async (pieces: Promise<AsyncIterable<{ text: string }>>): Promise<string> => {
  let text = "";
  for await (const piece of await pieces) text += piece.text;
  return text;
};

// The clients pass over these events, and "hel" would be the whole answer.
describe("a stream that the provider breaks off", () => {
  const failed = {
    type: "response.failed",
    response: { error: { code: "rate_limit_exceeded", message: "Slow down." } },
  };

  it.each([
    ["openai", "gpt-5.5", failed, { code: "rate_limit_exceeded", message: "Slow down.", error: failed }],
    [
      "openai",
      "gpt-5.5",
      { type: "error", code: null, message: "Broken.", param: null },
      { code: "stream_error", message: "Broken." },
    ],
    [
      "gemini",
      "gemini-2.5-pro",
      { error: { code: 503, status: "UNAVAILABLE", message: "Overloaded." } },
      { code: "UNAVAILABLE", status: 503, message: "Overloaded." },
    ],
  ])(
    "is an error of %s:%s with the vendor's own code, also with tools bound",
    async (provider, model, body, expected) => {
      const { url } = await emulator({ kind: "error_event", body });
      const made = await modelAt(url, { provider, model });
      for (const face of [made, made.bindTools!([add])]) {
        const error: unknown = await readAll(face.stream("hi")).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(ProviderStreamError);
        expect(error).toMatchObject({ ...expected, provider });
      }
    },
  );
});
