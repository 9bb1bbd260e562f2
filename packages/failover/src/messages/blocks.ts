/** A content block of whatever provider. */
export type Block = Readonly<Record<string, unknown>> & { readonly type?: unknown };

/** What the next model takes besides text; what is left out is taken to be accepted. */
export interface AcceptedContent {
  readonly images?: boolean;
  readonly audio?: boolean;
  readonly video?: boolean;
  readonly files?: boolean;
  /** Images in the results of tools. */
  readonly toolImages?: boolean;
}

const REASONING = new Set([
  "thinking",
  "redacted_thinking",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
]);
/** Calls stand in `tool_calls` too; their blocks, and "non_standard" ones, are one provider's spelling. */
const CALLS = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "input_json_delta",
  "function_call",
  "functionCall",
  "custom_tool_call",
  "non_standard",
]);
const SERVER_TOOLS =
  /^(?:server_tool_use|server_tool_call|server_tool_call_result|server_tool_result|mcp_tool_use|mcp_tool_result|.*_tool_result|web_search_call|file_search_call|code_interpreter_call|computer_call|executableCode|codeExecutionResult)$/;

const KINDS: Readonly<Record<string, keyof AcceptedContent>> = {
  image: "images",
  image_url: "images",
  input_image: "images",
  audio: "audio",
  input_audio: "audio",
  video: "video",
  file: "files",
  input_file: "files",
  document: "files",
  "text-plain": "files",
};

const NOTES: Readonly<Record<keyof AcceptedContent, string>> = {
  images: "[An image stood here; this model takes text only.]",
  audio: "[Audio stood here; this model takes text only.]",
  video: "[A video stood here; this model takes text only.]",
  files: "[A file stood here; this model takes text only.]",
  toolImages: "[An image stood here; this model takes text only in the results of tools.]",
};

/** Whether a block is what a model thought, with or without its signature. */
export const isReasoning = (block: Block): boolean => REASONING.has(String(block.type));

/** Whether a block repeats a tool call. */
export const isCall = (block: Block): boolean => CALLS.has(String(block.type));

/** A text block without marks of its provider; undefined when it is empty (several APIs refuse those). */
export const plainText = (text: unknown): Block | undefined =>
  typeof text === "string" && text.trim().length > 0 ? { type: "text", text } : undefined;

const brief = (value: unknown): string => {
  if (typeof value === "string") return value.slice(0, 2000);
  try {
    return (JSON.stringify(value) ?? "").slice(0, 2000);
  } catch {
    return ""; // Something circular says nothing in words.
  }
};

/** What a tool on the provider's side did, in words: another provider has no place for it. */
export const serverToolNote = (block: Block): Block | undefined => {
  if (!SERVER_TOOLS.test(String(block.type))) return undefined;
  const name = typeof block["name"] === "string" ? block["name"] : String(block.type);
  const detail = brief(
    block["content"] ?? block["output"] ?? block["input"] ?? block["args"] ?? block["action"],
  );
  return { type: "text", text: `[${name}: ${detail}]` };
};

/** A note for content that the next model does not take; undefined when it takes it. */
export const refusedNote = (block: Block, accepts: AcceptedContent, inTool: boolean): Block | undefined => {
  const kind = KINDS[String(block.type)];
  if (kind === undefined) return undefined;
  if (accepts[kind] === false) return { type: "text", text: NOTES[kind] };
  return inTool && kind === "images" && accepts.toolImages === false
    ? { type: "text", text: NOTES.toolImages }
    : undefined;
};

/** The block without Anthropic's cache mark; the same one when it has none. */
export const withoutCacheMark = (block: Block): Block => {
  if (!("cache_control" in block)) return block;
  const { cache_control: _mark, ...rest } = block;
  return rest;
};
