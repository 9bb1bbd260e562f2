import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";

/** One answer: an error, a text, or pieces of one with pauses between them. */
export type Step =
  | { readonly error: unknown }
  | { readonly text: string }
  | { readonly pieces: readonly (string | { readonly pause: Promise<void> })[]; readonly error?: unknown };

/** A chat model that does what it is told, for tests of recovery. */
export class ScriptedModel extends BaseChatModel<BaseChatModelCallOptions, AIMessageChunk> {
  readonly asked: BaseMessage[][] = [];
  readonly model: string;
  private readonly steps: Step[];
  /** Private on purpose: some clients keep state that no proxy reaches. */
  readonly #secret = "own";

  constructor(model: string, ...steps: Step[]) {
    super({});
    this.model = model;
    this.steps = steps;
  }

  override _llmType(): string {
    return "scripted";
  }

  override getName(): string {
    return `Chat${this.#secret}`;
  }

  override get profile(): BaseChatModel["profile"] {
    return { maxInputTokens: this.#secret.length };
  }

  override bindTools(
    tools: BindToolsInput[],
  ): Runnable<Parameters<this["invoke"]>[0], AIMessageChunk, BaseChatModelCallOptions> {
    return this.withConfig({ tools } as never) as never;
  }

  private next(messages: BaseMessage[]): Step {
    this.asked.push(messages);
    const step = this.steps.length > 1 ? this.steps.shift() : this.steps[0];
    if (!step) throw new Error("The script is empty");
    return step;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const step = this.next(messages);
    if ("error" in step && !("pieces" in step)) throw step.error;
    const text = "text" in step ? step.text : step.pieces.filter((each) => typeof each === "string").join("");
    return { generations: [{ text, message: new AIMessage(text) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const step = this.next(messages);
    if ("error" in step && !("pieces" in step)) throw step.error;
    for (const piece of "text" in step ? [step.text] : step.pieces) {
      if (typeof piece !== "string") {
        await piece.pause;
        continue;
      }
      options.signal?.throwIfAborted();
      const chunk = new ChatGenerationChunk({ text: piece, message: new AIMessageChunk(piece) });
      yield chunk;
      await runManager?.handleLLMNewToken(piece, undefined, undefined, undefined, undefined, { chunk });
    }
    if ("pieces" in step && step.error !== undefined) throw step.error;
  }
}

/** The same without streaming. */
export class QuietModel extends ScriptedModel {
  override disableStreaming = true;
}

/** An error as an SDK throws it. */
export const httpError = (status: number, message: string, more: object = {}): Error =>
  Object.assign(new Error(`${status} ${message}`), { status }, more);

/** A broken line. */
export const brokenLine = (): Error =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("read"), { code: "ECONNRESET" }) });
