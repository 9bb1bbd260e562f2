import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Message {
  role: string;
  content: unknown;
}

export interface SeenBody {
  model: string;
  messages: Message[];
  stream?: boolean;
}

type Answer = (response: ServerResponse, body: SeenBody) => void;

export interface ModelServer {
  readonly url: string;
  readonly bodies: SeenBody[];
}

/** A provider on this machine; the last answer is given again and again. */
export const modelServer = async (...answers: Answer[]): Promise<ModelServer> => {
  const bodies: SeenBody[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const body = JSON.parse(text) as SeenBody;
      bodies.push(body);
      (answers[Math.min(bodies.length, answers.length) - 1] as Answer)(response, body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
};

export const refuse =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export interface Turn {
  text?: string;
  call?: { id: string; name: string; args: object };
}

let ids = 0;
/** LangGraph takes two messages of one id for one. */
const nextId = (prefix: string): string => `${prefix}${(ids += 1)}`;

/** OpenAI's chat completions, streamed; `cut` breaks the connection after so many pieces. */
export const openAI =
  ({ text, call }: Turn, cut = Number.POSITIVE_INFINITY): Answer =>
  (response, { model }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const head = { id: nextId("chatcmpl-"), object: "chat.completion.chunk", created: 1, model };
    const choice = (delta: object, finish_reason: string | null = null): object => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const tool_calls = call && [
      {
        index: 0,
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.args) },
      },
    ];
    const pieces = [
      choice({ role: "assistant", content: text ?? "" }),
      ...(tool_calls ? [choice({ tool_calls })] : []),
      choice({}, call ? "tool_calls" : "stop"),
      { ...head, choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } },
    ];
    for (const piece of pieces.slice(0, cut)) response.write(`data: ${JSON.stringify(piece)}\n\n`);
    if (cut < pieces.length) setTimeout(() => response.destroy(), 20);
    else response.end("data: [DONE]\n\n");
  };

/** Anthropic's messages, streamed. */
export const anthropic =
  ({ text, call }: Turn): Answer =>
  (response, { model }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const usage = { input_tokens: 1_000, output_tokens: 1 };
    const block = call
      ? { type: "tool_use", id: call.id, name: call.name, input: {} }
      : { type: "text", text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
      : { type: "text_delta", text: text ?? "" };
    const message = { id: nextId("msg_"), type: "message", role: "assistant", model, content: [] };
    const events: ({ type: string } & Record<string, unknown>)[] = [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 100 },
      },
      { type: "message_stop" },
    ];
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
