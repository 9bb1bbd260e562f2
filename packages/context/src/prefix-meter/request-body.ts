import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { ModelRequest } from "./model-request.js";
import { isObject, type Json } from "./json.js";

type ToolLike = Parameters<typeof convertToOpenAITool>[0];

/** Schemas are made from zod once a tool, not once a call. */
const serialised = new WeakMap<object, Json>();

const toolBody = (tool: unknown): Json => {
  if (!isObject(tool) && typeof tool !== "function") return { value: tool };
  const known = serialised.get(tool);
  if (known) return known;
  let body: Json;
  if (isObject(tool) && "schema" in tool) {
    const { function: described } = convertToOpenAITool(tool as unknown as ToolLike);
    const extras = isObject(tool["extras"]) ? tool["extras"] : {};
    body = {
      ...extras,
      name: described.name,
      description: described.description,
      input_schema: described.parameters,
    };
  } else body = { ...(tool as Json) };
  serialised.set(tool, body);
  return body;
};

/** Clients take tool calls from `tool_calls` and leave what stands for them in the content. */
const isCallBlock = (block: unknown): boolean =>
  isObject(block) && ["tool_use", "tool_call", "input_json_delta"].includes(String(block["type"]));

const blocksOf = (content: unknown): unknown[] =>
  typeof content === "string"
    ? content === ""
      ? []
      : [{ type: "text", text: content }]
    : (content as unknown[]);

const messageBody = (message: BaseMessage): Json => {
  const id = message.id === undefined ? {} : { id: message.id };
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, status, content } = message;
    const block = {
      type: "tool_result",
      tool_use_id: tool_call_id,
      content,
      ...(status === "error" ? { is_error: true } : {}),
    };
    return { ...id, role: "user", content: [block] };
  }
  if (AIMessage.isInstance(message)) {
    const calls = (message.tool_calls ?? []).map(({ id: call, name, args }) => ({
      type: "tool_use",
      id: call,
      name,
      input: args,
    }));
    const said = blocksOf(message.content).filter((block) => calls.length === 0 || !isCallBlock(block));
    return { ...id, role: "assistant", content: [...said, ...calls] };
  }
  const role = message.type === "system" ? "system" : "user";
  return { ...id, role, content: message.content };
};

const modelName = (model: unknown): string => {
  if (!isObject(model)) return "";
  for (const name of ["model", "modelName"]) if (typeof model[name] === "string") return model[name];
  const { getName } = model as { getName?: () => string };
  return typeof getName === "function" ? getName.call(model) : "";
};

/** A model request in the shape of Anthropic's Messages API, with the marks that are on it. */
export const bodyOfRequest = (request: ModelRequest): Json => ({
  ...request.modelSettings,
  model: modelName(request.model),
  tools: request.tools.map(toolBody),
  system: request.systemMessage.content,
  tool_choice: request.toolChoice,
  messages: request.messages.map(messageBody),
});
