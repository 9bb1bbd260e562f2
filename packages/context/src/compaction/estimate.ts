import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { CHARS_PER_TOKEN } from "../tokens.js";
import { jsonOf } from "./json.js";

/** What a provider charges for a picture at most, about: Anthropic scales to 1,568 pixels, 1,600 tokens (its vision page). */
export const TOKENS_PER_IMAGE = 1_600;
/** Pages of a PDF have some 1,500 to 3,000 tokens each (Anthropic's PDF page); a page is taken for 40 kB. */
const TOKENS_PER_PAGE = 2_500;
const BYTES_PER_PAGE = 40_000;
/** Role, separators, ids. */
const TOKENS_PER_MESSAGE = 4;

const IMAGES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);
const FILES: ReadonlySet<unknown> = new Set(["file", "document", "input_file"]);

const dataLength = (value: unknown): number => {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return Math.ceil((value.length * 4) / 3);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((longest, each) => Math.max(longest, dataLength(each)), 0);
};

const tokensOfBlock = (block: Record<string, unknown>): number => {
  const type = block["type"];
  if (IMAGES.has(type)) return TOKENS_PER_IMAGE;
  if (FILES.has(type)) {
    const pages = Math.max(1, Math.ceil((dataLength(block) * 3) / 4 / BYTES_PER_PAGE));
    return pages * TOKENS_PER_PAGE;
  }
  const { text } = block;
  if (typeof text === "string") return text.length / CHARS_PER_TOKEN;
  // A tool's call stands in `tool_calls` as well, where it is counted.
  if (type === "tool_use" || type === "tool_call" || type === "function_call") return 0;
  return jsonOf(block).length / CHARS_PER_TOKEN;
};

const perMessage = new WeakMap<BaseMessage, { content: unknown; tokens: number }>();

/** About how many tokens a message takes in a prompt. */
export const tokensOfMessage = (message: BaseMessage): number => {
  const known = perMessage.get(message);
  if (known && known.content === message.content) return known.tokens;
  const { content } = message;
  const body =
    typeof content === "string"
      ? content.length / CHARS_PER_TOKEN
      : content.reduce((sum, block) => sum + tokensOfBlock(block as Record<string, unknown>), 0);
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const tokens = Math.ceil(
    body +
      calls.reduce(
        (sum, call) => sum + (call.name.length + jsonOf(call.args).length) / CHARS_PER_TOKEN + 8,
        0,
      ) +
      TOKENS_PER_MESSAGE,
  );
  perMessage.set(message, { content, tokens });
  return tokens;
};

export const tokensOfMessages = (messages: readonly BaseMessage[]): number =>
  messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);

const perTools = new WeakMap<object, number>();

const toolLength = (tool: object): number => {
  try {
    // What goes over the wire, in one provider's form; the others' are about as long.
    return JSON.stringify(convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0])).length;
  } catch {
    return jsonOf(tool).length;
  }
};

/** About how many tokens the declarations of tools take. */
export const tokensOfTools = (tools: readonly unknown[]): number => {
  let chars = 0;
  for (const tool of tools) {
    if (typeof tool !== "object" || tool === null) continue;
    let length = perTools.get(tool);
    if (length === undefined) perTools.set(tool, (length = toolLength(tool)));
    chars += length;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
};
