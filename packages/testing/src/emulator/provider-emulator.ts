import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { ScriptedModelError, type IdSource, type ScriptedTool } from "@fiveseam/models";
import type { BaseMessage } from "@langchain/core/messages";
import { createRedactor } from "../cassette/redact.js";
import { isRecord } from "../cassette/json.js";
import { orphanToolCalls } from "../checks/orphans.js";
import { anthropic } from "./anthropic.js";
import { breaksAnswer, send, sendStatus, type ProviderFault } from "./faults.js";
import { openAIChat } from "./openai-chat.js";
import { openAIResponses } from "./openai-responses.js";
import { createTurnSource } from "./turn-source.js";
import type { EmulatedPolicy, EmulatedStep, ParsedRequest, Protocol, Wire } from "./turn.js";

interface EmulatorSettings {
  /** What goes wrong with the next requests, in order; after them all are answered. */
  faults?: readonly ProviderFault[];
  /** The protocols that are served; the default is all. */
  protocols?: readonly Protocol[];
  /** Characters a streamed piece; default 24. */
  chunkSize?: number;
  /** Whether conversations with an unanswered tool call are refused as providers do; default true. */
  refuseOrphans?: boolean;
  /** Where ids come from; default random, as LangGraph takes two messages of one id for one. */
  ids?: IdSource;
  /** How slow answers wait; default real time. */
  sleep?: (ms: number) => Promise<void>;
}

/** A fixed script or a policy, as `ScriptedChatModel` of @fiveseam/models takes them. */
export type EmulatorOptions = EmulatorSettings &
  ({ script: readonly EmulatedStep[]; policy?: never } | { policy: EmulatedPolicy; script?: never });

/** One request, kept for assertions. */
export interface EmulatedRequest {
  readonly protocol: Protocol;
  readonly path: string;
  /** Lower-case names; keys and cookies are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** The conversation as LangChain messages. */
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly ScriptedTool[];
  /** The fault that it met; "none" for one that was answered. */
  readonly fault: ProviderFault["kind"];
}

/** A provider on this machine. */
export interface ProviderEmulator {
  /** `http://127.0.0.1:<port>`: what ChatAnthropic takes as `anthropicApiUrl`. */
  readonly url: string;
  /** `url` and `/v1`: what ChatOpenAI takes as `configuration.baseURL`. */
  readonly openAIBaseURL: string;
  readonly requests: readonly EmulatedRequest[];
  /** More faults, after those that are left. */
  fail(...faults: readonly ProviderFault[]): void;
  /** Throws when steps or faults were never used, or the script refused a request. */
  assertFinished(): void;
  /** Ends every connection. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const WIRES: Record<Protocol, Wire> = {
  "openai-chat": openAIChat,
  "openai-responses": openAIResponses,
  anthropic,
};
const PATHS: Record<string, Protocol> = {
  "/chat/completions": "openai-chat",
  "/responses": "openai-responses",
  "/messages": "anthropic",
};
const SECRET_HEADERS = new Set(["authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"]);

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown> | undefined> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON: answered with a 400, as a provider does.
    return undefined;
  }
};

const headersOf = (request: IncomingMessage): Record<string, string> => {
  const { text } = createRedactor({ env: {} });
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name) ? "[redacted]" : text(String(value)),
    ]),
  );
};

/**
 * A real HTTP server that speaks OpenAI's Chat Completions and Responses and Anthropic's Messages, streamed and plain,
 * answers by a script or a policy, and fails as told. An answer that a fault broke off is given again to the next
 * request, so that a script needs no second copy of the step for the retry.
 *
 * Our own and not `@copilotkit/aimock` 1.43.0, which was looked at first: there faults are drawn by probability and are
 * whole answers (a broken event in the middle of a stream, or silence after the headers, cannot be asked for), Retry-After
 * goes with 429 only, usage of Anthropic's cache is not told, and it is 12 MB.
 *
 * @example
 * ```ts
 * import { ChatOpenAI } from "@langchain/openai";
 * import { startProviderEmulator } from "@fiveseam/testing";
 *
 * await using provider = await startProviderEmulator({
 *   script: [{ text: "Hello." }],
 *   faults: [{ kind: "status", status: 429, retryAfter: 0 }],
 * });
 * const model = new ChatOpenAI({
 *   model: "gpt-4.1",
 *   apiKey: "unused",
 *   maxRetries: 1,
 *   configuration: { baseURL: provider.openAIBaseURL },
 * });
 * console.log((await model.invoke("Hi")).text, provider.requests.length);
 * ```
 */
export const startProviderEmulator = async (options: EmulatorOptions): Promise<ProviderEmulator> => {
  const { chunkSize = 24, refuseOrphans = true, protocols = Object.keys(WIRES) as Protocol[] } = options;
  const ids = options.ids ?? (() => randomUUID().replaceAll("-", ""));
  const sleep = options.sleep ?? ((ms: number) => new Promise<void>((done) => setTimeout(done, ms)));
  const turns = createTurnSource(options, { chunkSize, ids });
  const faults: ProviderFault[] = [...(options.faults ?? [])];
  const requests: EmulatedRequest[] = [];

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split("?")[0] ?? "/";
    const protocol = PATHS[path.replace(/^\/v1(?=\/)/, "")];
    const body = await readBody(request);
    if (request.method !== "POST" || protocol === undefined || !protocols.includes(protocol))
      return sendStatus(response, openAIChat, {
        kind: "status",
        status: 404,
        message: `The emulator does not serve ${request.method} ${path}.`,
      });
    const wire = WIRES[protocol];
    const refuse = (status: number, message: string): void =>
      sendStatus(response, wire, { kind: "status", status, message });
    if (!body) return refuse(400, "We could not parse the JSON body of your request.");
    const parsed = wire.parse(body);
    const fault = faults.shift() ?? { kind: "none" };
    const { model, stream, messages, tools } = parsed;
    const headers = headersOf(request);
    requests.push({ protocol, path, headers, body, model, stream, messages, tools, fault: fault.kind });
    if (fault.kind === "status") return sendStatus(response, wire, fault);
    const orphans = refuseOrphans ? orphanToolCalls(messages).filter(({ kind }) => kind === "call") : [];
    if (orphans.length > 0) return refuse(400, wire.orphan(orphans.map(({ id }) => id)));
    await answer(response, wire, parsed, fault);
  };

  const answer = async (
    response: ServerResponse,
    wire: Wire,
    parsed: ParsedRequest,
    fault: ProviderFault,
  ): Promise<void> => {
    const given = await turns.next(parsed, wire.prefixes, breaksAnswer(fault));
    if (given instanceof Error) {
      const status = "status" in given && typeof given.status === "number" ? given.status : 500;
      // 400 for a script that does not fit: a client would try a 500 again.
      const code = given instanceof ScriptedModelError ? 400 : status;
      return sendStatus(response, wire, { kind: "status", status: code, message: given.message });
    }
    const whole = parsed.stream ? "" : JSON.stringify(wire.body(given));
    const middle = Math.ceil(whole.length / 2);
    await send({
      response,
      wire,
      parts: parsed.stream ? wire.events(given) : [whole.slice(0, middle), whole.slice(middle)],
      contentType: parsed.stream ? "text/event-stream; charset=utf-8" : "application/json",
      fault,
      sleep,
    });
  };

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // A client that hung up while its request was read.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    }));

  return {
    url,
    openAIBaseURL: `${url}/v1`,
    requests,
    fail: (...more) => void faults.push(...more),
    assertFinished: () => {
      turns.assertFinished();
      if (faults.length > 0)
        throw new ScriptedModelError("unused_steps", `${faults.length} fault(s) were never met.`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};
