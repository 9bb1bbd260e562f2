import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { openAIError } from "./openai-errors.js";
import { contentText, jsonRecord, recordsOf, textOf, toolFrom } from "./read.js";
import { piecesOf, typedEvent, type Wire, type WireAnswer } from "./turn.js";

/** Items are flat: calls stand beside the message that made them. */
const messagesOf = (input: unknown): BaseMessage[] => {
  if (typeof input === "string") return [new HumanMessage(input)];
  const messages: BaseMessage[] = [];
  for (const item of recordsOf(input)) {
    const last = messages.at(-1);
    if (item["type"] === "function_call") {
      const call = {
        type: "tool_call" as const,
        id: textOf(item["call_id"]),
        name: textOf(item["name"]),
        args: jsonRecord(item["arguments"]),
      };
      if (AIMessage.isInstance(last)) (last.tool_calls ??= []).push(call);
      else messages.push(new AIMessage({ content: "", tool_calls: [call] }));
    } else if (item["type"] === "function_call_output") {
      const tool_call_id = textOf(item["call_id"]);
      messages.push(new ToolMessage({ content: contentText(item["output"]), tool_call_id }));
    } else if (item["type"] === undefined || item["type"] === "message") {
      const text = contentText(item["content"]);
      const role = item["role"];
      if (role === "assistant") messages.push(new AIMessage(text));
      else if (role === "system" || role === "developer") messages.push(new SystemMessage(text));
      else messages.push(new HumanMessage(text));
    }
  }
  return messages;
};

interface Item extends Record<string, unknown> {
  id: string;
}

const reasoningItem = ({ id, reasoning }: WireAnswer): Item => ({
  id: `rs_${id}`,
  type: "reasoning",
  summary: [{ type: "summary_text", text: reasoning }],
});

const messageItem = ({ id, text }: WireAnswer): Item => ({
  id: `msg_${id}`,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

const callItems = ({ toolCalls }: WireAnswer): (Item & { arguments: string })[] =>
  toolCalls.map(({ id, name, args }) => ({
    id: `fc_${id}`,
    type: "function_call",
    status: "completed",
    call_id: id,
    name,
    arguments: args,
  }));

const response = (answer: WireAnswer, done: boolean): Record<string, unknown> => {
  const { stop, usage } = answer;
  const cut = stop === "length" ? "max_output_tokens" : stop === "refusal" ? "content_filter" : undefined;
  return {
    id: answer.id,
    object: "response",
    created_at: 1_750_000_000,
    status: done ? (cut ? "incomplete" : "completed") : "in_progress",
    error: null,
    incomplete_details: done && cut ? { reason: cut } : null,
    model: answer.model,
    output: done
      ? [
          ...(answer.reasoning === "" ? [] : [reasoningItem(answer)]),
          ...(answer.text === "" ? [] : [messageItem(answer)]),
          ...callItems(answer),
        ]
      : [],
    parallel_tool_calls: true,
    tools: [],
    metadata: {},
    usage: done
      ? {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: usage.cacheReadTokens },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
          total_tokens: usage.inputTokens + usage.outputTokens,
        }
      : null,
  };
};

type Step = [type: string, fields: Record<string, unknown>];

const reasoningSteps = (answer: WireAnswer, output_index: number): Step[] => {
  const item = reasoningItem(answer);
  const place = { item_id: item.id, output_index, summary_index: 0 };
  return [
    ["response.output_item.added", { output_index, item: { ...item, summary: [] } }],
    ["response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } }],
    ...piecesOf(answer.reasoning, answer.chunkSize).map((delta): Step => [
      "response.reasoning_summary_text.delta",
      { ...place, delta },
    ]),
    ["response.reasoning_summary_text.done", { ...place, text: answer.reasoning }],
    [
      "response.reasoning_summary_part.done",
      { ...place, part: { type: "summary_text", text: answer.reasoning } },
    ],
    ["response.output_item.done", { output_index, item }],
  ];
};

const textSteps = (answer: WireAnswer, output_index: number): Step[] => {
  const item = messageItem(answer);
  const place = { item_id: item.id, output_index, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  return [
    ["response.output_item.added", { output_index, item: { ...item, status: "in_progress", content: [] } }],
    ["response.content_part.added", { ...place, part }],
    ...piecesOf(answer.text, answer.chunkSize).map((delta): Step => [
      "response.output_text.delta",
      { ...place, delta, logprobs: [] },
    ]),
    ["response.output_text.done", { ...place, text: answer.text, logprobs: [] }],
    ["response.content_part.done", { ...place, part: { ...part, text: answer.text } }],
    ["response.output_item.done", { output_index, item }],
  ];
};

const callSteps = (answer: WireAnswer, first: number): Step[] =>
  callItems(answer).flatMap((item, at): Step[] => {
    const output_index = first + at;
    const place = { item_id: item.id, output_index };
    return [
      [
        "response.output_item.added",
        { output_index, item: { ...item, status: "in_progress", arguments: "" } },
      ],
      ...piecesOf(item.arguments, answer.chunkSize).map((delta): Step => [
        "response.function_call_arguments.delta",
        { ...place, delta },
      ]),
      ["response.function_call_arguments.done", { ...place, arguments: item.arguments }],
      ["response.output_item.done", { output_index, item }],
    ];
  });

/** OpenAI's Responses. */
export const openAIResponses: Wire = {
  prefixes: { answer: "resp_", call: "call_" },
  parse: (body) => ({
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    streamUsage: true,
    messages: [
      ...(typeof body["instructions"] === "string" ? [new SystemMessage(body["instructions"])] : []),
      ...messagesOf(body["input"]),
    ],
    tools: recordsOf(body["tools"]).map((tool) => toolFrom(tool, "parameters")),
  }),
  body: (answer) => response(answer, true),
  events: (answer) => {
    const hasReasoning = Number(answer.reasoning !== "");
    const hasText = Number(answer.text !== "");
    const cut = answer.stop === "length" || answer.stop === "refusal";
    const steps: Step[] = [
      ["response.created", { response: response(answer, false) }],
      ["response.in_progress", { response: response(answer, false) }],
      ...(hasReasoning ? reasoningSteps(answer, 0) : []),
      ...(hasText ? textSteps(answer, hasReasoning) : []),
      ...callSteps(answer, hasReasoning + hasText),
      [cut ? "response.incomplete" : "response.completed", { response: response(answer, true) }],
    ];
    return steps.map(([type, fields], sequence_number) => typedEvent(type, { ...fields, sequence_number }));
  },
  error: openAIError,
  malformedEvent: () => `event: response.output_text.delta\ndata: {"type":"response.output_text.de\n\n`,
  errorEvent: () =>
    typedEvent("error", {
      code: "server_error",
      message: "The server had an error while processing your request. Sorry about that!",
      param: null,
    }),
  orphan: (ids) => `No tool output found for function call ${ids[0]}.`,
};
