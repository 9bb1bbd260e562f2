import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

/** One attempt: the fields of its pieces, and what it ends with. */
export interface Attempt {
  readonly pieces: readonly object[];
  readonly error?: unknown;
}

/** A chat model whose pieces are given whole, as a vendor's client makes them. */
export class ChunkModel extends BaseChatModel {
  asked = 0;
  readonly seen: BaseMessage[][] = [];
  private readonly attempts: readonly Attempt[];

  constructor(
    readonly model: string,
    ...attempts: Attempt[]
  ) {
    super({});
    this.attempts = attempts;
  }

  override _llmType(): string {
    return "chunks";
  }

  override _generate(): Promise<ChatResult> {
    throw new Error("It streams only");
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    this.seen.push(messages);
    const attempt = this.attempts[Math.min(this.asked, this.attempts.length - 1)];
    this.asked += 1;
    for (const fields of attempt?.pieces ?? []) {
      const message = new AIMessageChunk(fields as never);
      yield new ChatGenerationChunk({ message, text: message.text });
    }
    if (attempt?.error !== undefined) throw attempt.error;
  }
}
