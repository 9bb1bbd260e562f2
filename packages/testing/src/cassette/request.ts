import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { canonical, isRecord, plain } from "./json.js";

/** A message as a cassette compares it: without ids, usage and cache marks, which differ from run to run. */
export interface CassetteMessage {
  role: string;
  content: unknown;
  name?: string;
  /** Calls in order; `call` numbers them over the conversation in place of their ids. */
  toolCalls?: { call: number; name: string; args: unknown }[];
  /** Of a tool's result: the call that it answers. */
  answers?: number;
  status?: string;
}

export interface CassetteTool {
  name: string;
  /** JSON Schema of the arguments; null for a tool that the provider runs itself. */
  schema: unknown;
}

export interface CassetteRequest {
  messages: CassetteMessage[];
  tools: CassetteTool[];
}

type Numbering = (id: string | undefined) => number;

const VOLATILE = new Set(["id", "index", "cache_control", "tool_use_id", "tool_call_id", "call_id"]);
/** Blocks that say again what `tool_calls` says. */
const CALL_BLOCKS = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "function_call",
  "input_json_delta",
  "server_tool_call",
]);

const numbering = (): Numbering => {
  const known = new Map<string, number>();
  return (id = "") => {
    const number = known.get(id) ?? known.size + 1;
    known.set(id, number);
    return number;
  };
};

const block = (given: unknown, number: Numbering): unknown => {
  if (!isRecord(given)) return given;
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !VOLATILE.has(key)));
  const answered = given["tool_use_id"] ?? given["tool_call_id"];
  return typeof answered === "string" ? { ...kept, answers: number(answered) } : kept;
};

const contentOf = (content: unknown, number: Numbering): unknown => {
  if (!Array.isArray(content)) return content;
  const blocks = content
    .filter((each) => !(isRecord(each) && CALL_BLOCKS.has(String(each["type"]))))
    .map((each: unknown) => block(each, number));
  // One text, however many blocks a client made of it.
  const texts = blocks.map((each) =>
    isRecord(each) && each["type"] === "text" && Object.keys(each).length === 2 ? each["text"] : undefined,
  );
  return texts.every((text) => typeof text === "string") ? texts.join("") : blocks;
};

const messageOf = (message: BaseMessage, number: Numbering): CassetteMessage => {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const result = ToolMessage.isInstance(message) ? message : undefined;
  return {
    role: message.getType(),
    content: contentOf(message.content, number),
    ...(message.name === undefined || result ? {} : { name: message.name }),
    ...(calls.length === 0
      ? {}
      : {
          toolCalls: calls.map(({ id, name, args }) => ({ call: number(id), name, args: args as unknown })),
        }),
    ...(result ? { answers: number(result.tool_call_id) } : {}),
    ...(result?.status === "error" ? { status: "error" } : {}),
  };
};

const withoutDialect = (schema: unknown): unknown =>
  isRecord(schema) ? Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema")) : null;

/** A tool in whichever form it reaches a model: LangChain's, OpenAI's for either API, Anthropic's, or a provider's own. */
const toolOf = (tool: unknown): CassetteTool => {
  if (!isRecord(tool)) return { name: String(tool), schema: null };
  const inner = isRecord(tool["function"]) ? tool["function"] : tool;
  const name = String(inner["name"] ?? tool["type"] ?? "unnamed");
  if ("input_schema" in tool) return { name, schema: withoutDialect(tool["input_schema"]) };
  if ("parameters" in inner) return { name, schema: withoutDialect(inner["parameters"]) };
  if (!("schema" in tool)) return { name, schema: null };
  const { function: described } = convertToOpenAITool(
    tool as unknown as Parameters<typeof convertToOpenAITool>[0],
  );
  return { name, schema: withoutDialect(described.parameters) };
};

/** What a call asks, as a cassette writes and compares it. */
export const requestOf = (
  messages: readonly BaseMessage[],
  tools: readonly BindToolsInput[] = [],
): CassetteRequest => {
  const number = numbering();
  return plain({
    messages: messages.map((message) => messageOf(message, number)),
    // Their order tells the provider nothing.
    tools: tools.map(toolOf).sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))),
  }) as CassetteRequest;
};

/** How many messages two requests begin with in common. */
export const commonMessages = (a: readonly string[], b: readonly string[]): number => {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return same;
};

export const messageKeys = ({ messages }: CassetteRequest): string[] => messages.map(canonical);
