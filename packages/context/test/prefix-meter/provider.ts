import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A provider on a port of this machine: answers both APIs, streamed when asked, and counts what came. */
export const startProvider = async (): Promise<
  AsyncDisposable & { url: string; seen: { path: string; body: string }[]; failNext(status: number): void }
> => {
  const seen: { path: string; body: string }[] = [];
  const failures: number[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      seen.push({ path, body });
      const failure = failures.shift();
      if (failure) return response.writeHead(failure).end("{}");
      const { stream } = JSON.parse(body) as { stream?: boolean };
      const events = path.includes("messages") ? anthropicEvents : openAIEvents;
      if (!stream) {
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify(path.includes("messages") ? anthropicAnswer : openAIAnswer));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(event);
      return response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    failNext: (status) => void failures.push(status),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const anthropicAnswer = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-6",
  content: [{ type: "text", text: "yes" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

const anthropicEvents = [
  { type: "message_start", message: { ...anthropicAnswer, content: [] } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "yes" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

const openAIAnswer = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4.1",
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

const openAIEvents = [
  { delta: { role: "assistant", content: "yes" }, finish_reason: null },
  { delta: {}, finish_reason: "stop" },
]
  .map(
    (choice) =>
      `data: ${JSON.stringify({ ...openAIAnswer, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`,
  )
  .concat("data: [DONE]\n\n");
