import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { createHash } from "node:crypto";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { blocksOf } from "../message-text.js";
import { conversationOf } from "../namespace.js";
import { isTrailing } from "./turn-context.js";

export interface PromptCacheOptions {
  /** How long Anthropic keeps what is marked; default "5m". "1h" costs twice the input price to write instead of 1.25 times. */
  readonly ttl?: "5m" | "1h";
  /**
   * Which provider a call goes to, asked with the model of the call, since failover changes it. Default by the class of the
   * model: ChatAnthropic is "anthropic", everything else has nothing of its own.
   */
  readonly providerOf?: (model: { getName?(): string }) => string | undefined;
}

type Mark = { type: "ephemeral"; ttl?: "1h" };
type Block = Record<string, unknown>;

/** Most marks that Anthropic takes in one request (platform.claude.com, "Prompt caching"). */
const MAX_MARKS = 4;

/** Blocks that Anthropic refuses a mark on: thinking, and empty texts. */
const canBeMarked = ({ type, text }: Block): boolean =>
  type !== "thinking" && type !== "redacted_thinking" && !(type === "text" && text === "");

/** Marks on blocks, those inside of results among them. */
const marksInBlocks = (blocks: unknown): number =>
  Array.isArray(blocks)
    ? (blocks as Block[]).reduce(
        (sum, block) => sum + (block["cache_control"] ? 1 : 0) + marksInBlocks(block["content"]),
        0,
      )
    : 0;

const marksIn = (messages: readonly BaseMessage[]): number =>
  messages.reduce((sum, { content }) => sum + marksInBlocks(content), 0);

/** Marks that a caller has set on tools: as extras of LangChain's, or on tools in Anthropic's own form. */
const marksOnTools = (tools: readonly unknown[]): number =>
  tools.filter((tool) => {
    const { extras, cache_control } = (tool ?? {}) as { extras?: Block; cache_control?: unknown };
    return cache_control || extras?.["cache_control"];
  }).length;

const markLast = (blocks: readonly Block[], mark: Mark): Block[] | undefined => {
  const at = blocks.findLastIndex(canBeMarked);
  if (at < 0 || blocks.some((block) => "cache_control" in block)) return undefined;
  return blocks.map((block, index) => (index === at ? { ...block, cache_control: mark } : block));
};

/** A result's content as the client sends it; undefined when the client would convert what is in it. */
const plainContent = (content: ToolMessage["content"]): string | Block[] | undefined => {
  if (typeof content === "string") return content;
  const texts = content.map((block) => block as Block);
  // A mark of the caller's is the caller's.
  if (
    !texts.every(
      (block) => block["type"] === "text" && typeof block["text"] === "string" && !("cache_control" in block),
    )
  )
    return undefined;
  return texts.map(({ text }) => ({ type: "text", text }));
};

/**
 * A result of a tool with a mark on it. In a ToolMessage the mark would land on a block inside of the result, where
 * Anthropic does not cache; so it is sent as the user message that it becomes anyway, field by field as the client writes it
 * (@langchain/anthropic 1.5), since at the next call it stands there without the mark and must be the same.
 */
const markedResult = (message: ToolMessage, mark: Mark): HumanMessage | undefined => {
  const content = plainContent(message.content);
  return content === undefined
    ? undefined
    : new HumanMessage({
        content: [
          { type: "tool_result", content, tool_use_id: message.tool_call_id, cache_control: mark },
        ] as unknown as HumanMessage["content"],
        ...(message.id === undefined ? {} : { id: message.id }),
      });
};

const markMessage = (message: BaseMessage, mark: Mark): BaseMessage | undefined => {
  if (ToolMessage.isInstance(message)) return markedResult(message, mark);
  if (!HumanMessage.isInstance(message)) return undefined;
  const content = markLast(blocksOf(message.content), mark);
  return (
    content &&
    new HumanMessage({
      content: content as unknown as HumanMessage["content"],
      additional_kwargs: message.additional_kwargs,
      ...(message.id === undefined ? {} : { id: message.id }),
      ...(message.name === undefined ? {} : { name: message.name }),
    })
  );
};

/** The last message at or before the index that a mark can stand on. */
const markBefore = (
  messages: readonly BaseMessage[],
  index: number,
  mark: Mark,
): { at: number; message: BaseMessage } | undefined => {
  for (let at = index; at >= 0 && index - at < 8; at -= 1) {
    const message = markMessage(messages[at] as BaseMessage, mark);
    if (message) return { at, message };
  }
  return undefined;
};

/**
 * Where the marks stand among the messages: on the last that is stable, and on the one that was the last at the call
 * before, where the provider has an entry already. It would look for one by itself, but no further back than 20 blocks, and
 * one step with many parallel calls is longer.
 */
export const placeMarks = (messages: readonly BaseMessage[], mark: Mark, most: number): BaseMessage[] => {
  const marked = [...messages];
  const last = messages.findLastIndex((message) => !isTrailing(message));
  const answer = messages.findLastIndex((message, index) => index <= last && AIMessage.isInstance(message));
  for (const index of [last, answer - 1]) {
    if (index < 0 || most - marksIn(marked) <= 0) continue;
    const found = markBefore(marked, index, mark);
    if (found) marked[found.at] = found.message;
  }
  return marked;
};

const markSystem = (message: SystemMessage, mark: Mark): SystemMessage => {
  const blocks = markLast(blocksOf(message.content), mark);
  return blocks
    ? new SystemMessage({ ...message, content: blocks as unknown as SystemMessage["content"] })
    : message;
};

const isAnthropic = (model: { getName?(): string }): boolean => model.getName?.() === "ChatAnthropic";

/**
 * Tells providers what of the prompt to keep. Anthropic: marks on the end of the system prompt, on the last message that
 * will be there again, and on the one where the last call ended; never on a note made for one call. OpenAI: a key that
 * sends the calls of one conversation to one cache. Others: nothing.
 *
 * Two middleware, by whose names deepagents' own are replaced: its request-level mark lands on the very last message, which
 * may be a trailing note. Put them last, so that they see which model a failover has chosen.
 *
 * @example
 * ```ts
 * import { promptCacheMiddleware } from "@fiveseam/context";
 * import { createDeepAgent } from "deepagents";
 *
 * const agent = createDeepAgent({ model: "anthropic:claude-sonnet-4-6", middleware: promptCacheMiddleware() });
 * ```
 */
export const promptCacheMiddleware = (options: PromptCacheOptions = {}): AgentMiddleware[] => {
  const mark: Mark = options.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const providerOf = options.providerOf ?? ((model) => (isAnthropic(model) ? "anthropic" : undefined));
  return [
    createMiddleware({
      name: "PromptCachingMiddleware",
      wrapModelCall: (request, handler) => {
        const provider = providerOf(request.model as { getName?(): string });
        if (provider === "anthropic") {
          const given = request.systemMessage;
          const onOthers =
            marksOnTools(request.tools) + (request.modelSettings?.["cache_control"] === undefined ? 0 : 1);
          const free = MAX_MARKS - onOthers - marksIn([...(given ? [given] : []), ...request.messages]);
          const systemMessage = given && free > 0 ? markSystem(given, mark) : given;
          const left = MAX_MARKS - onOthers - (systemMessage ? marksIn([systemMessage]) : 0);
          return handler({
            ...request,
            ...(systemMessage ? { systemMessage } : {}),
            messages: placeMarks(request.messages, mark, left),
          });
        }
        const { threadId, namespace } = conversationOf(request.runtime.configurable);
        if (provider !== "openai" || threadId === undefined) return handler(request);
        const key = createHash("sha256").update(`${threadId}\n${namespace}`).digest("hex").slice(0, 32);
        return handler({ ...request, modelSettings: { promptCacheKey: key, ...request.modelSettings } });
      },
    }) as AgentMiddleware,
    createMiddleware({
      name: "CacheBreakpointMiddleware",
      wrapModelCall: (request, handler) => handler(request),
    }) as AgentMiddleware,
  ];
};
