import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { isRecord } from "../cassette/json.js";
import { contentText, recordsOf, textOf, toolFrom } from "./read.js";
import { piecesOf, typedEvent, type Wire, type WireAnswer } from "./turn.js";

const STOP = { stop: "end_turn", length: "max_tokens", refusal: "refusal", tools: "tool_use" } as const;

/** Anthropic's words by status, as documented and seen in 2025 and 2026. */
const ERRORS: Record<number, [type: string, message: string]> = {
  400: ["invalid_request_error", "Invalid request."],
  401: ["authentication_error", "invalid x-api-key"],
  402: ["billing_error", "Your credit balance is too low to access the Anthropic API."],
  403: ["permission_error", "Your API key does not have permission to use the specified resource."],
  404: ["not_found_error", "model not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your organization's rate limit."],
  500: ["api_error", "Internal server error"],
  504: ["timeout_error", "Request timed out"],
  529: ["overloaded_error", "Overloaded"],
};

const errorBody = (status: number, message?: string, code?: string): Record<string, unknown> => {
  const [type, text] = ERRORS[status] ?? (status < 500 ? ERRORS[400] : ERRORS[500]) ?? ["api_error", "Error"];
  return {
    type: "error",
    error: { type: code ?? type, message: message ?? text },
    request_id: "req_emulated",
  };
};

/** A user's message holds results of tools and text; LangChain keeps them apart. */
const messagesOf = ({ role, content }: Record<string, unknown>): BaseMessage[] => {
  const blocks = recordsOf(content);
  if (role === "assistant") {
    const calls = blocks.filter((block) => block["type"] === "tool_use");
    return [
      new AIMessage({
        content: contentText(content),
        tool_calls: calls.map((call) => ({
          type: "tool_call" as const,
          id: textOf(call["id"]),
          name: textOf(call["name"]),
          args: isRecord(call["input"]) ? call["input"] : {},
        })),
      }),
    ];
  }
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const rest = blocks.filter((block) => block["type"] !== "tool_result");
  const said =
    typeof content === "string" || rest.every((block) => block["type"] === "text")
      ? typeof content === "string"
        ? content
        : contentText(rest)
      : ({ content: rest } as ConstructorParameters<typeof HumanMessage>[0]);
  return [
    ...results.map(
      (block) =>
        new ToolMessage({
          content: contentText(block["content"]),
          tool_call_id: textOf(block["tool_use_id"]),
          status: block["is_error"] === true ? "error" : "success",
        }),
    ),
    ...(typeof content !== "string" && rest.length === 0 ? [] : [new HumanMessage(said)]),
  ];
};

const usage = (
  { usage: { inputTokens, cacheReadTokens, cacheWriteTokens } }: WireAnswer,
  output: number,
) => ({
  input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
  cache_creation_input_tokens: cacheWriteTokens,
  cache_read_input_tokens: cacheReadTokens,
  output_tokens: output,
});

const message = (answer: WireAnswer, content: unknown[], stop: string | null, output: number) => ({
  id: answer.id,
  type: "message",
  role: "assistant",
  model: answer.model,
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: usage(answer, output),
});

interface Block {
  /** As the block begins. */
  empty: Record<string, unknown>;
  whole: Record<string, unknown>;
  deltas: Record<string, unknown>[];
}

const SIGNATURE = "ZW11bGF0ZWQ=";

const blocksOf = (answer: WireAnswer): Block[] => {
  const pieces = (text: string): string[] => piecesOf(text, answer.chunkSize);
  const { reasoning, text } = answer;
  return [
    ...(reasoning === ""
      ? []
      : [
          {
            empty: { type: "thinking", thinking: "", signature: "" },
            whole: { type: "thinking", thinking: reasoning, signature: SIGNATURE },
            deltas: [
              ...pieces(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: SIGNATURE },
            ],
          },
        ]),
    ...(text === ""
      ? []
      : [
          {
            empty: { type: "text", text: "" },
            whole: { type: "text", text },
            deltas: pieces(text).map((part) => ({ type: "text_delta", text: part })),
          },
        ]),
    ...answer.toolCalls.map(({ id, name, args }) => ({
      empty: { type: "tool_use", id, name, input: {} },
      whole: { type: "tool_use", id, name, input: JSON.parse(args) as unknown },
      deltas: pieces(args).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    })),
  ];
};

/** Anthropic's Messages. */
export const anthropic: Wire = {
  prefixes: { answer: "msg_", call: "toolu_" },
  parse: (body) => ({
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    streamUsage: true,
    messages: [
      ...(body["system"] === undefined ? [] : [new SystemMessage(contentText(body["system"]))]),
      ...recordsOf(body["messages"]).flatMap(messagesOf),
    ],
    tools: recordsOf(body["tools"]).map((tool) => toolFrom(tool, "input_schema")),
  }),
  body: (answer) =>
    message(
      answer,
      blocksOf(answer).map(({ whole }) => whole),
      STOP[answer.stop],
      answer.usage.outputTokens,
    ),
  events: (answer) => [
    // Anthropic says 1 to 8 output tokens here, which @langchain/anthropic 1.5.11 adds to the total of message_delta: with 0
    // a test reads the usage that it wrote.
    typedEvent("message_start", { message: message(answer, [], null, 0) }),
    typedEvent("ping", {}),
    ...blocksOf(answer).flatMap(({ empty, deltas }, index) => [
      typedEvent("content_block_start", { index, content_block: empty }),
      ...deltas.map((delta) => typedEvent("content_block_delta", { index, delta })),
      typedEvent("content_block_stop", { index }),
    ]),
    typedEvent("message_delta", {
      delta: { stop_reason: STOP[answer.stop], stop_sequence: null },
      usage: { output_tokens: answer.usage.outputTokens },
    }),
    typedEvent("message_stop", {}),
  ],
  error: errorBody,
  // The client passes over an event without a name that it knows.
  malformedEvent: () => `event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n`,
  errorEvent: () => typedEvent("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
  orphan: (ids) =>
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. ` +
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
};
