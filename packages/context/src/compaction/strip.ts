import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { fitting } from "../tokens.js";
import { clip, textOfMessage } from "./messages.js";

/** A result this short is not worth a pointer. */
const SMALL_CHARS = 300;
/** An argument longer than this is a file's content or the like, and that is on the disk. */
const LONG_ARGUMENT_CHARS = 600;

/** Text behind a result that stays when the result goes: instructions for the directory that was read. */
export const KEPT_BEHIND = "fiveseam_kept_chars";

const copy = (message: ToolMessage, content: string): ToolMessage =>
  new ToolMessage({
    content,
    tool_call_id: message.tool_call_id,
    additional_kwargs: message.additional_kwargs,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.status === undefined ? {} : { status: message.status }),
  });

const keptBehind = (message: ToolMessage, text: string): string => {
  const chars = message.additional_kwargs?.[KEPT_BEHIND];
  return typeof chars === "number" && chars > 0 ? text.slice(-chars) : "";
};

const withoutResult = (message: ToolMessage, where: string | null): ToolMessage => {
  const text = textOfMessage(message);
  const plain =
    typeof message.content === "string" || !message.content.some((block) => block.type !== "text");
  if (plain && text.length <= SMALL_CHARS) return message;
  const kept = keptBehind(message, text);
  const place = where === null ? "" : ` The whole of it is below ${where}.`;
  const what = `[Removed to save space: the result of ${message.name ?? "a tool"}, ${text.length} characters.${place} For what is there now, call the tool again.]`;
  return copy(message, kept === "" ? what : `${what}\n\n${kept}`);
};

const shortened = (text: string): string => {
  const kept = fitting(text, 80);
  return `${kept}\n[… ${text.length - kept.length} characters removed to save space]`;
};

const withoutLongArguments = (message: AIMessage): AIMessage => {
  const long = (value: unknown): value is string =>
    typeof value === "string" && value.length > LONG_ARGUMENT_CHARS;
  const calls = message.tool_calls ?? [];
  if (!calls.some(({ args }) => Object.values(args as object).some(long))) return message;
  const shorter = (args: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, long(value) ? shortened(value) : value]),
    );
  const shorterCalls = calls.map((call) => ({
    ...call,
    args: shorter(call.args as Record<string, unknown>),
  }));
  const byId = new Map(shorterCalls.map(({ id, args }) => [id, args]));
  // Providers' clients may read the call from the content as well as from `tool_calls`.
  const content =
    typeof message.content === "string"
      ? message.content
      : message.content.map((block) => {
          const { id, input } = block as { id?: string; input?: unknown };
          return block.type === "tool_use" && byId.has(id) && typeof input === "object"
            ? { ...block, input: byId.get(id) }
            : block;
        });
  return new AIMessage({
    content: content as AIMessage["content"],
    tool_calls: shorterCalls,
    additional_kwargs: Object.fromEntries(
      Object.entries(message.additional_kwargs ?? {}).filter(([key]) => key !== "tool_calls"),
    ),
    response_metadata: message.response_metadata,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
  });
};

/** The message as it is shown once its results and long arguments are stripped. Pure: the same in, the same out. */
export const stripped = (message: BaseMessage, where: string | null): BaseMessage => {
  if (ToolMessage.isInstance(message)) return withoutResult(message, where);
  return AIMessage.isInstance(message) ? withoutLongArguments(message) : message;
};

/** A result cut to so many characters, its beginning and its end. */
export const clipped = (message: BaseMessage, maxChars: number): BaseMessage => {
  if (!ToolMessage.isInstance(message)) return message;
  const text = textOfMessage(message);
  if (text.length <= maxChars) return message;
  const kept = keptBehind(message, text);
  const cut = clip(kept === "" ? text : text.slice(0, -kept.length), maxChars);
  return copy(
    message,
    `${cut}\n[cut to save space; call the tool again for the rest]${kept === "" ? "" : `\n\n${kept}`}`,
  );
};
