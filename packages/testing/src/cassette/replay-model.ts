import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk, ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { CassetteError } from "../errors.js";
import { chunkOf, chunksOf, wholeOf, type CassetteAnswer } from "./answer.js";
import { errorOf } from "./failure.js";
import { parseCassette, type ModelIdentity } from "./format.js";
import { Player, type MatchMode } from "./player.js";
import { createRedactor, type RedactOptions } from "./redact.js";
import { requestOf } from "./request.js";

export interface ReplayOptions {
  file: string;
  /**
   * "strict" (the default): a request gets the first unused answer recorded for an equal one, so that parallel calls may
   * come in any order. "lenient": the next unused answer, whatever is asked.
   */
  match?: MatchMode;
  /** Texts that differ from run to run (times, temporary folders): each match counts as equal to any other match. */
  ignore?: readonly RegExp[];
  /** What the recording was given: requests are redacted before they are compared. */
  redact?: RedactOptions;
}

interface ReplayCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** A chat model that answers from a cassette. Made by `replayModel`. */
export class ReplayChatModel extends BaseChatModel<ReplayCallOptions, AIMessageChunk> {
  /** The recorded model's id. */
  readonly model: string;
  readonly #identity: ModelIdentity;
  readonly #player: Player;

  constructor(identity: ModelIdentity, player: Player) {
    super({ maxRetries: 0 });
    this.#identity = identity;
    this.#player = player;
    this.model = identity.model ?? "replay";
    this.lc_namespace = ["langchain", "chat_models", identity.llmType];
  }

  static override lc_name(): string {
    return "ReplayChatModel";
  }

  /** Agents choose prompt caching by it. */
  override getName(suffix?: string): string {
    return suffix === undefined ? this.#identity.name : super.getName(suffix);
  }

  override _llmType(): string {
    // The base constructor asks before there is an identity.
    return #identity in this ? this.#identity.llmType : "replay";
  }

  override get profile(): Record<string, unknown> {
    return this.#identity.profile;
  }

  override getLsParams(options: this["ParsedCallOptions"]): ReturnType<BaseChatModel["getLsParams"]> {
    const { provider, model } = this.#identity;
    return {
      ...super.getLsParams(options),
      ...(provider === null ? {} : { ls_provider: provider }),
      ...(model === null ? {} : { ls_model_name: model }),
    };
  }

  /** Recorded calls that were not asked for yet. */
  get remaining(): number {
    return this.#player.unused.length;
  }

  /** Throws `cassette_unused` when there are any: the run took another way, or ended early. */
  assertFinished(): void {
    this.#player.assertFinished();
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ReplayCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ReplayCallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const answer = this.#answer(messages, options);
    if (answer.end === "error") throw this.#failure(answer);
    const whole = await wholeOf(answer);
    if (!whole) throw new Error("The recorded call was given up before any answer.");
    const { message, text, generationInfo } = chunkOf(whole);
    await runManager?.handleLLMNewToken(text);
    return { generations: [{ text, message, ...(generationInfo ? { generationInfo } : {}) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const answer = this.#answer(messages, options);
    for (const chunk of await chunksOf(answer)) {
      options.signal?.throwIfAborted();
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
    if (answer.end === "error") throw this.#failure(answer);
  }

  override async *_streamChatModelEvents(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatModelStreamEvent> {
    if (this.#player.peek(this.#request(messages, options))?.form !== "events")
      return yield* super._streamChatModelEvents(messages, options, runManager);
    const answer = this.#answer(messages, options);
    for (const event of structuredClone(answer.pieces) as ChatModelStreamEvent[]) {
      options.signal?.throwIfAborted();
      yield event;
    }
    if (answer.end === "error") throw this.#failure(answer);
  }

  #request(messages: readonly BaseMessage[], options: ReplayCallOptions) {
    return requestOf(messages, options.tools);
  }

  #answer(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): CassetteAnswer {
    options.signal?.throwIfAborted();
    return this.#player.next(this.#request(messages, options));
  }

  #failure({ error }: CassetteAnswer): unknown {
    return error ? errorOf(error) : new Error("The recorded call failed.");
  }
}

/**
 * A chat model that answers from what `recordModel` wrote. It never makes a request: what is not on the cassette is an
 * error that says where the nearest recorded request differs.
 *
 * @throws {CassetteError} `cassette_missing`, `cassette_corrupt`, `cassette_version`; from calls
 *   {@link CassetteMissError}; from `assertFinished()` `cassette_unused`.
 *
 * @example
 * ```ts
 * import { replayModel } from "@fiveseam/testing";
 *
 * const model = replayModel({ file: "test/cassettes/hello.jsonl" });
 * const answer = await model.invoke("Hi");
 * console.log(answer.text);
 * model.assertFinished();
 * ```
 */
export const replayModel = (options: ReplayOptions): ReplayChatModel => {
  const { match = "strict", ignore = [], redact } = options;
  const file = path.resolve(options.file);
  if (match !== "strict" && match !== "lenient")
    throw new CassetteError("invalid_option", file, '`match` is "strict" or "lenient".');
  if (!existsSync(file))
    throw new CassetteError("cassette_missing", file, `${file} does not exist. Record it first.`);
  const { header, entries } = parseCassette(file, readFileSync(file, "utf8"));
  const player = new Player(file, entries, { match, ignore, redactor: createRedactor(redact) });
  return new ReplayChatModel(header.identity, player);
};
