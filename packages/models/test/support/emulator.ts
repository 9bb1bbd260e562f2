import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { answer, eventStream, protocolOf, type Protocol, type Usage } from "./protocols.js";

/** What the server does with one request. */
export type Behaviour =
  | {
      kind: "answer";
      text?: string;
      usage?: Usage;
      reasoning?: string;
      toolCall?: { name: string; args: object };
    }
  /** An HTTP error with the body given, JSON unless it is a string. */
  | { kind: "error"; status: number; body: unknown; headers?: Record<string, string> }
  /** Begins to stream and then sends the vendor's error event. */
  | { kind: "error_event"; body: unknown }
  /** Accepts the request and never answers. */
  | { kind: "silence" }
  /** Streams a first piece and then nothing. */
  | { kind: "stall" }
  /** Streams a part of the answer and closes cleanly, as a proxy does that gives up. */
  | { kind: "cut"; toolCall?: { name: string; args: object } }
  /** Closes the connection: before any answer, or after the first piece of a stream. */
  | { kind: "reset"; afterFirstPiece?: boolean };

export interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  protocol: Protocol;
  /** Whether the client hung up before the answer was complete. */
  aborted: boolean;
}

export interface Emulator {
  url: string;
  seen: Seen[];
  /** What the next requests get, in order; then the last one again. */
  behave(...behaviours: Behaviour[]): void;
}

const write = (response: ServerResponse, parts: readonly string[]): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of parts) response.write(part);
};

/** Ids as vendors give them, of which no two are alike: LangGraph takes two messages with one id for one message. */
let answered = 0;
const withOwnIds = (text: string): string => text.replaceAll(/\b(chatcmpl-|msg_|resp_)1\b/g, `$1${answered}`);

const act = (behaviour: Behaviour, seen: Seen, response: ServerResponse): void => {
  const streaming = seen.body["stream"] === true || seen.url.includes(":streamGenerateContent");
  switch (behaviour.kind) {
    case "answer": {
      const turn = {
        text: behaviour.text ?? "hello",
        usage: behaviour.usage ?? { input: 3, output: 2 },
        reasoning: behaviour.reasoning,
        toolCall: behaviour.toolCall,
      };
      answered += 1;
      if (streaming) {
        write(response, eventStream(seen.protocol, turn).map(withOwnIds));
        response.end();
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end(withOwnIds(JSON.stringify(answer(seen.protocol, turn))));
      return;
    }
    case "error": {
      const html = typeof behaviour.body === "string";
      response.writeHead(behaviour.status, {
        "content-type": html ? "text/html" : "application/json",
        ...behaviour.headers,
      });
      response.end(html ? (behaviour.body as string) : JSON.stringify(behaviour.body));
      return;
    }
    case "error_event": {
      const [first = ""] = eventStream(seen.protocol, { text: "hel", usage: { input: 3, output: 2 } });
      const event = seen.protocol === "anthropic" || seen.protocol === "responses" ? "event: error\n" : "";
      write(response, [first, `${event}data: ${JSON.stringify(behaviour.body)}\n\n`]);
      response.end();
      return;
    }
    case "cut": {
      const turn = { text: "hello there", usage: { input: 3, output: 2 }, toolCall: behaviour.toolCall };
      const whole = eventStream(seen.protocol, turn).map(withOwnIds).join("");
      // Before the first word of an end, and of a tool call in the middle of its arguments.
      const ends = ['finish_reason":"', "message_delta", "response.completed", "finishReason"];
      const at = Math.min(...ends.map((word) => whole.indexOf(word)).filter((place) => place >= 0));
      const parts = whole.slice(0, at).split("\n\n").slice(0, -1);
      const sent = behaviour.toolCall ? parts.slice(0, Math.max(1, parts.length - 1)) : parts;
      write(response, [`${sent.join("\n\n")}\n\n`]);
      response.end();
      return;
    }
    case "silence":
      return;
    case "stall":
      write(
        response,
        eventStream(seen.protocol, { text: "hel", usage: { input: 3, output: 2 } }).slice(0, 1),
      );
      return;
    case "reset": {
      if (!behaviour.afterFirstPiece) {
        response.socket?.resetAndDestroy();
        return;
      }
      const parts = eventStream(seen.protocol, { text: "hel", usage: { input: 3, output: 2 } }).slice(0, 1);
      write(response, parts);
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    }
  }
};

/** A real server that speaks the vendors' protocols, told by the path, and keeps what it was sent. */
export const emulator = async (...behaviours: Behaviour[]): Promise<Emulator> => {
  const seen: Seen[] = [];
  let script: Behaviour[] = behaviours;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const url = request.url ?? "";
      const entry: Seen = {
        url,
        headers: request.headers,
        body: JSON.parse(text || "{}") as Record<string, unknown>,
        protocol: protocolOf(url),
        aborted: false,
      };
      seen.push(entry);
      response.on("close", () => {
        entry.aborted = !response.writableFinished;
      });
      act((script.length > 1 ? script.shift() : script[0]) ?? { kind: "answer" }, entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (...next) => {
      script = next;
    },
  };
};
