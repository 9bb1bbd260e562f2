import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came in. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: { messages: { role: string; content: unknown }[]; stream?: boolean; model: string } & Record<
    string,
    unknown
  >;
}

/** How one request is answered. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** A provider on a port of this machine that answers by a list, the last answer again and again. */
export class ProviderServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  private readonly server: Server;
  private answers: Answer[];

  private constructor(answers: Answer[]) {
    this.answers = answers;
    this.server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const request: SeenRequest = {
          path: incoming.url ?? "",
          headers: incoming.headers,
          body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as SeenRequest["body"],
        };
        this.requests.push(request);
        const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
        void answer?.(response, request);
      });
    });
  }

  static async start(...answers: Answer[]): Promise<ProviderServer> {
    const made = new ProviderServer(answers);
    await new Promise<void>((resolve) => made.server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

/** An error as OpenAI and its copies send it. */
export const openAIError =
  (status: number, code: string | null, message: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    json(response, status, { error: { message, type: code, param: null, code } }, headers);

/** An error as Anthropic sends it. */
export const anthropicError =
  (status: number, type: string, message: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    json(response, status, { type: "error", error: { type, message }, request_id: "req_1" }, headers);

/** A page of a proxy. */
export const page =
  (status: number, title: string): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "text/html" });
    response.end(
      `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`,
    );
  };

/** The connection ends without a word. */
export const reset: Answer = (response) => {
  response.socket?.destroy();
};

/** Nothing ever comes. */
export const silence: Answer = () => undefined;

const sse = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
};

let answers = 0;
/** Message ids differ: LangGraph would take two of the same for one message. */
const nextId = (prefix: string): string => `${prefix}${(answers += 1)}`;

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

/** What an OpenAI-compatible model answers. */
export interface Turn {
  readonly text?: string;
  readonly toolCalls?: readonly { id: string; name: string; args: object }[];
}

const openAIChunks = (model: string, { text, toolCalls = [] }: Turn): unknown[] => {
  const id = nextId("chatcmpl-");
  const chunk = (delta: object, finish: string | null = null): object => ({
    id,
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...(text?.match(/.{1,4}/gs) ?? []).map((part) => chunk({ content: part })),
    ...toolCalls.flatMap((call, index) => {
      const args = JSON.stringify(call.args);
      return [
        chunk({
          tool_calls: [
            { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
          ],
        }),
        chunk({ tool_calls: [{ index, function: { arguments: args } }] }),
      ];
    }),
    chunk({}, toolCalls.length > 0 ? "tool_calls" : "stop"),
    { id, object: "chat.completion.chunk", created: 1, model, choices: [], usage },
  ];
};

/** A success of an OpenAI-compatible server, streamed or not as it was asked. */
export const openAIAnswer =
  (turn: Turn): Answer =>
  (response, { body }) => {
    if (body.stream) {
      sse(response);
      for (const chunk of openAIChunks(body.model, turn))
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end("data: [DONE]\n\n");
      return;
    }
    json(response, 200, {
      id: nextId("chatcmpl-"),
      object: "chat.completion",
      created: 1,
      model: body.model,
      choices: [
        {
          index: 0,
          finish_reason: turn.toolCalls ? "tool_calls" : "stop",
          message: {
            role: "assistant",
            content: turn.text ?? null,
            ...(turn.toolCalls
              ? {
                  tool_calls: turn.toolCalls.map((call) => ({
                    id: call.id,
                    type: "function",
                    function: { name: call.name, arguments: JSON.stringify(call.args) },
                  })),
                }
              : {}),
          },
        },
      ],
      usage,
    });
  };

/** A stream that begins and then does `then`: stalls, breaks off, sends an error. */
export const openAIBroken =
  (text: string, then: (response: ServerResponse) => void): Answer =>
  async (response, { body }) => {
    sse(response);
    const [first, ...rest] = openAIChunks(body.model, { text });
    for (const chunk of [first, ...rest.slice(0, -2)]) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    then(response);
  };

const anthropicEvents = (model: string, { text, toolCalls = [] }: Turn): { type: string }[] => [
  {
    type: "message_start",
    message: {
      id: nextId("msg_"),
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 1 },
    },
  } as { type: string },
  ...(text === undefined
    ? []
    : ([
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
        { type: "content_block_stop", index: 0 },
      ] as unknown as { type: string }[])),
  ...toolCalls.flatMap((call, at) => {
    const index = at + (text === undefined ? 0 : 1);
    return [
      {
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: call.id, name: call.name, input: {} },
      },
      {
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(call.args) },
      },
      { type: "content_block_stop", index },
    ] as unknown as { type: string }[];
  }),
  {
    type: "message_delta",
    delta: { stop_reason: toolCalls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { output_tokens: 3 },
  } as { type: string },
  { type: "message_stop" },
];

/** A success of Anthropic, streamed or not as it was asked. */
export const anthropicAnswer =
  (turn: Turn): Answer =>
  (response, { body }) => {
    if (body.stream) {
      sse(response);
      for (const event of anthropicEvents(body.model, turn))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
      return;
    }
    json(response, 200, {
      id: nextId("msg_"),
      type: "message",
      role: "assistant",
      model: body.model,
      content: [
        ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
        ...(turn.toolCalls ?? []).map((call) => ({
          type: "tool_use",
          id: call.id,
          name: call.name,
          input: call.args,
        })),
      ],
      stop_reason: turn.toolCalls ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 3 },
    });
  };

/** Anthropic's stream that begins with `text` and then sends an error event. */
export const anthropicBroken =
  (text: string, type: string): Answer =>
  async (response, { body }) => {
    sse(response);
    for (const event of anthropicEvents(body.model, { text }).slice(0, 3))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    response.write(
      `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: "Overloaded" } })}\n\n`,
    );
    response.end();
  };
