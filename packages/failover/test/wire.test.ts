import {
  failoverMiddleware,
  type FailoverEvent,
  FailoverExhaustedError,
  type FailoverMiddlewareOptions,
  failureOf,
  FallbackChatModel,
  type FailureReason,
} from "@fiveseam/failover";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { anthropicPromptCachingMiddleware, createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropic, openAI } from "./support/clients.js";
import {
  type Answer,
  anthropicAnswer,
  anthropicBroken,
  anthropicError,
  openAIAnswer,
  openAIBroken,
  openAIError,
  page,
  ProviderServer,
  reset,
  silence,
} from "./support/provider-server.js";

const quick = { backoffBaseMs: 1, maxWaitMs: 0 } as const;
/** Short only where silence is what is tested: the machine may be busy. */
const silent = { firstByteTimeoutMs: 300, idleTimeoutMs: 300 } as const;

const listening = () => {
  const events: FailoverEvent[] = [];
  return {
    events,
    onEvent: (event: FailoverEvent) => void events.push(event),
    reasons: () => events.flatMap((event) => (event.type === "attempt_failed" ? [event.failure.reason] : [])),
    types: () => events.map((event) => event.type),
  };
};

const openAIFailures: [string, Answer, FailureReason, number][] = [
  ["401", openAIError(401, "invalid_api_key", "Incorrect API key provided"), "auth", 1],
  ["402", openAIError(402, null, "Insufficient Balance"), "billing", 1],
  ["403", openAIError(403, "unsupported_country_region_territory", "Country not supported"), "auth", 1],
  ["404", openAIError(404, "model_not_found", "The model does not exist"), "model_not_found", 1],
  ["408", openAIError(408, null, "Request timeout"), "timeout", 1],
  [
    "429 with Retry-After",
    openAIError(429, "rate_limit_exceeded", "Slow down", { "retry-after": "20" }),
    "rate_limit",
    1,
  ],
  ["429 without", openAIError(429, null, "Slow down"), "rate_limit", 1],
  [
    "429 of an empty account",
    openAIError(429, "insufficient_quota", "You exceeded your current quota"),
    "billing",
    1,
  ],
  ["500", openAIError(500, "server_error", "The server had an error"), "overloaded", 1],
  ["502 as a page", page(502, "502 Bad Gateway"), "overloaded", 1],
  ["503", openAIError(503, null, "The engine is currently overloaded"), "overloaded", 1],
  ["a blocked page", page(403, "Attention Required! | Cloudflare"), "network", 3],
  ["a reset connection", reset, "network", 3],
  ["silence", silence, "timeout", 1],
  ["a stream that stalls", openAIBroken("Half an", () => undefined), "timeout", 1],
  ["a stream that breaks", openAIBroken("Half an", (response) => response.socket?.destroy()), "network", 3],
  [
    "an error in the stream",
    openAIBroken("Half an", (response) => {
      response.end(
        'data: {"error":{"message":"The server had an error","type":"server_error","code":"server_error"}}\n\n',
      );
    }),
    "overloaded",
    1,
  ],
];

describe.each(["FallbackChatModel", "failoverMiddleware"] as const)("%s over the wire", (face) => {
  const ask = async (
    models: [
      ReturnType<typeof openAI> | ReturnType<typeof anthropic>,
      ...(ReturnType<typeof openAI> | ReturnType<typeof anthropic>)[],
    ],
    options: Omit<FailoverMiddlewareOptions, "models" | "compact">,
  ): Promise<string> => {
    const [primary, ...fallbacks] = models;
    if (face === "FallbackChatModel")
      return (await new FallbackChatModel({ models, ...quick, ...options }).invoke("Say hello")).text;
    const agent = createAgent({
      model: primary,
      tools: [],
      middleware: [failoverMiddleware({ models: fallbacks, ...quick, ...options })],
    });
    const state = await agent.invoke({ messages: [new HumanMessage("Say hello")] });
    expect(state.messages.filter((message) => message.type === "human")).toHaveLength(1);
    return state.messages.at(-1)?.text ?? "";
  };

  it.each(openAIFailures)("OpenAI's client: %s", async (_name, failing, reason, requests) => {
    await using first = await ProviderServer.start(failing);
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Hello from the second." }));
    const heard = listening();
    const limits = reason === "timeout" ? silent : {};
    expect(await ask([openAI(first), anthropic(second)], { ...heard, ...limits })).toBe(
      "Hello from the second.",
    );
    expect(new Set(heard.reasons())).toEqual(new Set([reason]));
    expect(first.requests).toHaveLength(requests);
    expect(second.requests).toHaveLength(1);
    expect(JSON.stringify(second.requests[0]?.body.messages)).toContain("Say hello");
    expect(heard.types().slice(-2)).toEqual(["failing_over", "recovered"]);
  });

  const anthropicFailures: [string, Answer, FailureReason, number][] = [
    ["401", anthropicError(401, "authentication_error", "invalid x-api-key"), "auth", 1],
    ["403", anthropicError(403, "permission_error", "Not allowed"), "auth", 1],
    ["404", anthropicError(404, "not_found_error", "model: claude-none"), "model_not_found", 1],
    ["429", anthropicError(429, "rate_limit_error", "Too many tokens per minute"), "rate_limit", 1],
    ["500", anthropicError(500, "api_error", "Internal server error"), "overloaded", 1],
    ["529", anthropicError(529, "overloaded_error", "Overloaded"), "overloaded", 1],
    [
      "a low balance under a 400",
      anthropicError(400, "invalid_request_error", "Your credit balance is too low"),
      "billing",
      1,
    ],
    ["an error in the stream", anthropicBroken("Half an", "overloaded_error"), "overloaded", 1],
    ["a reset connection", reset, "network", 3],
    ["silence", silence, "timeout", 1],
  ];
  it.each(anthropicFailures)("Anthropic's client: %s", async (_name, failing, reason, requests) => {
    await using first = await ProviderServer.start(failing);
    await using second = await ProviderServer.start(openAIAnswer({ text: "Hello from the second." }));
    const heard = listening();
    const limits = reason === "timeout" ? silent : {};
    expect(await ask([anthropic(first), openAI(second)], { ...heard, ...limits })).toBe(
      "Hello from the second.",
    );
    expect(new Set(heard.reasons())).toEqual(new Set([reason]));
    expect(first.requests).toHaveLength(requests);
    expect(second.requests).toHaveLength(1);
  });

  it("surfaces a bad request at once, as the provider's own error", async () => {
    await using first = await ProviderServer.start(
      openAIError(400, "unsupported_parameter", "Unsupported parameter"),
    );
    await using second = await ProviderServer.start(openAIAnswer({ text: "Never." }));
    const error: unknown = await ask([openAI(first), openAI(second)], {}).catch((caught: unknown) => caught);
    expect(String((error as Error).message)).toContain("Unsupported parameter");
    expect(failureOf(error).reason).toBe("invalid_request");
    expect(second.requests).toHaveLength(0);
  });

  it("surfaces the error of the only model as it is, with its classification", async () => {
    await using first = await ProviderServer.start(
      anthropicError(401, "authentication_error", "invalid x-api-key"),
    );
    const error: unknown = await ask([anthropic(first)], {}).catch((caught: unknown) => caught);
    expect((error as Error).message).toContain("invalid x-api-key");
    expect(failureOf(error)).toMatchObject({ reason: "auth", recovery: "failover" });
    expect(FailoverExhaustedError.isInstance(error)).toBe(false);
  });

  it("names every attempt when all failed, and no key", async () => {
    await using first = await ProviderServer.start(openAIError(503, null, "Overloaded"));
    await using second = await ProviderServer.start(
      anthropicError(401, "authentication_error", "invalid x-api-key"),
    );
    const caught: unknown = await ask([openAI(first), anthropic(second)], {}).catch(
      (error: unknown) => error,
    );
    const error = face === "FallbackChatModel" ? caught : (caught as Error).cause;
    if (!FailoverExhaustedError.isInstance(error)) throw new Error("Not exhausted", { cause: error });
    expect(error.attempts.map(({ identity, failure }) => [identity.provider, failure.reason])).toEqual([
      ["openai", "overloaded"],
      ["anthropic", "auth"],
    ]);
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/sk-/);
    expect((error.cause as { status?: number }).status).toBe(401);
  });

  it("waits for a stated Retry-After when nobody else is left", async () => {
    await using only = await ProviderServer.start(
      openAIError(429, "rate_limit_exceeded", "Slow down", { "retry-after-ms": "60" }),
      openAIAnswer({ text: "Now." }),
    );
    const heard = listening();
    expect(await ask([openAI(only)], { ...heard, maxWaitMs: 1000 })).toBe("Now.");
    const waiting = heard.events.find((event) => event.type === "waiting");
    expect(waiting?.delayMs).toBeLessThanOrEqual(60);
    expect(waiting?.delayMs).toBeGreaterThan(30);
  });
});

describe("an agent", () => {
  it("survives a rate limit, then an overload, with one user message and every tool run once", async () => {
    const call = { id: "toolu_1", name: "add", args: { a: 1, b: 2 } };
    await using first = await ProviderServer.start(
      openAIError(429, "rate_limit_exceeded", "Slow down", { "retry-after": "60" }),
    );
    await using second = await ProviderServer.start(anthropicError(529, "overloaded_error", "Overloaded"));
    await using third = await ProviderServer.start(
      openAIAnswer({ text: "Let me add.", toolCalls: [call] }),
      openAIAnswer({ text: "It is 3." }),
    );
    let runs = 0;
    const add = tool(
      ({ a, b }: { a: number; b: number }) => {
        runs += 1;
        return String(a + b);
      },
      { name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }) },
    );
    const heard = listening();
    const agent = createAgent({
      model: openAI(first),
      tools: [add],
      middleware: [
        failoverMiddleware({
          models: [anthropic(second), openAI(third, "gpt-4.1-mini")],
          ...quick,
          ...heard,
        }),
      ],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("What is 1 + 2?")] });
    expect(messages.map((message) => message.type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(messages.at(-1)?.text).toBe("It is 3.");
    expect(runs).toBe(1);
    expect(heard.reasons()).toEqual(["rate_limit", "overloaded"]);
    // The second turn goes straight to the third: the others cool.
    expect([first, second, third].map((server) => server.requests.length)).toEqual([1, 1, 2]);
    expect(third.requests[1]?.body.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
    ]);
  });

  it("streams messages of the answer that counts, and says when it started again", async () => {
    await using first = await ProviderServer.start(
      openAIBroken("Half an answer", (response) =>
        response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'),
      ),
    );
    await using second = await ProviderServer.start(anthropicAnswer({ text: "A whole answer." }));
    const heard = listening();
    const agent = createAgent({
      model: openAI(first),
      tools: [],
      middleware: [failoverMiddleware({ models: [anthropic(second)], ...quick, ...heard })],
    });
    const byId = new Map<string, string>();
    for await (const [chunk] of await agent.stream(
      { messages: [new HumanMessage("Hi")] },
      { streamMode: "messages" },
    ))
      byId.set(chunk.id ?? "", (byId.get(chunk.id ?? "") ?? "") + chunk.text);
    expect([...byId.values()]).toEqual(["Half an answer", "A whole answer."]);
    expect(heard.types()).toEqual(["attempt_failed", "restarted", "failing_over", "recovered"]);
  });

  it.each(["v2", "v3"] as const)(
    "knows that somebody hears the tokens of streamEvents %s",
    async (version) => {
      await using first = await ProviderServer.start(
        openAIBroken("Half", (response) =>
          response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'),
        ),
      );
      await using second = await ProviderServer.start(anthropicAnswer({ text: "Whole." }));
      const heard = listening();
      const agent = createAgent({
        model: openAI(first),
        tools: [],
        middleware: [failoverMiddleware({ models: [anthropic(second)], ...quick, ...heard })],
      });
      const input = { messages: [new HumanMessage("Hi")] };
      if (version === "v2") for await (const _ of agent.streamEvents(input, { version })) continue;
      else for await (const _ of await agent.streamEvents(input, { version })) continue;
      expect(heard.types()).toEqual(["attempt_failed", "restarted", "failing_over", "recovered"]);
    },
  );

  it("keeps the prompt caching of the model that answers", async () => {
    await using first = await ProviderServer.start(openAIError(503, null, "Overloaded"));
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Cached." }));
    const agent = createAgent({
      model: openAI(first),
      tools: [],
      systemPrompt: "Be brief.",
      middleware: [
        failoverMiddleware({ models: [anthropic(second)], ...quick }),
        anthropicPromptCachingMiddleware({ minMessagesToCache: 0, unsupportedModelBehavior: "ignore" }),
      ],
    });
    await agent.invoke({ messages: [new HumanMessage("Hi")] });
    expect(JSON.stringify(second.requests[0]?.body)).toContain("cache_control");
    expect(JSON.stringify(first.requests[0]?.body)).not.toContain("cache_control");
  });

  it("does not start again silently for a caller who only wants the end", async () => {
    await using first = await ProviderServer.start(
      openAIBroken("Half", (response) => response.socket?.destroy()),
    );
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Whole." }));
    const heard = listening();
    const agent = createAgent({
      model: openAI(first),
      tools: [],
      middleware: [
        failoverMiddleware({ models: [anthropic(second)], ...quick, onPartial: "fail", ...heard }),
      ],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Hi")] });
    expect(messages.at(-1)?.text).toBe("Whole.");
    expect(heard.types()).not.toContain("restarted");
    // Nobody asked for pieces: the answer in state is a plain message.
    expect(messages.at(-1)?.constructor.name).toBe("AIMessage");
  });

  it('fails instead with onPartial: "fail", once somebody heard a token', async () => {
    await using first = await ProviderServer.start(
      openAIBroken("Half", (response) => response.socket?.destroy()),
    );
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Whole." }));
    const agent = createAgent({
      model: openAI(first),
      tools: [],
      middleware: [failoverMiddleware({ models: [anthropic(second)], ...quick, onPartial: "fail" })],
    });
    const read = async (): Promise<void> => {
      for await (const _ of await agent.stream(
        { messages: [new HumanMessage("Hi")] },
        { streamMode: "messages" },
      ))
        continue;
    };
    const error: unknown = await read().catch((caught: unknown) => caught);
    expect(failureOf(error).reason).toBe("network");
    expect(second.requests).toHaveLength(0);
  });
});

describe("FallbackChatModel", () => {
  it("streams, with usage, and says in the text that it started again", async () => {
    await using first = await ProviderServer.start(
      openAIBroken("Half an", (response) =>
        response.end('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'),
      ),
    );
    await using second = await ProviderServer.start(anthropicAnswer({ text: "A whole answer." }));
    const model = new FallbackChatModel({ models: [openAI(first), anthropic(second)], ...quick });
    let text = "";
    let tokens = 0;
    for await (const chunk of await model.stream("Hi")) {
      text += chunk.text;
      tokens += chunk.usage_metadata?.output_tokens ?? 0;
    }
    expect(text).toBe("Half an\n\n[The answer broke off here and starts again.]\n\nA whole answer.");
    expect(tokens).toBeGreaterThanOrEqual(3);
  });

  it("fails once part of a tool call was streamed", async () => {
    await using first = await ProviderServer.start((response, { body }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const delta = {
        role: "assistant",
        tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "add", arguments: '{"a"' } }],
      };
      response.write(
        `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
      );
      setTimeout(() => response.socket?.destroy(), 30);
    });
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Never." }));
    const model = new FallbackChatModel({ models: [openAI(first), anthropic(second)], ...quick });
    const read = async (): Promise<void> => {
      for await (const _ of await model.stream("Hi")) continue;
    };
    await expect(read()).rejects.toThrow("terminated");
    expect(second.requests).toHaveLength(0);
  });

  const schema = z.object({ a: z.number(), b: z.number() });
  const add = tool(() => "3", { name: "add", description: "Adds.", schema });

  it("binds tools to whichever model answers, in that model's own form", async () => {
    const call = { id: "toolu_9", name: "add", args: { a: 1, b: 2 } };
    await using first = await ProviderServer.start(openAIError(503, null, "Overloaded"));
    await using second = await ProviderServer.start(anthropicAnswer({ toolCalls: [call] }));
    const model = new FallbackChatModel({ models: [openAI(first), anthropic(second)], ...quick }).bindTools([
      add,
    ]);
    const answer = await model.invoke("What is 1 + 2?");
    expect(answer.tool_calls).toMatchObject([call]);
    expect(first.requests[0]?.body["tools"]).toMatchObject([{ type: "function", function: { name: "add" } }]);
    expect(second.requests[0]?.body["tools"]).toMatchObject([
      { name: "add", input_schema: { type: "object" } },
    ]);
  });

  it("gives structured output from whichever model answers", async () => {
    await using first = await ProviderServer.start(openAIError(503, null, "Overloaded"));
    await using second = await ProviderServer.start(
      anthropicAnswer({ toolCalls: [{ id: "toolu_1", name: "extract", args: { a: 1, b: 2 } }] }),
    );
    const model = new FallbackChatModel({ models: [openAI(first), anthropic(second)], ...quick });
    const structured = model.withStructuredOutput(schema, { method: "functionCalling" });
    expect(await structured.invoke("1 and 2")).toEqual({ a: 1, b: 2 });
    expect(second.requests).toHaveLength(1);
  });

  it("stops at an abort, and asks nobody else", async () => {
    await using first = await ProviderServer.start(silence);
    await using second = await ProviderServer.start(anthropicAnswer({ text: "Never." }));
    const model = new FallbackChatModel({ models: [openAI(first), anthropic(second)] });
    const abort = new AbortController();
    const work = model.invoke("Hi", { signal: abort.signal }).catch((error: unknown) => error);
    setTimeout(() => abort.abort(), 50);
    expect(failureOf(await work).reason).toBe("user_abort");
    expect(second.requests).toHaveLength(0);
  });

  it("lets go of the model when its reader leaves", async () => {
    let closed = false;
    await using only = await ProviderServer.start((response, request) => {
      response.on("close", () => {
        closed = true;
      });
      return openAIBroken("Half an", () => undefined)(response, request);
    });
    const model = new FallbackChatModel({ models: [openAI(only)], ...quick, idleTimeoutMs: 0 });
    for await (const chunk of await model.stream("Hi")) if (chunk.text) break;
    await expect.poll(() => closed).toBe(true);
  });
});
