import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { isRecord } from "../cassette/json.js";
import { openAIError } from "./openai-errors.js";
import { contentText, jsonRecord, recordsOf, textOf, toolFrom } from "./read.js";
import { piecesOf, sse, type Wire, type WireAnswer } from "./turn.js";

const FINISH = { stop: "stop", length: "length", refusal: "content_filter", tools: "tool_calls" } as const;

const messageOf = (message: Record<string, unknown>): BaseMessage => {
  const content = message["content"] ?? "";
  const text = contentText(content);
  switch (message["role"]) {
    case "system":
    case "developer":
      return new SystemMessage(text);
    case "assistant":
      return new AIMessage({
        content: text,
        tool_calls: recordsOf(message["tool_calls"]).map((call) => {
          const { name, arguments: args } = isRecord(call["function"]) ? call["function"] : {};
          return {
            type: "tool_call" as const,
            id: textOf(call["id"]),
            name: textOf(name),
            args: jsonRecord(args),
          };
        }),
      });
    case "tool":
      return new ToolMessage({ content: text, tool_call_id: textOf(message["tool_call_id"]) });
    default:
      return new HumanMessage(
        typeof content === "string"
          ? content
          : ({ content } as ConstructorParameters<typeof HumanMessage>[0]),
      );
  }
};

const usage = ({ usage: { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } }: WireAnswer) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
});

/** OpenAI's Chat Completions. */
export const openAIChat: Wire = {
  prefixes: { answer: "chatcmpl-", call: "call_" },
  parse: (body) => ({
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    streamUsage: isRecord(body["stream_options"]) && body["stream_options"]["include_usage"] === true,
    messages: recordsOf(body["messages"]).map(messageOf),
    tools: recordsOf(body["tools"]).map((tool) =>
      toolFrom(isRecord(tool["function"]) ? tool["function"] : tool, "parameters"),
    ),
  }),
  body: (answer) => ({
    id: answer.id,
    object: "chat.completion",
    created: 1_750_000_000,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text === "" ? null : answer.text,
          refusal: null,
          ...(answer.reasoning === "" ? {} : { reasoning_content: answer.reasoning }),
          ...(answer.toolCalls.length === 0
            ? {}
            : {
                tool_calls: answer.toolCalls.map(({ id, name, args }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: args },
                })),
              }),
        },
        logprobs: null,
        finish_reason: FINISH[answer.stop],
      },
    ],
    usage: usage(answer),
    service_tier: "default",
  }),
  events: (answer) => {
    const head = {
      id: answer.id,
      object: "chat.completion.chunk",
      created: 1_750_000_000,
      model: answer.model,
    };
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      sse({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
    return [
      chunk({ role: "assistant", content: "" }),
      ...piecesOf(answer.reasoning, answer.chunkSize).map((reasoning_content) =>
        chunk({ reasoning_content }),
      ),
      ...piecesOf(answer.text, answer.chunkSize).map((content) => chunk({ content })),
      ...answer.toolCalls.flatMap(({ id, name, args }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...piecesOf(args, answer.chunkSize).map((part) =>
          chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      chunk({}, FINISH[answer.stop]),
      ...(answer.streamUsage ? [sse({ ...head, choices: [], usage: usage(answer) })] : []),
      sse("[DONE]"),
    ];
  },
  error: openAIError,
  malformedEvent: () => `data: {"id":"chatcmpl-broken","choices":[{"delta":{"con\n\n`,
  errorEvent: () => sse(openAIError(500)),
  orphan: (ids) =>
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
};
