import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type AIMessageChunk,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createVirtualClock,
  startProviderEmulator,
  type EmulatorOptions,
  type ProviderEmulator,
} from "@fiveseam/testing";

/** Of no known shape: it is a credential by where it stands. */
const KEY = "opaque-credential-of-this-test";

const clients = {
  anthropic: (provider: ProviderEmulator, fields: object = {}) =>
    new ChatAnthropic({
      model: "claude-sonnet-4-5",
      apiKey: KEY,
      anthropicApiUrl: provider.url,
      maxRetries: 0,
      ...fields,
    }),
  "openai-chat": (provider: ProviderEmulator, fields: object = {}) =>
    new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: KEY,
      configuration: { baseURL: provider.openAIBaseURL },
      maxRetries: 0,
      ...fields,
    }),
  "openai-responses": (provider: ProviderEmulator, fields: object = {}) =>
    new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: KEY,
      configuration: { baseURL: provider.openAIBaseURL },
      useResponsesApi: true,
      maxRetries: 0,
      ...fields,
    }),
} as const;
const PROTOCOLS = Object.keys(clients) as (keyof typeof clients)[];

const weather = tool(({ city }) => `Sunny in ${city}`, {
  name: "weather",
  description: "The weather",
  schema: z.object({ city: z.string() }),
});

const failureOf = async (call: Promise<unknown>): Promise<Record<string, unknown>> =>
  call.then(
    () => {
      throw new Error("It did not fail.");
    },
    (error: unknown) => error as Record<string, unknown>,
  );

const streamed = async (model: {
  stream(input: string): Promise<AsyncIterable<AIMessageChunk>>;
}): Promise<{ text: string; message: AIMessageChunk | undefined; chunks: number }> => {
  let message: AIMessageChunk | undefined;
  let chunks = 0;
  for await (const chunk of await model.stream("Hi")) {
    chunks += 1;
    message = message ? message.concat(chunk) : chunk;
  }
  return { text: message?.text ?? "", message, chunks };
};

describe.each(PROTOCOLS)("a client of %s", (protocol) => {
  const start = async (options: EmulatorOptions, fields?: object) => {
    const provider = await startProviderEmulator(options);
    return { provider, model: clients[protocol](provider, fields) };
  };

  it("gets text, usage with cache reads and a stop reason, plain and streamed", async () => {
    const step = {
      text: "Hello there, this takes more than one piece.",
      usage: { inputTokens: 100, outputTokens: 9, cacheReadTokens: 60 },
    };
    const { provider, model } = await start({ script: [step, step] });
    await using _ = provider;
    const plain = await model.invoke("Hi");
    const stream = await streamed(model);
    for (const message of [plain, stream.message]) {
      expect(message?.text).toBe(step.text);
      expect(message?.usage_metadata).toMatchObject({
        input_tokens: 100,
        output_tokens: 9,
        input_token_details: { cache_read: 60 },
      });
    }
    expect(stream.chunks).toBeGreaterThan(2);
    expect(JSON.stringify(plain.response_metadata)).toMatch(/"(?:end_turn|stop|completed)"/);
    expect(provider.requests.map(({ protocol, stream }) => [protocol, stream])).toEqual([
      [protocol, false],
      [protocol, true],
    ]);
    provider.assertFinished();
  });

  it("gets tool calls with their ids and arguments, plain and streamed", async () => {
    const step = {
      text: "Looking.",
      toolCalls: [
        { name: "weather", args: { city: "Rome, in the middle of Italy" }, id: "t1" },
        { name: "weather", args: { city: "Oslo" }, id: "t2" },
      ],
    };
    const { provider, model } = await start({ script: [step, step] });
    await using _ = provider;
    const bound = model.bindTools([weather]);
    const plain = await bound.invoke("Hi");
    const { message } = await streamed(bound as never);
    for (const answer of [plain, message])
      expect(answer?.tool_calls?.map(({ id, name, args }) => ({ id, name, args }))).toEqual(
        step.toolCalls.map(({ id, name, args }) => ({ id, name, args })),
      );
    expect(provider.requests[0]?.tools[0]).toMatchObject({ name: "weather", description: "The weather" });
  });

  it("drives an agent of langchain through a tool and back", async () => {
    const { provider, model } = await start({
      policy: (messages) => {
        const last = messages.at(-1);
        return ToolMessage.isInstance(last)
          ? { text: `The tool says: ${last.text}` }
          : { toolCalls: [{ name: "weather", args: { city: "Rome" } }] };
      },
    });
    await using _ = provider;
    const agent = createAgent({ model, tools: [weather], systemPrompt: "Be brief." });
    const state = await agent.invoke({ messages: [new HumanMessage("Weather in Rome?")] });
    expect(state.messages.at(-1)?.text).toBe("The tool says: Sunny in Rome");
    expect(provider.requests.at(-1)?.messages.map((message) => message.getType())).toEqual([
      "system",
      "human",
      "ai",
      "tool",
    ]);
    provider.assertFinished();
  });

  it("sees a status, the provider's body and Retry-After, and gets the answer at the next try", async () => {
    const { provider, model } = await start({
      script: [{ text: "Hello." }],
      faults: [{ kind: "status", status: 429, retryAfter: 7 }],
    });
    await using _ = provider;
    const error = await failureOf(model.invoke("Hi"));
    expect(error["status"]).toBe(429);
    expect(new Headers(error["headers"] as Headers).get("retry-after")).toBe("7");
    expect(JSON.stringify(error["error"])).toMatch(/rate_limit/);
    expect((await model.invoke("Hi")).text).toBe("Hello.");
  });

  it("times out on a provider that hangs, before the first byte and in the middle", async () => {
    const { provider, model } = await start({
      script: [{ text: "Hello." }],
      faults: [{ kind: "hang" }, { kind: "hang", afterEvents: 1 }],
    });
    await using _ = provider;
    await expect(model.invoke("Hi", { signal: AbortSignal.timeout(150) })).rejects.toThrow(/abort|time/i);
    const stream = async () => {
      for await (const _ of await model.stream("Hi", { signal: AbortSignal.timeout(150) }));
    };
    const ended = await stream().then(
      () => "ended",
      () => "threw",
    );
    expect(ended).toBe("threw");
    expect((await model.invoke("Hi")).text).toBe("Hello.");
    provider.assertFinished();
  });

  it("fails on a connection that is cut in the middle of a stream, and gets the same turn again", async () => {
    const text = "A text that is long enough to be cut somewhere in its middle.";
    const { provider, model } = await start({
      script: [{ text }],
      faults: [{ kind: "cut", afterEvents: 4 }],
    });
    await using _ = provider;
    await expect(streamed(model)).rejects.toThrow(/terminated|reset|connection/i);
    expect((await streamed(model)).text).toBe(text);
    provider.assertFinished();
  });

  it("fails on an event that is not JSON", async () => {
    const { provider, model } = await start({
      script: [{ text: "Hello." }],
      faults: [{ kind: "malformed", afterEvents: 2 }],
    });
    await using _ = provider;
    await expect(streamed(model)).rejects.toThrow(/JSON/);
  });

  it("is refused for a tool call without a result, in the provider's words", async () => {
    const { provider, model } = await start({ script: [{ text: "never" }] });
    await using _ = provider;
    const call = { type: "tool_call" as const, id: "t1", name: "weather", args: {} };
    const error = await failureOf(
      model.invoke([
        new HumanMessage("Hi"),
        new AIMessage({ content: "", tool_calls: [call] }),
        new HumanMessage("And?"),
      ]),
    );
    expect(error["status"]).toBe(400);
    expect(String(error["message"])).toContain("t1");
  });

  it("keeps no key in the requests", async () => {
    const { provider, model } = await start({ script: [{ text: "Hello." }] });
    await using _ = provider;
    await model.invoke([new SystemMessage("Be brief."), new HumanMessage("Hi")]);
    expect(JSON.stringify(provider.requests)).not.toContain(KEY);
    expect(provider.requests[0]?.messages.map((message) => message.text)).toEqual(["Be brief.", "Hi"]);
  });
});

it("streams slowly by the clock that it is given", async () => {
  const clock = createVirtualClock();
  await using provider = await startProviderEmulator({
    script: [{ text: "Hello." }],
    faults: [{ kind: "slow", chunkDelayMs: 60_000 }],
    sleep: (ms) => clock.sleep(ms),
  });
  let done = false;
  const answer = streamed(clients["openai-chat"](provider)).finally(() => (done = true));
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await clock.advance(60_000);
  }
  expect((await answer).text).toBe("Hello.");
  expect(clock.elapsedMs()).toBeGreaterThanOrEqual(5 * 60_000);
});

it("sends the provider's own error event in the middle of a stream", async () => {
  await using provider = await startProviderEmulator({
    script: [{ text: "Hello." }],
    faults: [{ kind: "error_event", afterEvents: 3 }],
  });
  const error = await failureOf(streamed(clients.anthropic(provider)));
  expect(String(error["message"])).toContain("overloaded_error");
});

it("reports unused steps, unmet faults and calls that the script did not foresee", async () => {
  await using unused = await startProviderEmulator({ script: [{ text: "Hello." }] });
  expect(() => unused.assertFinished()).toThrow(/never played/);
  await using unmet = await startProviderEmulator({ script: [] });
  unmet.fail({ kind: "hang" });
  expect(() => unmet.assertFinished()).toThrow(/1 fault\(s\) were never met/);
  await using exhausted = await startProviderEmulator({ script: [] });
  await expect(clients.anthropic(exhausted).invoke("Hi")).rejects.toThrow(/called once more/);
  expect(() => exhausted.assertFinished()).toThrow(/called once more/);
});

it("answers what it does not serve with a 404, and closes with connections open", async () => {
  const provider = await startProviderEmulator({
    script: [{ text: "Hello." }],
    protocols: ["anthropic"],
    faults: [{ kind: "hang" }],
  });
  expect((await failureOf(clients["openai-chat"](provider).invoke("Hi")))["status"]).toBe(404);
  const hanging = clients.anthropic(provider).invoke("Hi");
  const failed = failureOf(hanging);
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await provider.close();
  await provider.close();
  expect(String(await failed)).toMatch(/connection/i);
});

it("tells the usage of a stream of chat completions only when it is asked to, as OpenAI does", async () => {
  const step = { text: "Hello.", usage: { inputTokens: 3, outputTokens: 2 } };
  await using provider = await startProviderEmulator({ script: [step, step] });
  const silent = await streamed(clients["openai-chat"](provider, { streamUsage: false }));
  const telling = await streamed(clients["openai-chat"](provider));
  expect(silent.message?.usage_metadata).toBeUndefined();
  expect(telling.message?.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 2 });
});
