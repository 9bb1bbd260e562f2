import { randomUUID } from "node:crypto";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { UsageMetadata } from "@langchain/core/messages";
import { ScriptedModelError } from "./errors.js";

/** A tool as the scripted model sees it: what a provider would be told. */
export interface ScriptedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One tool call of a scripted turn. Without an `id` a unique one is made. */
export interface ScriptedToolCall {
  name: string;
  args?: Record<string, unknown>;
  id?: string;
}

/** What the model says next: text, reasoning, tool calls, or an error that it throws instead. */
export interface ScriptedTurn {
  text?: string;
  reasoning?: string;
  toolCalls?: readonly ScriptedToolCall[];
  /** Thrown instead of answering, as a provider's client would throw it. */
  error?: Error;
  /** Token counts to report instead of the estimate of four characters a token. */
  usage?: { inputTokens: number; outputTokens: number };
}

/** One step of a fixed script: a turn, and optionally what must be true of the call that it answers. */
export interface ScriptedStep extends ScriptedTurn {
  /**
   * Checked before the turn is played. Return `false` or a sentence that says what is wrong to fail with reason
   * `unexpected_call`; return `true` or nothing to go on.
   */
  expect?: (messages: readonly BaseMessage[], tools: readonly ScriptedTool[]) => boolean | string | void;
}

/**
 * A pure function from the conversation and the tools on offer to the next turn. Because it reads everything it needs
 * from the messages, it goes on correctly after a restart and a resume.
 */
export type ScriptedPolicy = (
  messages: readonly BaseMessage[],
  tools: readonly ScriptedTool[],
) => ScriptedTurn | string;

/** Where ids come from; injected in tests. */
export type IdSource = () => string;

export const randomCallId: IdSource = () => `call_${randomUUID().replaceAll("-", "")}`;

/** Characters to tokens at the usual rule of thumb for English text and code. An estimate, and reported as one. */
const estimateTokens = (characters: number): number => Math.ceil(characters / 4);

const lengthOf = (message: BaseMessage): number => {
  const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
  const calls =
    AIMessage.isInstance(message) && message.tool_calls?.length ? JSON.stringify(message.tool_calls) : "";
  return content.length + calls.length;
};

export const turnUsage = (turn: ScriptedTurn, messages: readonly BaseMessage[]): UsageMetadata => {
  const output =
    (turn.text?.length ?? 0) +
    (turn.reasoning?.length ?? 0) +
    (turn.toolCalls?.length ? JSON.stringify(turn.toolCalls).length : 0);
  const input_tokens =
    turn.usage?.inputTokens ?? estimateTokens(messages.reduce((sum, message) => sum + lengthOf(message), 0));
  const output_tokens = turn.usage?.outputTokens ?? estimateTokens(output);
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
};

/** Refuses a turn that no provider could have produced, and tool calls to tools that were not offered. */
export const checkTurn = (
  turn: ScriptedTurn | string,
  tools: readonly ScriptedTool[],
  where: string,
): ScriptedTurn => {
  const checked: ScriptedTurn = typeof turn === "string" ? { text: turn } : turn;
  if (typeof (turn as { then?: unknown } | null)?.then === "function") {
    throw new ScriptedModelError(
      "invalid_turn",
      `${where} is a promise: a policy returns its turn, it does not await.`,
    );
  }
  if (checked === null || typeof checked !== "object") {
    throw new ScriptedModelError(
      "invalid_turn",
      `${where} is ${String(turn)}; expected a string or { text, toolCalls }.`,
    );
  }
  if (checked.error) return checked;
  if (!checked.text && !checked.reasoning && !checked.toolCalls?.length) {
    throw new ScriptedModelError(
      "invalid_turn",
      `${where} says nothing: give it text, toolCalls or an error.`,
    );
  }
  for (const call of checked.toolCalls ?? []) {
    if (tools.some((tool) => tool.name === call.name)) continue;
    const offered = tools.map((tool) => tool.name).join(", ") || "none";
    throw new ScriptedModelError(
      "unknown_tool",
      `${where} calls the tool "${call.name}", which this call did not offer (offered: ${offered}).`,
    );
  }
  return checked;
};

type ContentBlock = { type: "reasoning"; reasoning: string } | { type: "text"; text: string };

const contentOf = (text: string, reasoning: string | undefined): string | ContentBlock[] =>
  reasoning ? [{ type: "reasoning", reasoning }, ...(text ? [{ type: "text" as const, text }] : [])] : text;

const pieces = (text: string, size: number): string[] => {
  const found: string[] = [];
  // By code points, so that no chunk ends in half a surrogate pair.
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += size) found.push(points.slice(at, at + size).join(""));
  return found;
};

/** The chunks a provider would stream for a turn, in order: reasoning, text, tool calls, usage. */
export function* turnChunks(
  turn: ScriptedTurn,
  options: { chunkSize: number; ids: IdSource; usage: UsageMetadata; metadata: Record<string, unknown> },
): Generator<AIMessageChunk> {
  for (const reasoning of pieces(turn.reasoning ?? "", options.chunkSize)) {
    yield new AIMessageChunk({ content: [{ type: "reasoning", reasoning, index: 0 }] });
  }
  const block = turn.reasoning ? 1 : undefined;
  for (const text of pieces(turn.text ?? "", options.chunkSize)) {
    yield new AIMessageChunk({
      content: block === undefined ? text : [{ type: "text", text, index: block }],
    });
  }
  for (const [index, call] of (turn.toolCalls ?? []).entries()) {
    const id = call.id ?? options.ids();
    const args = JSON.stringify(call.args ?? {});
    const half = Math.ceil(args.length / 2);
    yield new AIMessageChunk({
      content: block === undefined ? "" : [],
      tool_call_chunks: [{ type: "tool_call_chunk", index, id, name: call.name, args: args.slice(0, half) }],
    });
    yield new AIMessageChunk({
      content: block === undefined ? "" : [],
      tool_call_chunks: [{ type: "tool_call_chunk", index, args: args.slice(half) }],
    });
  }
  yield new AIMessageChunk({
    content: block === undefined ? "" : [],
    usage_metadata: options.usage,
    response_metadata: options.metadata,
  });
}

/** The whole message for a turn, for callers that do not stream. */
export const turnMessage = (
  turn: ScriptedTurn,
  options: { ids: IdSource; usage: UsageMetadata; metadata: Record<string, unknown> },
): AIMessageChunk =>
  // A chunk, as most clients return: withStructuredOutput of @langchain/core accepts nothing else.
  new AIMessageChunk({
    content: contentOf(turn.text ?? "", turn.reasoning),
    tool_calls: (turn.toolCalls ?? []).map((call) => ({
      type: "tool_call" as const,
      id: call.id ?? options.ids(),
      name: call.name,
      args: call.args ?? {},
    })),
    usage_metadata: options.usage,
    response_metadata: options.metadata,
  });
