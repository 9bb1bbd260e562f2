import type { ServerResponse } from "node:http";
import type { Wire } from "./turn.js";

/** What goes wrong with one request. */
export type ProviderFault =
  /** Nothing: this request is answered. */
  | { kind: "none" }
  /** An HTTP error, in the provider's words unless a `body` is given. `code` is the provider's, such as "insufficient_quota". */
  | {
      kind: "status";
      status: number;
      code?: string;
      message?: string;
      body?: unknown;
      headers?: Record<string, string>;
      /** Seconds, or an HTTP date. */
      retryAfter?: number | string;
    }
  /** No answer, or none after so many events, until the client gives up. */
  | { kind: "hang"; afterEvents?: number }
  /** The connection breaks after so many events (default 1); 0 is before any answer. */
  | { kind: "cut"; afterEvents?: number }
  /** The stream ends as if it were whole after so many events (default 1), as behind a proxy that gives up. */
  | { kind: "end"; afterEvents?: number }
  /** A pause before each event. */
  | { kind: "slow"; chunkDelayMs: number }
  /** An event that is no JSON after so many events (default 1). */
  | { kind: "malformed"; afterEvents?: number }
  /** The provider's own error event after so many events (default 1). */
  | { kind: "error_event"; afterEvents?: number };

type Status = Extract<ProviderFault, { kind: "status" }>;

export const sendStatus = (response: ServerResponse, wire: Wire, fault: Status): void => {
  const body = fault.body ?? wire.error(fault.status, fault.message, fault.code);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(fault.status, {
    "content-type": typeof body === "string" ? "text/html" : "application/json",
    ...(fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) }),
    ...fault.headers,
  });
  response.end(text);
};

/** Whether the client got the whole answer. One that did not gets the same turn again when it asks again. */
export const breaksAnswer = ({ kind }: ProviderFault): boolean => kind !== "none" && kind !== "slow";

interface Sending {
  response: ServerResponse;
  wire: Wire;
  /** The answer: events, or the two halves of a body. */
  parts: readonly string[];
  contentType: string;
  fault: ProviderFault;
  sleep: (ms: number) => Promise<void>;
}

/** Sends an answer, as far as the fault lets it. */
export const send = async ({ response, wire, parts, contentType, fault, sleep }: Sending): Promise<void> => {
  const after = "afterEvents" in fault ? fault.afterEvents : undefined;
  const whole = !breaksAnswer(fault);
  const count = whole ? parts.length : Math.min(after ?? (fault.kind === "hang" ? 0 : 1), parts.length);
  if (fault.kind === "hang" && count === 0) return;
  if (fault.kind === "cut" && count === 0) {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(200, { "content-type": contentType });
  for (const part of parts.slice(0, count)) {
    if (fault.kind === "slow") await sleep(fault.chunkDelayMs);
    if (response.destroyed) return;
    // Until it has left: a connection that is reset takes with it what was only buffered.
    await new Promise<void>((written) => response.write(part, () => written()));
  }
  switch (fault.kind) {
    case "hang":
      return;
    case "cut":
      // The client must have read what came before: a reset overtakes it.
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
      return;
    case "malformed":
      response.end(wire.malformedEvent());
      return;
    case "error_event":
      response.end(wire.errorEvent());
      return;
    default:
      response.end();
  }
};
