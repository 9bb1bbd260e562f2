import type { ScriptedPolicy, ScriptedStep, ScriptedTool, ScriptedTurn } from "@fiveseam/models";
import type { BaseMessage } from "@langchain/core/messages";

export interface EmulatedUsage {
  /** All input, cache reads and writes included. */
  inputTokens: number;
  /** All output, reasoning included. */
  outputTokens: number;
  /** Part of the input read from the provider's cache. */
  cacheReadTokens?: number;
  /** Part of the input written to the provider's cache; only Anthropic reports it. */
  cacheWriteTokens?: number;
  /** Part of the output spent on reasoning; Anthropic does not report it. */
  reasoningTokens?: number;
}

/** What only a provider says, beside what a scripted model says. */
export interface EmulatedExtras {
  usage?: EmulatedUsage;
  /** Default "stop", or the provider's word for tool calls. "length": the answer hit its limit. "refusal": it was filtered. */
  stopReason?: "stop" | "length" | "refusal";
}

export type EmulatedTurn = ScriptedTurn & EmulatedExtras;
export type EmulatedStep = ScriptedStep & EmulatedExtras;
export type EmulatedPolicy = (...asked: Parameters<ScriptedPolicy>) => EmulatedTurn | string;

export type Protocol = "openai-chat" | "openai-responses" | "anthropic";

/** A request, whichever protocol it came in. */
export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Whether a stream is to tell its usage: Chat Completions does so only when asked. */
  readonly streamUsage: boolean;
  readonly messages: BaseMessage[];
  readonly tools: ScriptedTool[];
}

/** An answer, whichever protocol it goes out in. */
export interface WireAnswer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; args: string }[];
  readonly stop: "stop" | "length" | "refusal" | "tools";
  readonly usage: Required<EmulatedUsage>;
  /** Characters a streamed piece. */
  readonly chunkSize: number;
  readonly streamUsage: boolean;
}

/** One provider's way to say things. */
export interface Wire {
  parse(body: Record<string, unknown>): ParsedRequest;
  /** The body of an answer that is not streamed. */
  body(answer: WireAnswer): unknown;
  /** The server-sent events of a streamed answer, each a whole block of text. */
  events(answer: WireAnswer): string[];
  /** The body of an error, in the words of the provider. */
  error(status: number, message?: string, code?: string): Record<string, unknown>;
  /** An event of which only a part arrives. */
  malformedEvent(): string;
  /** The event by which a stream that is under way fails. */
  errorEvent(): string;
  /** How the provider refuses a conversation in which a call has no result. */
  orphan(ids: readonly string[]): string;
  /** Ids as the provider writes them. */
  readonly prefixes: { answer: string; call: string };
}

/** By code points, so that no piece ends in half a surrogate pair. */
export const piecesOf = (text: string, size: number): string[] => {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(""));
  return pieces;
};

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** An event that carries its name twice, as Anthropic and the Responses API send it. */
export const typedEvent = (type: string, fields: Record<string, unknown>): string =>
  sse({ type, ...fields }, type);
