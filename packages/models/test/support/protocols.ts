/** The wire formats, reduced to what the clients read. */
export type Protocol = "chat" | "responses" | "anthropic" | "gemini";

export const protocolOf = (url: string): Protocol => {
  if (/:(stream)?generateContent/i.test(url)) return "gemini";
  if (url.includes("/messages")) return "anthropic";
  return url.includes("/responses") ? "responses" : "chat";
};

export interface Usage {
  /** All input, cache reads and writes included. */
  input: number;
  cachedRead?: number;
  cacheWrite?: number;
  /** All output, reasoning included. */
  output: number;
  reasoning?: number;
}

export interface Turn {
  text: string;
  usage: Usage;
  reasoning?: string | undefined;
  toolCall?: { name: string; args: object } | undefined;
}

const chatUsage = ({ input, cachedRead = 0, output, reasoning = 0 }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cachedRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const anthropicUsage = ({ input, cachedRead = 0, cacheWrite = 0, output }: Usage) => ({
  input_tokens: input - cachedRead - cacheWrite,
  cache_read_input_tokens: cachedRead,
  cache_creation_input_tokens: cacheWrite,
  output_tokens: output,
});

const geminiUsage = ({ input, cachedRead = 0, output, reasoning = 0 }: Usage) => ({
  promptTokenCount: input,
  cachedContentTokenCount: cachedRead,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + output,
});

const chatCalls = ({ toolCall }: Turn) =>
  toolCall && [
    {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: toolCall.name, arguments: JSON.stringify(toolCall.args) },
    },
  ];

const anthropicMessage = (content: unknown[], usage: object, stop: string | null) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage,
});

const responsesCall = ({ toolCall }: Turn) =>
  toolCall && {
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: toolCall.name,
    arguments: JSON.stringify(toolCall.args),
  };

const responsesBody = (turn: Turn) => ({
  id: "resp_1",
  object: "response",
  created_at: 0,
  model: "m",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [
    responsesCall(turn) ?? {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: turn.text, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: turn.usage.input,
    input_tokens_details: { cached_tokens: turn.usage.cachedRead ?? 0 },
    output_tokens: turn.usage.output,
    output_tokens_details: { reasoning_tokens: turn.usage.reasoning ?? 0 },
    total_tokens: turn.usage.input + turn.usage.output,
  },
});

const geminiBody = (text: string, usage: object, finished: boolean, call?: Turn["toolCall"]) => ({
  candidates: [
    {
      index: 0,
      content: { role: "model", parts: [call ? { functionCall: call } : { text }] },
      ...(finished ? { finishReason: "STOP" } : {}),
    },
  ],
  usageMetadata: usage,
});

/** The body of a plain answer. */
export const answer = (protocol: Protocol, turn: Turn): unknown => {
  switch (protocol) {
    case "chat":
      return {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 0,
        model: "m",
        choices: [
          {
            index: 0,
            finish_reason: turn.toolCall ? "tool_calls" : "stop",
            message: {
              role: "assistant",
              content: turn.toolCall ? null : turn.text,
              ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
              ...(turn.toolCall ? { tool_calls: chatCalls(turn) } : {}),
            },
          },
        ],
        usage: chatUsage(turn.usage),
      };
    case "anthropic":
      return turn.toolCall
        ? anthropicMessage(
            [{ type: "tool_use", id: "call_1", name: turn.toolCall.name, input: turn.toolCall.args }],
            anthropicUsage(turn.usage),
            "tool_use",
          )
        : anthropicMessage([{ type: "text", text: turn.text }], anthropicUsage(turn.usage), "end_turn");
    case "responses":
      return responsesBody(turn);
    case "gemini":
      return geminiBody(turn.text, geminiUsage(turn.usage), true, turn.toolCall);
  }
};

const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const chatChunk = (delta: object, finish: string | null = null, more: object = {}) =>
  sse({
    ...more,
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const typed = (event: { type: string }) => sse(event, event.type);

/** The events of a streamed answer, in two pieces of text; the first event holds the first piece. */
export const eventStream = (protocol: Protocol, turn: Turn): string[] => {
  const middle = Math.ceil(turn.text.length / 2);
  const [first, second] = [turn.text.slice(0, middle), turn.text.slice(middle)];
  switch (protocol) {
    case "chat":
      return [
        ...(turn.reasoning === undefined
          ? []
          : [chatChunk({ role: "assistant", reasoning_content: turn.reasoning })]),
        ...(turn.toolCall
          ? [chatChunk({ role: "assistant", content: "", tool_calls: chatCalls(turn) })]
          : [chatChunk({ role: "assistant", content: first }), chatChunk({ content: second })]),
        chatChunk({}, turn.toolCall ? "tool_calls" : "stop", { x_groq: { usage: chatUsage(turn.usage) } }),
        // Usage in a last chunk without choices (OpenAI, xAI, DeepSeek, Qwen); Groq says it in `x_groq`, too.
        sse({
          id: "chatcmpl-1",
          object: "chat.completion.chunk",
          created: 0,
          model: "m",
          choices: [],
          usage: chatUsage(turn.usage),
        }),
        sse("[DONE]"),
      ];
    case "anthropic":
      return [
        typed({
          type: "message_start",
          message: anthropicMessage([], { ...anthropicUsage(turn.usage), output_tokens: 0 }, null),
        } as never) +
          typed({
            type: "content_block_start",
            index: 0,
            content_block: { type: "text", text: "" },
          } as never) +
          typed({
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: first },
          } as never),
        typed({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: second },
        } as never),
        typed({ type: "content_block_stop", index: 0 } as never),
        typed({
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: turn.usage.output },
        } as never),
        typed({ type: "message_stop" }),
      ];
    case "responses": {
      const part = { item_id: "msg_1", output_index: 0, content_index: 0 };
      return [
        typed({
          type: "response.created",
          response: { ...responsesBody(turn), status: "in_progress" },
        } as never) +
          typed({
            type: "response.output_item.added",
            output_index: 0,
            item: { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] },
          } as never) +
          typed({ type: "response.output_text.delta", ...part, delta: first } as never),
        typed({ type: "response.output_text.delta", ...part, delta: second } as never),
        typed({ type: "response.completed", response: responsesBody(turn) } as never),
      ];
    }
    case "gemini":
      return [
        sse(geminiBody(first, geminiUsage({ ...turn.usage, output: 1, reasoning: 0 }), false)),
        sse(geminiBody(second, geminiUsage(turn.usage), true)),
      ];
  }
};
