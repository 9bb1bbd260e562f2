import { AIMessageChunk, type MessageContent } from "@langchain/core/messages";
import type { Block } from "./blocks.js";
import { copyWith } from "./copy.js";

/** Between a broken-off text and its second beginning. */
const RESTART_NOTICE = "\n\n[The answer broke off here and starts again.]\n\n";

/** What clients put beside the content that is output, and that a second answer would be added to. */
const OUTPUT_KWARGS = [
  "tool_calls",
  "function_call",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "refusal",
  "audio",
];
/** What a piece needs to be read by itself; of two, the later one counts. */
const READING = ["model_provider", "output_version"];

const some = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

const pick = (
  from: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  named: boolean,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(from).filter(([key, value]) => keys.includes(key) === named && some(value)),
  );

const isPlain = (block: Block): boolean =>
  block.type === "text" &&
  (block["index"] === undefined || typeof block["index"] === "number") &&
  Object.entries(block).every(([key, value]) => ["type", "text", "index"].includes(key) || !some(value));

/**
 * The pieces of several attempts as the pieces of one message. Readers add pieces up, so nothing of a failed attempt may
 * mix with the next: blocks keep apart by their index, usage and metadata wait for the end of the attempt that succeeds,
 * and after anything but plain text there is no second beginning (a thought would stand under another's signature, a
 * tool call have two beginnings).
 */
export class AnswerPieces {
  /** Whether something was given that no second beginning can follow. */
  sealed = false;
  private attempts = 0;
  private given = false;
  private asBlocks = false;
  /** The first index that is free for this attempt, and for the next. */
  private base = 0;
  private free = 0;
  private held: AIMessageChunk | undefined;
  private readonly usedIds = new Set<string>();
  private readonly newIds = new Map<string, string>();

  /** Another attempt begins; what to give before it. */
  begin(): AIMessageChunk | undefined {
    this.attempts += 1;
    this.held = undefined;
    for (const id of this.usedIds) this.newIds.set(id, `${id}-${this.attempts}`);
    if (!this.given) return undefined;
    const notice = { type: "text", text: RESTART_NOTICE, index: this.free };
    if (this.asBlocks) this.free += 1;
    this.base = this.free;
    return new AIMessageChunk({ content: this.asBlocks ? ([notice] as MessageContent) : RESTART_NOTICE });
  }

  /** What to give of a piece now; undefined when there is nothing to see in it. */
  pass(piece: AIMessageChunk): AIMessageChunk | undefined {
    const { additional_kwargs: kwargs = {}, response_metadata: metadata = {} } = piece;
    const rest = new AIMessageChunk({
      content: "",
      additional_kwargs: pick(kwargs, OUTPUT_KWARGS, false),
      response_metadata: metadata,
      ...(piece.usage_metadata === undefined ? {} : { usage_metadata: piece.usage_metadata }),
      ...(piece.id === undefined ? {} : { id: this.idOf(piece.id) }),
    });
    this.held = this.held ? this.held.concat(rest) : rest;
    const content = this.placed(piece.content);
    const output = pick(kwargs, OUTPUT_KWARGS, true);
    const calls = (piece.tool_call_chunks?.length ?? 0) + (piece.tool_calls?.length ?? 0) > 0;
    this.sealed ||= calls || Object.keys(output).length > 0;
    if (content.length === 0 && !calls && Object.keys(output).length === 0) return undefined;
    this.given = true;
    return copyWith(piece, {
      content,
      additional_kwargs: output,
      response_metadata: pick(metadata, READING, true),
      usage_metadata: undefined,
      ...(piece.id === undefined ? {} : { id: this.idOf(piece.id) }),
    });
  }

  /** The attempt succeeded: its usage and metadata. */
  end(): AIMessageChunk {
    const held = this.held ?? new AIMessageChunk({ content: "" });
    this.held = undefined;
    return held;
  }

  private idOf(id: string): string {
    const own = this.newIds.get(id) ?? id;
    this.usedIds.add(own);
    return own;
  }

  private placed(content: MessageContent): MessageContent {
    if (typeof content === "string") {
      if (!this.asBlocks || content === "") return content;
      this.free = Math.max(this.free, this.base + 1);
      return [{ type: "text", text: content, index: this.base }] as MessageContent;
    }
    const blocks = (content as readonly Block[]).filter((block) => !isPlain(block) || some(block["text"]));
    if (blocks.length === 0) return "";
    this.asBlocks = true;
    this.sealed ||= !blocks.every(isPlain);
    return blocks.map((block) => {
      if (typeof block["index"] !== "number") return block;
      const index = block["index"] + this.base;
      this.free = Math.max(this.free, index + 1);
      return index === block["index"] ? block : { ...block, index };
    }) as unknown as MessageContent;
  }
}
