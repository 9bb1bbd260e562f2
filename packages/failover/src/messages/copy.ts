import type { BaseMessage, MessageContent } from "@langchain/core/messages";

/**
 * A message with other fields, of the same class. Not from `lc_kwargs`: what was set after construction (our stamp, ids
 * that LangGraph gives) stands on the message alone.
 */
export const copyWith = <Message extends BaseMessage>(message: Message, fields: object): Message => {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as Message;
  return Object.assign(copy, message, { lc_kwargs: { ...message.lc_kwargs, ...fields } }, fields);
};

/** The same with another content. */
export const withContent = <Message extends BaseMessage>(
  message: Message,
  content: MessageContent,
): Message => copyWith(message, { content });
