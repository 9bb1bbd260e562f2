import { HumanMessage, type BaseMessage } from "@langchain/core/messages";

type Block = Record<string, unknown>;

/** A message's content as blocks; an empty text is no block, since providers refuse those. */
export const blocksOf = (content: BaseMessage["content"]): Block[] =>
  typeof content === "string"
    ? content === ""
      ? []
      : [{ type: "text", text: content }]
    : content.map((block) => ({ ...(block as Block) }));

/** The same message, id and all, with text behind what it says. The given one stays as it is. */
export const withTextBehind = (message: HumanMessage, text: string): HumanMessage =>
  new HumanMessage({
    content: (typeof message.content === "string"
      ? `${message.content}\n\n${text}`
      : [...blocksOf(message.content), { type: "text", text }]) as HumanMessage["content"],
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
  });
