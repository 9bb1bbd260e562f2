import { adaptMessages, type AdaptOptions } from "@fiveseam/failover";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const TARGETS = [
  "anthropic",
  "openai",
  "gemini",
  "groq",
  "deepseek",
  "xai",
  "qwen",
  "glm",
  "local",
  "mistral",
  "bedrock",
];
const ACCEPTED: Record<string, RegExp> = {
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  bedrock: /^[a-zA-Z0-9_-]{1,64}$/,
  mistral: /^[a-zA-Z0-9]{9}$/,
};
const accepted = (provider: string): RegExp => ACCEPTED[provider] ?? /^[a-zA-Z0-9_-]{1,40}$/;

const claude = (fields: object): AIMessage =>
  new AIMessage({ ...fields, response_metadata: { model_provider: "anthropic" } } as never);
const gpt = (fields: object): AIMessage =>
  new AIMessage({ ...fields, response_metadata: { model_provider: "openai" } } as never);

const freeze = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) freeze(each);
  }
  return value;
};

describe("calls and results", () => {
  const id = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80 }),
    fc.constantFrom(
      "call_a",
      "toolu_01",
      "functions.add:0",
      "x".repeat(64),
      "abc123XYZ",
      "chatcmpl-tool-0a9f",
    ),
  );
  const conversation = fc.uniqueArray(id, { minLength: 1, maxLength: 8 }).chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      writer: fc.constantFrom("anthropic", "openai", "google-genai", undefined),
      text: fc.constantFrom("", "Working."),
      target: fc.constantFrom(...TARGETS),
    }),
  );
  const build = ({
    ids,
    writer,
    text,
  }: {
    ids: string[];
    writer: string | undefined;
    text: string;
  }): BaseMessage[] => [
    new HumanMessage("Go"),
    ...ids.flatMap((each, index) => [
      new AIMessage({
        content: text,
        tool_calls: [{ type: "tool_call", id: each, name: "add", args: { index } }],
        response_metadata: writer === undefined ? {} : { model_provider: writer },
      }),
      new ToolMessage({ content: String(index), tool_call_id: each }),
    ]),
  ];
  const calls = (messages: readonly BaseMessage[]): (string | undefined)[] =>
    messages.flatMap((each) =>
      AIMessage.isInstance(each) ? (each.tool_calls ?? []).map((call) => call.id) : [],
    );
  const results = (messages: readonly BaseMessage[]): string[] =>
    messages.flatMap((each) => (ToolMessage.isInstance(each) ? [each.tool_call_id] : []));

  it("stay pairs, in order, under ids that the target takes and that stay distinct (property)", () => {
    fc.assert(
      fc.property(conversation, (drawn) => {
        const before = build(drawn);
        const after = adaptMessages(freeze(before), {
          from: { provider: "anthropic" },
          to: { provider: drawn.target },
        });
        expect(calls(after)).toEqual(results(after));
        expect(calls(after)).toHaveLength(drawn.ids.length);
        expect(new Set(calls(after)).size).toBe(drawn.ids.length);
        for (const each of results(after)) expect(each).toMatch(accepted(drawn.target));
      }),
      { numRuns: 500 },
    );
  });

  it("keep their new ids from request to request, and the old ones where they are taken (property)", () => {
    fc.assert(
      fc.property(conversation, (drawn) => {
        const options: AdaptOptions = { from: { provider: "anthropic" }, to: { provider: drawn.target } };
        const whole = calls(adaptMessages(build(drawn), options));
        const shorter = calls(adaptMessages(build({ ...drawn, ids: drawn.ids.slice(0, -1) }), options));
        expect(whole.slice(0, -1)).toEqual(shorter);
        for (const [index, each] of drawn.ids.entries())
          if (accepted(drawn.target).test(each)) expect(whole[index]).toBe(each);
      }),
      { numRuns: 300 },
    );
  });

  it("survive being adapted twice unchanged (property)", () => {
    fc.assert(
      fc.property(conversation, (drawn) => {
        const options: AdaptOptions = { to: { provider: drawn.target } };
        const once = adaptMessages(build(drawn), options);
        const twice = adaptMessages(once, options);
        expect(twice.map((each) => each.toDict())).toEqual(once.map((each) => each.toDict()));
      }),
    );
  });

  it("keep a call whose arguments could not be read, when it has a result", () => {
    const messages = [
      claude({
        content: "",
        invalid_tool_calls: [{ id: "t1", name: "add", args: "{", type: "invalid_tool_call" }],
      }),
      new ToolMessage({ content: "Bad arguments", tool_call_id: "t1", status: "error" }),
    ];
    const after = adaptMessages(messages, { to: { provider: "openai" } });
    expect(calls(after)).toEqual(["t1"]);
    expect((after[1] as ToolMessage).status).toBe("error");
  });

  it("come out of Anthropic's spelling of results in a user's message", () => {
    const messages = [
      claude({ content: "", tool_calls: [{ id: "toolu:1", name: "add", args: {} }] }),
      new HumanMessage({
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu:1",
            content: "3",
            is_error: true,
            cache_control: { type: "ephemeral" },
          },
          { type: "text", text: "Go on", cache_control: { type: "ephemeral" } },
        ],
      }),
    ];
    const after = adaptMessages(messages, { to: { provider: "openai" } });
    expect(after.map((each) => each.type)).toEqual(["ai", "tool", "human"]);
    expect(calls(after)).toEqual(results(after));
    expect(after[2]?.content).toEqual([{ type: "text", text: "Go on" }]);
    expect(adaptMessages(messages, { to: { provider: "anthropic" } })[1]).toBe(messages[1]);
  });
});

describe("an answer of another provider", () => {
  it("keeps its words and calls, and loses reasoning, signatures, item ids and leftovers", () => {
    const answer = claude({
      id: "msg_01",
      content: [
        { type: "thinking", thinking: "Hm", signature: "abc" },
        { type: "redacted_thinking", data: "xyz" },
        { type: "text", text: "I add." },
        { type: "text", text: "" },
        { type: "tool_use", id: "toolu_1", name: "add", input: { a: 1 } },
      ],
      tool_calls: [{ id: "toolu_1", name: "add", args: { a: 1 } }],
      additional_kwargs: { stop_reason: "tool_use" },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    const [after] = adaptMessages([answer], { to: { provider: "openai" } }) as [AIMessage];
    expect(after.content).toEqual([{ type: "text", text: "I add." }]);
    expect(after.tool_calls).toMatchObject([{ id: "toolu_1", name: "add", args: { a: 1 } }]);
    expect(after.id).toBeUndefined();
    expect(after.additional_kwargs).toEqual({});
    expect(after.response_metadata).toEqual({});
    expect(after.usage_metadata?.total_tokens).toBe(3);
  });

  it("loses OpenAI's reasoning items and raw output", () => {
    const answer = new AIMessage({
      id: "msg_1",
      content: [{ type: "text", text: "Yes", annotations: [] }],
      additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", summary: [] } },
      response_metadata: {
        model_provider: "openai",
        id: "resp_1",
        output: [{ type: "reasoning", id: "rs_1" }],
      },
    } as never);
    const [after] = adaptMessages([answer], { to: { provider: "anthropic" } }) as [AIMessage];
    expect(JSON.stringify(after.toDict())).not.toMatch(/rs_1|resp_1|annotations/);
    expect(after.text).toBe("Yes");
  });

  it("tells in words what a tool at the provider did", () => {
    const answer = claude({
      content: [
        { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "weather" } },
        { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ title: "Rain" }] },
        { type: "text", text: "It rains." },
      ],
    });
    const [after] = adaptMessages([answer], { to: { provider: "openai" } });
    expect(after?.content).toEqual([
      { type: "text", text: '[web_search: {"query":"weather"}]' },
      { type: "text", text: '[web_search_tool_result: [{"title":"Rain"}]]' },
      { type: "text", text: "It rains." },
    ]);
  });

  it("goes when nothing is left of it", () => {
    const answer = claude({ content: [{ type: "thinking", thinking: "Hm", signature: "s" }] });
    expect(adaptMessages([new HumanMessage("Hi"), answer], { to: { provider: "openai" } })).toHaveLength(1);
  });

  it("is known by our stamp before its client's name", () => {
    const answer = new AIMessage({
      content: "Yes",
      additional_kwargs: { reasoning_content: "Hm" },
      response_metadata: { model_provider: "openai", fiveseam_served_by: "glm" },
    });
    const kept = adaptMessages([answer], { to: { provider: "glm", wire: "openai" } });
    expect(kept[0]).toBe(answer);
    const cleaned = adaptMessages([answer], { to: { provider: "openai", wire: "openai" } });
    expect(cleaned[0]?.additional_kwargs).toEqual({});
  });

  it("is taken for the primary's when nothing says", () => {
    const answer = new AIMessage({
      content: [
        { type: "reasoning", reasoning: "Hm" },
        { type: "text", text: "Yes" },
      ],
    });
    expect(adaptMessages([answer], { from: { provider: "openai" }, to: { provider: "openai" } })[0]).toBe(
      answer,
    );
    expect(
      adaptMessages([answer], { from: { provider: "openai" }, to: { provider: "groq" } })[0]?.content,
    ).toBe("Yes");
  });

  it("of the same family stays the same object", () => {
    const answer = gpt({ id: "msg_1", content: "Yes", additional_kwargs: { reasoning: { id: "rs_1" } } });
    expect(adaptMessages([answer], { to: { provider: "OpenAI" } })[0]).toBe(answer);
  });
});

describe("what a model does not take", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } };

  it("becomes a note in words", () => {
    const messages = [new HumanMessage({ content: [{ type: "text", text: "Look" }, image] })];
    const [after] = adaptMessages(messages, { to: { provider: "deepseek", accepts: { images: false } } });
    expect(after?.content).toBe("Look\n\n[An image stood here; this model takes text only.]");
    expect(adaptMessages(messages, { to: { provider: "deepseek" } })[0]).toBe(messages[0]);
  });

  it("includes images in the results of tools, but for Anthropic and Gemini", () => {
    const messages = [
      gpt({ content: "", tool_calls: [{ id: "c1", name: "shot", args: {} }] }),
      new ToolMessage({ content: [image] as never, tool_call_id: "c1" }),
    ];
    expect(JSON.stringify(adaptMessages(messages, { to: { provider: "openai" } })[1]?.content)).toContain(
      "An image stood here",
    );
    expect(adaptMessages(messages, { to: { provider: "anthropic" } })[1]).toBe(messages[1]);
  });

  it("includes lists of texts, where an API takes a string only", () => {
    const texts = [
      { type: "text", text: "One" },
      { type: "text", text: "Two" },
    ];
    const messages = [
      new HumanMessage({ content: texts }),
      new ToolMessage({ content: texts, tool_call_id: "c1" }),
    ];
    expect(adaptMessages(messages, { to: { provider: "deepseek" } }).map((each) => each.content)).toEqual([
      "One\n\nTwo",
      "One\n\nTwo",
    ]);
    expect(adaptMessages(messages, { to: { provider: "openai" } })).toEqual(messages);
  });

  it("includes cache marks and empty texts, also in the system prompt", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const messages = [
      new SystemMessage({ content: [{ type: "text", text: "Be brief", ...mark }] }),
      new HumanMessage({
        content: [
          { type: "text", text: " " },
          { type: "text", text: "Hi", ...mark },
        ],
      }),
    ];
    const after = adaptMessages(messages, { to: { provider: "groq" } });
    expect(after.map((each) => each.content)).toEqual(["Be brief", "Hi"]);
    expect(adaptMessages([messages[0] as BaseMessage], { to: { provider: "anthropic" } })[0]).toBe(
      messages[0],
    );
  });
});
