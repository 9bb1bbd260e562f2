import { adaptMessages, failoverMiddleware, FallbackChatModel } from "@fiveseam/failover";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import fc from "fast-check";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { anthropic } from "./support/clients.js";
import {
  anthropicAnswer,
  anthropicError,
  ProviderServer,
  type SeenRequest,
} from "./support/provider-server.js";

const TARGETS = ["anthropic", "openai", "azure-openai", "gemini", "groq", "glm", "qwen", "local", "bedrock"];
const by = (client: string, fields: object): AIMessage =>
  new AIMessage({ ...fields, response_metadata: { model_provider: client } } as never);

/** What Anthropic says of blank content, on messages as its client sends them. */
const refusedByAnthropic = ({ body }: SeenRequest): string | undefined => {
  type Part = { type: string; text?: string; content?: unknown };
  const parts = (content: unknown): Part[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as Part[]);
  const blank = (part: Part): boolean =>
    (part.type === "text" && !part.text?.trim()) ||
    (part.type === "tool_result" && Array.isArray(part.content) && parts(part.content).some(blank));
  for (const [at, { content }] of body.messages.entries())
    if (parts(content).length === 0 || parts(content).some(blank))
      return `messages.${at}: text content blocks must contain non-whitespace text`;
  if (body["system"] !== undefined && parts(body["system"]).some(blank))
    return "system: text content blocks must be non-empty";
  return undefined;
};
const strict: (response: Parameters<ReturnType<typeof anthropicAnswer>>[0], request: SeenRequest) => void = (
  response,
  request,
) => {
  const refused = refusedByAnthropic(request);
  void (
    refused === undefined
      ? anthropicAnswer({ text: "fine" })
      : anthropicError(400, "invalid_request_error", refused)
  )(response, request);
};

const CALL = { type: "tool_call" as const, id: "c1", name: "add", args: {} };
const threads: [string, BaseMessage[]][] = [
  ["an empty answer", [new HumanMessage("a"), by("anthropic", { content: "" }), new HumanMessage("b")]],
  [
    "an answer of no blocks",
    [new HumanMessage("a"), by("anthropic", { content: [] }), new HumanMessage("b")],
  ],
  [
    "an answer of a blank block",
    [
      new HumanMessage("a"),
      by("anthropic", { content: [{ type: "text", text: "" }] }),
      new HumanMessage("b"),
    ],
  ],
  [
    "another's blank answer",
    [new HumanMessage("a"), by("openai", { content: " \n" }), new HumanMessage("b")],
  ],
  [
    "a blank text beside a call",
    [
      new HumanMessage("a"),
      by("openai", { content: "\n\n", tool_calls: [CALL] }),
      new ToolMessage({ content: "r", tool_call_id: "c1" }),
    ],
  ],
  [
    "a blank block beside a call of its own",
    [
      new HumanMessage("a"),
      by("anthropic", {
        content: [
          { type: "text", text: "\n\n" },
          { type: "tool_use", id: "c1", name: "add", input: {} },
        ],
        tool_calls: [CALL],
      }),
      new ToolMessage({ content: [{ type: "text", text: "" }], tool_call_id: "c1" }),
    ],
  ],
  ["an empty question", [new HumanMessage(""), new AIMessage("x"), new HumanMessage("b")]],
  ["a question of a blank block", [new HumanMessage({ content: [{ type: "text", text: " " }] })]],
  ["an empty system prompt", [new SystemMessage(""), new HumanMessage("a")]],
  [
    "a blank text in Anthropic's spelling of a result",
    [
      new HumanMessage("a"),
      by("anthropic", { content: "", tool_calls: [CALL] }),
      new HumanMessage({
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "" }] },
          { type: "text", text: "" },
        ],
      }),
    ],
  ],
];

describe("blank messages", () => {
  it.each(threads)("%s reaches Anthropic as something that it takes", async (_name, messages) => {
    await using server = await ProviderServer.start(strict);
    const before = JSON.stringify(messages);
    expect(
      (await new FallbackChatModel({ models: [anthropic(server)], maxWaitMs: 0 }).invoke(messages)).text,
    ).toBe("fine");
    expect(JSON.stringify(messages)).toBe(before);
  });

  it("do not end the thread of an agent, a blank system prompt included", async () => {
    await using server = await ProviderServer.start(strict);
    const agent = createAgent({
      model: anthropic(server),
      systemPrompt: " ",
      middleware: [failoverMiddleware({ models: [], maxWaitMs: 0 })],
    });
    const messages = [new HumanMessage("a"), by("anthropic", { content: "" }), new HumanMessage("b")];
    expect((await agent.invoke({ messages })).messages.at(-1)?.text).toBe("fine");
  });

  it("keep their place between two of the other side, and go where one of their own stands beside", () => {
    const to = { to: { provider: "openai" } };
    const empty = () => by("openai", { content: "" });
    const contents = (messages: BaseMessage[]) => adaptMessages(messages, to).map((each) => each.content);
    expect(contents([new HumanMessage("a"), empty(), new HumanMessage("b")])).toEqual([
      "a",
      "(no content)",
      "b",
    ]);
    expect(contents([new HumanMessage("a"), empty(), empty(), new HumanMessage("b")])).toEqual([
      "a",
      "(no content)",
      "b",
    ]);
    expect(contents([new HumanMessage("a"), new AIMessage("x"), empty(), new HumanMessage("b")])).toEqual([
      "a",
      "x",
      "b",
    ]);
    expect(contents([new HumanMessage("a"), empty()])).toEqual(["a"]);
    expect(contents([new HumanMessage("")])).toEqual(["(empty)"]);
  });

  it("keep what was set on a message after it was made, and its class", () => {
    const answer = new AIMessageChunk({ content: [{ type: "text", text: "" }], tool_calls: [CALL] });
    answer.id = "later";
    answer.response_metadata = { model_provider: "anthropic" };
    const [after] = adaptMessages([answer], { to: { provider: "anthropic" } }) as [AIMessageChunk];
    expect(after).toBeInstanceOf(AIMessageChunk);
    expect(after).toMatchObject({ id: "later", content: "", tool_calls: [CALL] });
    expect(after.response_metadata).toEqual({ model_provider: "anthropic" });
    expect(JSON.parse(JSON.stringify(after))).toMatchObject({ kwargs: { content: "" } });
  });

  it("stand nowhere in what comes out, calls and results stay pairs, and twice is once (property)", () => {
    const content = fc.oneof(
      fc.constantFrom("", " ", "\n\n", "words"),
      fc.array(
        fc.constantFrom(
          { type: "text", text: "" },
          { type: "text", text: "\t" },
          { type: "text", text: "w" },
        ),
        {
          maxLength: 3,
        },
      ),
    );
    const message = fc.record({
      kind: fc.constantFrom("human", "ai", "call"),
      client: fc.constantFrom("anthropic", "openai", "google-genai"),
      content,
      result: content,
    });
    const build = (
      drawn: { kind: string; client: string; content: unknown; result: unknown }[],
    ): BaseMessage[] =>
      drawn.flatMap((each, index): BaseMessage[] => {
        if (each.kind === "human") return [new HumanMessage({ content: each.content } as never)];
        if (each.kind === "ai") return [by(each.client, { content: each.content })];
        return [
          by(each.client, { content: each.content, tool_calls: [{ ...CALL, id: `c${index}` }] }),
          new ToolMessage({ content: each.result as never, tool_call_id: `c${index}` }),
        ];
      });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.constantFrom(...TARGETS), (drawn, provider) => {
        const messages = build(drawn);
        const before = JSON.stringify(messages);
        const after = adaptMessages(messages, { to: { provider } });
        for (const each of after) {
          const calls = AIMessage.isInstance(each) ? (each.tool_calls ?? []).length : 0;
          if (typeof each.content === "string")
            expect(each.content.trim().length > 0 || calls > 0).toBe(true);
          else for (const block of each.content) expect(String(block["text"]).trim()).not.toBe("");
          expect(each.content === "" || each.content.length > 0).toBe(true);
        }
        const calls = after.flatMap((each) => (AIMessage.isInstance(each) ? (each.tool_calls ?? []) : []));
        const results = after.filter((each) => ToolMessage.isInstance(each));
        expect(calls.map((each) => each.id)).toEqual(results.map((each) => each.tool_call_id));
        expect(after.filter((each) => each.type === "human")).toHaveLength(
          drawn.filter((each) => each.kind === "human").length,
        );
        const again = adaptMessages(after, { to: { provider } });
        expect(again.map((each) => each.toDict())).toEqual(after.map((each) => each.toDict()));
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });
});

describe("calls whose arguments could not be read", () => {
  const broken = (): AIMessage =>
    by("openai", {
      content: "",
      invalid_tool_calls: [{ id: "c1", name: "add", args: '{"a":', type: "invalid_tool_call" }],
      additional_kwargs: {
        tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":' } }],
      },
    });

  it("go back to their own provider readable, where they have a result, and else not at all", () => {
    const answered = [broken(), new ToolMessage({ content: "Bad", tool_call_id: "c1", status: "error" })];
    const [call] = adaptMessages(answered, { to: { provider: "openai" } }) as [AIMessage];
    expect(call.tool_calls).toMatchObject([{ id: "c1", name: "add", args: {} }]);
    expect(call.additional_kwargs).toEqual({});
    const alone = [new HumanMessage("a"), broken(), new HumanMessage("b")];
    expect(adaptMessages(alone, { to: { provider: "openai" } }).map((each) => each.content)).toEqual([
      "a",
      "(no content)",
      "b",
    ]);
  });
});
