import type { AIMessage, BaseMessage, MessageContent } from "@langchain/core/messages";
import type { Block } from "./blocks.js";
import { withContent } from "./copy.js";

/** What stands for a message of a person or a tool that says nothing. */
const EMPTY = "(empty)";
/** What stands for an answer without content where it cannot go. */
const NO_CONTENT = "(no content)";

const TEXTS = new Set(["text", "input_text", "output_text"]);

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim().length === 0;

/** What a content has besides blank texts; the same one when it has none of those. */
const withoutBlanks = (content: MessageContent): MessageContent => {
  if (typeof content === "string") return isBlank(content) ? "" : content;
  if (!Array.isArray(content)) return content;
  let changed = false;
  const kept: Block[] = [];
  for (const block of content as readonly Block[]) {
    if (TEXTS.has(String(block.type)) && isBlank(block["text"])) {
      changed = true;
      continue;
    }
    const inner = block.type === "tool_result" ? block["content"] : undefined;
    const next = Array.isArray(inner) ? withoutBlanks(inner as MessageContent) : undefined;
    if (next === undefined || next === inner) kept.push(block);
    else {
      changed = true;
      kept.push({ ...block, content: next.length > 0 ? next : EMPTY });
    }
  }
  if (kept.length === 0) return "";
  return changed ? (kept as unknown as MessageContent) : content;
};

const trimmed = (message: BaseMessage): BaseMessage => {
  const content = withoutBlanks(message.content);
  return content === message.content ? message : withContent(message, content);
};

/** Parts of an answer that its client sends although its content is empty. */
const SENT_KWARGS = ["tool_calls", "function_call", "refusal", "audio"];

const saysNothing = (message: BaseMessage): boolean =>
  message.type === "ai" &&
  message.content === "" &&
  ((message as AIMessage).tool_calls?.length ?? 0) === 0 &&
  SENT_KWARGS.every((key) => message.additional_kwargs?.[key] == null);

/**
 * The messages without blank texts: Anthropic answers "text content blocks must contain non-whitespace text" and "all
 * messages must have non-empty content", and one such message in a thread would end it. An answer with nothing in it (a
 * refusal, bare reasoning of another provider) goes, unless that puts two turns of the other side in a row: several chat
 * templates insist on turns.
 */
export const withoutBlankMessages = (messages: readonly BaseMessage[]): BaseMessage[] => {
  const out: BaseMessage[] = [];
  const cleaned = messages.map(trimmed);
  for (const [at, message] of cleaned.entries()) {
    if (saysNothing(message)) {
      const before = out.at(-1)?.type;
      const after = cleaned.slice(at + 1).find((each) => !saysNothing(each))?.type;
      const free = before === undefined || before === "system" || before === "ai";
      if (!free && after !== undefined && after !== "ai") out.push(withContent(message, NO_CONTENT));
    } else if (message.content !== "" || message.type === "ai") out.push(message);
    else if (message.type === "human" || message.type === "tool") out.push(withContent(message, EMPTY));
    else if (message.type !== "system") out.push(message);
  }
  return out;
};
