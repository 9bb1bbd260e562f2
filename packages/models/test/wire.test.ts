import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { classifyFailure, FallbackChatModel, type FailoverEvent } from "@fiveseam/failover";
import { describe, expect, it } from "vitest";
import { emulator } from "./support/emulator.js";
import { FAILURES } from "./support/failures.js";
import { modelAt, nameOf, PROVIDERS } from "./support/providers.js";

const NOW = 1_700_000_000_000;

const CONVERSATION = [
  new SystemMessage("rule-one"),
  new HumanMessage("question-one"),
  new AIMessage({
    content: "",
    tool_calls: [{ type: "tool_call", id: "call_1", name: "look", args: { at: "arg-one" } }],
  }),
  new ToolMessage({ content: "result-one", tool_call_id: "call_1", name: "look" }),
  new AIMessage("answer-one"),
  new HumanMessage("question-two"),
];
const SAID = ["rule-one", "question-one", "arg-one", "result-one", "answer-one", "question-two"];

/** What was said, in the order in which a request says it. */
const saidIn = (body: unknown): string[] =>
  JSON.stringify(body).match(/\b(?:rule|question|arg|result|answer)-(?:one|two)\b/g) ?? [];

const read = async (model: BaseChatModel, input: typeof CONVERSATION | string = "hi"): Promise<string> => {
  let text = "";
  for await (const chunk of await model.stream(input)) text += chunk.text;
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

  describe("with another provider behind it", () => {
    const next =
      PROVIDERS[(PROVIDERS.findIndex((each) => each === provider) + 1) % PROVIDERS.length] ?? provider;

    it.each(FAILURES)("$name: the next provider is asked with the same conversation", async (failing) => {
      const { reason, timeoutMs, streamed, behaviour } = failing;
      const [first, second] = [
        await emulator(behaviour(vendor)),
        await emulator({ kind: "answer", text: "at last" }),
      ];
      const events: FailoverEvent[] = [];
      let compacted = 0;
      const model = new FallbackChatModel({
        models: [
          await modelAt(first.url, provider, timeoutMs === undefined ? {} : { timeoutMs }),
          await modelAt(second.url, next),
        ],
        networkRetries: 1,
        backoffBaseMs: 1,
        onEvent: (event) => events.push(event),
        compact: (messages) => {
          compacted += 1;
          return messages.slice(-1);
        },
      });
      const answer = streamed
        ? read(model, CONVERSATION)
        : model.invoke(CONVERSATION).then(({ text }) => text);
      if (reason === "context_overflow") {
        // Another provider is no cure: the same one again with less, once, and then the error.
        await expect(answer).rejects.toBeDefined();
        expect(compacted).toBe(1);
        expect(first.seen.map(({ body }) => saidIn(body))).toEqual([
          expect.arrayContaining(SAID),
          ["question-two"],
        ]);
        expect(second.seen).toHaveLength(0);
        return;
      }
      expect(await answer).toMatch(/at last$/);
      expect(first.seen).toHaveLength(reason === "network" ? 2 : 1);
      expect(second.seen).toHaveLength(1);
      // Gemini and the Responses API put the system's words in another place.
      expect(saidIn(second.seen[0]?.body).sort()).toEqual([...SAID].sort());
      expect(saidIn(second.seen[0]?.body).filter((said) => said !== "rule-one")).toEqual(SAID.slice(1));
      expect(events.find(({ type }) => type === "attempt_failed")).toMatchObject({ failure: { reason } });
      expect(events.at(-1)).toMatchObject({
        type: "recovered",
        identity: { provider: next.provider, model: next.model },
      });
    });
  });
});
