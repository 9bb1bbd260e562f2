import { randomUUID } from "node:crypto";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";

interface WithId {
  id?: unknown;
  type?: unknown;
}

/**
 * Gives a message's tool calls ids that no earlier call of the conversation has. Some servers count from `call_0` in
 * every answer; results are matched, and large ones stored, by the id alone. The message is changed in place, in each of
 * the forms in which providers' clients keep the id, and only when an id is missing or taken.
 */
export const ensureUniqueCallIds = (message: AIMessage, earlier: readonly unknown[]): void => {
  if (!message.tool_calls?.length) return;
  const taken = new Set(
    (earlier as BaseMessage[]).flatMap((each) =>
      AIMessage.isInstance(each) ? (each.tool_calls ?? []).map((call) => call.id) : [],
    ),
  );
  const blocks = Array.isArray(message.content)
    ? (message.content as WithId[]).filter((block) => block.type === "tool_use")
    : [];
  const raw = (message.additional_kwargs?.["tool_calls"] ?? []) as WithId[];
  for (const [at, call] of message.tool_calls.entries()) {
    if (call.id && !taken.has(call.id)) {
      taken.add(call.id);
      continue;
    }
    const id = `call_${randomUUID().replaceAll("-", "")}`;
    for (const twin of [blocks[at], raw[at]]) if (twin && twin.id === call.id) twin.id = id;
    call.id = id;
    taken.add(id);
  }
};
