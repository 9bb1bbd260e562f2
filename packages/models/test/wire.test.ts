import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { classifyFailure } from "@fiveseam/failover";
import { describe, expect, it } from "vitest";
import { emulator } from "./support/emulator.js";
import { FAILURES } from "./support/failures.js";
import { modelAt, nameOf, PROVIDERS } from "./support/providers.js";

const NOW = 1_700_000_000_000;

const read = async (model: BaseChatModel): Promise<string> => {
  let text = "";
  for await (const chunk of await model.stream("hi")) text += chunk.text;
  return text;
};

const failureOfCall = async (call: Promise<unknown>): Promise<unknown> => {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return error;
  }
  throw new Error(`it answered ${JSON.stringify(answer)}`);
};

describe.each(PROVIDERS.map((provider) => [nameOf(provider), provider] as const))("%s", (_, provider) => {
  const vendor = provider.model === "gpt-5.5" ? "openai-responses" : provider.provider;

  describe.each(FAILURES)("$name", ({ reason, retryAfterMs, timeoutMs, streamed, behaviour }) => {
    it.each(streamed ? ["streamed"] : ["invoked", "streamed"])(`is ${reason}, %s`, async (how) => {
      const { url } = await emulator(behaviour(vendor));
      const model = await modelAt(url, provider, timeoutMs === undefined ? {} : { timeoutMs });
      const error = await failureOfCall(how === "streamed" ? read(model) : model.invoke("hi"));
      const failure = classifyFailure(error, { origin: "model", provider: provider.provider, now: NOW });
      expect(failure).toMatchObject({ reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    });
  });
});
