import {
  AIMessage,
  type BaseMessage,
  type HumanMessage,
  type MessageContent,
  type SystemMessage,
  type ToolCall,
  ToolMessage,
} from "@langchain/core/messages";
import {
  type AcceptedContent,
  type Block,
  isCall,
  isReasoning,
  plainText,
  refusedNote,
  serverToolNote,
  withoutCacheMark,
} from "./blocks.js";
import { withoutBlankMessages } from "./blanks.js";
import { copyWith, withContent } from "./copy.js";
import { familyOf, type MessageParty, writerOf } from "./families.js";
import { placeNote, spelled } from "./media.js";
import { ToolCallIds } from "./tool-call-ids.js";

/** Whom the messages are for. */
export interface AdaptTarget extends MessageParty {
  /** What it takes besides text. What is left out is taken to be accepted. */
  readonly accepts?: AcceptedContent;
}

/** Who wrote the messages that do not say, and whom they are for. */
export interface AdaptOptions {
  readonly from?: MessageParty;
  readonly to: AdaptTarget;
}

/** Families whose clients understand `cache_control` and `tool_result` blocks. */
const ANTHROPIC_BLOCKS = new Set(["anthropic", "bedrock"]);
/** Families that take images in the result of a tool. OpenAI's chat API and its copies take text. */
const TOOL_IMAGES = new Set(["anthropic", "gemini", "bedrock"]);

/** Families whose APIs take lists of text everywhere; copies of OpenAI's often take a string only (DeepSeek: "invalid type: sequence, expected a string"). */
const TEXT_LISTS = new Set(["anthropic", "openai", "azure-openai", "gemini", "bedrock"]);
/** Clients that decide how blocks are spelled, whatever provider stands behind them; of OpenAI's, there are copies. */
const SPELLERS = new Set(["anthropic", "gemini", "bedrock"]);

interface Context {
  readonly family: string;
  /** Whose spelling of blocks its client takes. */
  readonly spelling: string;
  readonly from: MessageParty | undefined;
  readonly accepts: AcceptedContent;
  readonly ids: ToolCallIds;
  /** Ids of calls that have a result. */
  readonly answered: ReadonlySet<string>;
}

const blocksOf = (content: MessageContent): readonly Block[] | undefined =>
  Array.isArray(content) ? (content as readonly Block[]) : undefined;

/** Blocks as content: one string where they are texts only and the reader wants that. */
const asContent = (blocks: readonly Block[], context: Context, separator: string): MessageContent =>
  !TEXT_LISTS.has(context.spelling) && blocks.every((block) => block.type === "text")
    ? blocks.map((block) => String(block["text"])).join(separator)
    : (blocks as unknown as MessageContent);

/** The content of a message that anybody may have written; undefined when it stays as it is. */
const adapted = (content: MessageContent, context: Context, inTool: boolean): MessageContent | undefined => {
  const blocks = blocksOf(content);
  if (!blocks) return undefined;
  const next = changed(blocks, (block) => common(block, context, inTool));
  const settled = asContent(next ?? blocks, context, "\n\n");
  return next || typeof settled === "string" ? settled : undefined;
};

const kept = (blocks: readonly Block[], change: (block: Block) => Block | undefined): readonly Block[] =>
  blocks.map(change).filter((block) => block !== undefined);

/** The blocks after `change`; undefined when every one stayed what it was. */
const changed = (
  blocks: readonly Block[],
  change: (block: Block) => Block | undefined,
): readonly Block[] | undefined => {
  const next = kept(blocks, change);
  return next.length === blocks.length && next.every((block, at) => block === blocks[at]) ? undefined : next;
};

/** Cache marks, refused content, empty texts: what may stand in a message of anybody. */
const common = (block: Block, context: Context, inTool: boolean): Block | undefined => {
  if (block.type === "text" && plainText(block["text"]) === undefined) return undefined;
  const note = refusedNote(block, context.accepts, inTool);
  if (note) return note;
  const known = spelled(block, context.spelling);
  const said =
    inTool && context.accepts.toolImages === false && known.type !== "text" ? placeNote(known) : known;
  return ANTHROPIC_BLOCKS.has(context.spelling) ? said : withoutCacheMark(said);
};

const foreignBlock = (block: Block): Block | undefined => {
  if (isReasoning(block)) return undefined;
  const note = serverToolNote(block);
  if (note) return note;
  if (isCall(block)) return undefined;
  // What else a model gave (an image, audio) has no place in an answer that another one reads.
  return block.type === "text" || block.type === "output_text" ? plainText(block["text"]) : placeNote(block);
};

/** Calls whose arguments could not be read but that got a result: without them the result would be an orphan. */
const answeredInvalidCalls = (message: AIMessage, context: Context): ToolCall[] =>
  (message.invalid_tool_calls ?? []).flatMap((call) =>
    call.id !== undefined && context.answered.has(call.id)
      ? [{ type: "tool_call" as const, id: call.id, name: call.name ?? "unknown", args: {} }]
      : [],
  );

/** An answer as if another provider had written it: words and tool calls, without leftovers. */
const foreignAnswer = (message: AIMessage, context: Context): AIMessage => {
  const blocks = blocksOf(message.content);
  const content = blocks ? asContent(kept(blocks, foreignBlock), context, "") : message.content;
  const toolCalls = [...(message.tool_calls ?? []), ...answeredInvalidCalls(message, context)].map((call) =>
    call.id === undefined ? call : { ...call, id: context.ids.map(call.id) },
  );
  // Ids of items ("msg_…", also Anthropic's) are looked up by OpenAI's Responses API: they stay behind too.
  return new AIMessage({
    content: content.length === 0 ? "" : content,
    tool_calls: toolCalls,
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.usage_metadata === undefined ? {} : { usage_metadata: message.usage_metadata }),
  });
};

/** Clients send unreadable arguments back as they came, and the vendor refuses the request for them. */
const withReadableCalls = (message: AIMessage, context: Context): AIMessage => {
  if (typeof message.content !== "string" || (message.invalid_tool_calls?.length ?? 0) === 0) return message;
  const { tool_calls: _raw, ...kwargs } = message.additional_kwargs ?? {};
  return copyWith(message, {
    tool_calls: [...(message.tool_calls ?? []), ...answeredInvalidCalls(message, context)],
    invalid_tool_calls: [],
    additional_kwargs: kwargs,
  });
};

/** Lists of texts as one string, for APIs that take no lists. */
const withPlainContent = (message: AIMessage, context: Context): AIMessage => {
  const blocks = blocksOf(message.content);
  if (!blocks || TEXT_LISTS.has(context.spelling)) return message;
  const rest = blocks.filter((block) => !isReasoning(block) && !isCall(block));
  const content = asContent(rest, context, "");
  return typeof content === "string" ? withContent(message, content) : message;
};

const nativeAnswer = (answer: AIMessage, context: Context): AIMessage => {
  const message = withReadableCalls(withPlainContent(answer, context), context);
  const renamed = message.tool_calls?.some(
    (call) => call.id !== undefined && context.ids.map(call.id) !== call.id,
  );
  if (!renamed) return message;
  return copyWith(message, {
    tool_calls: message.tool_calls?.map((call) =>
      call.id === undefined ? call : { ...call, id: context.ids.map(call.id) },
    ),
  });
};

const toolResult = (message: ToolMessage, context: Context): ToolMessage => {
  const id = context.ids.map(message.tool_call_id);
  const next = adapted(message.content, context, true);
  if (id === message.tool_call_id && next === undefined) return message;
  return copyWith(message, { content: next ?? message.content, tool_call_id: id });
};

/** `tool_result` blocks inside a user's message are Anthropic's spelling of a ToolMessage. */
const splitResults = (message: HumanMessage, blocks: readonly Block[], context: Context): BaseMessage[] => {
  const out: BaseMessage[] = [];
  const rest: Block[] = [];
  for (const block of blocks) {
    if (block.type !== "tool_result" || typeof block["tool_use_id"] !== "string") {
      rest.push(block);
      continue;
    }
    const content = block["content"];
    out.push(
      toolResult(
        new ToolMessage({
          content: (typeof content === "string" || Array.isArray(content) ? content : "") as MessageContent,
          tool_call_id: block["tool_use_id"],
          status: block["is_error"] === true ? "error" : "success",
        }),
        context,
      ),
    );
  }
  const left =
    adapted(rest as unknown as MessageContent, context, false) ?? (rest as unknown as MessageContent);
  if (left.length > 0) out.push(withContent(message, left));
  return out;
};

const human = (message: HumanMessage, context: Context): BaseMessage[] => {
  const blocks = blocksOf(message.content) ?? [];
  if (!ANTHROPIC_BLOCKS.has(context.spelling) && blocks.some((block) => block.type === "tool_result"))
    return splitResults(message, blocks, context);
  const next = adapted(message.content, context, false);
  if (next === undefined) return [message];
  return [withContent(message, next)];
};

const system = (message: SystemMessage, context: Context): SystemMessage => {
  const next = adapted(message.content, context, false);
  return next === undefined ? message : withContent(message, next);
};

// By `type`, not by `isInstance`: this runs over the whole conversation before every call.
const one = (message: BaseMessage, context: Context): BaseMessage[] | BaseMessage => {
  switch (message.type) {
    case "ai": {
      const answer = message as AIMessage;
      const writer = writerOf(answer, context.from);
      if (writer === undefined || writer === context.family) return nativeAnswer(answer, context);
      return foreignAnswer(answer, context);
    }
    case "tool":
      return toolResult(message as ToolMessage, context);
    case "human":
      return typeof message.content === "string" ? message : human(message as HumanMessage, context);
    case "system":
      return typeof message.content === "string" ? message : system(message as SystemMessage, context);
    default:
      return message;
  }
};

const idsIn = function* (messages: readonly BaseMessage[]): Generator<string> {
  for (const message of messages) {
    if (message.type === "ai")
      for (const call of (message as AIMessage).tool_calls ?? []) if (call.id !== undefined) yield call.id;
    if (message.type === "tool") yield (message as ToolMessage).tool_call_id;
  }
};

const resultsIn = (messages: readonly BaseMessage[]): Set<string> =>
  new Set(messages.flatMap((each) => (each.type === "tool" ? [(each as ToolMessage).tool_call_id] : [])));

/**
 * A conversation as the next provider takes it: tool call ids of a shape it refuses are mapped (call and result alike),
 * reasoning and signatures of others go, their leftovers in metadata too, what it does not take (images to a text model)
 * becomes a note in words, tools that ran at the provider become text, empty parts go. Pure: messages that need no change
 * come back as they are, the others as new ones; none is mutated.
 *
 * @example
 * ```ts
 * import { adaptMessages } from "@fiveseam/failover";
 * import { HumanMessage } from "@langchain/core/messages";
 *
 * const messages = adaptMessages([new HumanMessage("Hi")], { to: { provider: "openai" } });
 * console.log(messages.length); // 1
 * ```
 */
export const adaptMessages = (messages: readonly BaseMessage[], options: AdaptOptions): BaseMessage[] => {
  const { to, from } = options;
  const family = familyOf(to.provider);
  const client = to.wire === undefined ? family : familyOf(to.wire);
  const spelling = SPELLERS.has(client) ? client : family;
  let answered: ReadonlySet<string> | undefined;
  const context: Context = {
    family,
    spelling,
    from,
    accepts: { ...(TOOL_IMAGES.has(spelling) ? {} : { toolImages: false }), ...to.accepts },
    ids: new ToolCallIds(family, () => idsIn(messages)),
    get answered() {
      answered ??= resultsIn(messages);
      return answered;
    },
  };
  return withoutBlankMessages(messages.flatMap((message) => one(message, context)));
};
