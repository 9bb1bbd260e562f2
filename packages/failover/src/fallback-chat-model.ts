import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from "@langchain/core/language_models/base";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import type { SerializableSchema } from "@langchain/core/utils/standard_schema";
import type { InteropZodType } from "@langchain/core/utils/types";
import { cacheKeyOf } from "./cache-key.js";
import { FailoverConfigError } from "./errors.js";
import { adaptMessages } from "./messages/adapt.js";
import { AnswerPieces } from "./messages/answer-pieces.js";
import { stampAnswer, wholeAnswer } from "./messages/answers.js";
import { targetOf } from "./messages/target.js";
import {
  CandidateSlot,
  canStream,
  type FailoverCandidate,
  type ReadyCandidate,
} from "./recovery/candidates.js";
import { Channel } from "./recovery/channel.js";
import { silenceClientRetries } from "./recovery/client-retries.js";
import { baseChatModel } from "./recovery/observed-model.js";
import { type RecoveryOptions, type ResolvedOptions, resolveOptions } from "./recovery/options.js";
import { type RecoverableCall, RecoveryRun } from "./recovery/run.js";
import { type AttemptWatch, outputOf } from "./recovery/watch.js";

/** Settings of {@link FallbackChatModel}. */
export interface FallbackChatModelFields extends BaseChatModelParams, RecoveryOptions {
  /** The models, in order; the first is the primary. */
  readonly models: readonly FailoverCandidate[];
  /** Shortens messages that were too long, for this one call; undefined when it cannot. */
  readonly compact?: (
    messages: readonly BaseMessage[],
    error: unknown,
  ) => Promise<readonly BaseMessage[] | undefined> | readonly BaseMessage[] | undefined;
}

/** What a call may be given: the usual options, tools as `bindTools` takes them, and what the models understand. */
export interface FallbackCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

interface CallOptions extends FallbackCallOptions {
  readonly [other: string]: unknown;
}

/**
 * Several chat models as one, for use outside an agent: streams, binds tools, gives structured output, reports usage,
 * obeys its signal. In an agent use `failoverMiddleware` instead: a model that wraps others loses prompt caching.
 *
 * @example
 * ```ts
 * import { FallbackChatModel } from "@fiveseam/failover";
 * import { ChatAnthropic } from "@langchain/anthropic";
 * import { ChatOpenAI } from "@langchain/openai";
 *
 * const model = new FallbackChatModel({
 *   models: [new ChatAnthropic({ model: "claude-sonnet-4-6" }), new ChatOpenAI({ model: "gpt-4.1" })],
 * });
 * console.log((await model.invoke("Hello")).text);
 * ```
 */
export class FallbackChatModel extends BaseChatModel<FallbackCallOptions, AIMessageChunk> {
  private readonly slots: readonly CandidateSlot[];
  private readonly options: ResolvedOptions;
  private readonly fields: FallbackChatModelFields;

  constructor(fields: FallbackChatModelFields) {
    super({ ...fields, maxRetries: 0 });
    if (!Array.isArray(fields.models) || fields.models.length === 0)
      throw new FailoverConfigError("no_models", "FallbackChatModel needs at least one model");
    this.fields = fields;
    this.slots = fields.models.map((each, index) => new CandidateSlot(each, index));
    this.options = resolveOptions(fields);
  }

  static override lc_name(): string {
    return "FallbackChatModel";
  }

  override _llmType(): string {
    return "fallback";
  }

  /** The primary's, where it was given ready-made. */
  override get profile(): BaseChatModel["profile"] {
    return this.slots?.[0]?.eagerModel?.profile ?? {};
  }

  /** Keeps the answers of two apart in a shared `cache`: by their models. */
  override _identifyingParams(): Record<string, unknown> {
    return { models: this.slots.map((slot) => cacheKeyOf(slot)) };
  }

  /** The primary's, for traces. */
  override getLsParams(options: this["ParsedCallOptions"]): ReturnType<BaseChatModel["getLsParams"]> {
    const primary = this.slots[0]?.eagerModel;
    return primary ? primary.getLsParams(options) : super.getLsParams(options);
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<FallbackCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, FallbackCallOptions> {
    return this.withConfig({ ...kwargs, tools } as Partial<FallbackCallOptions>);
  }

  /** Each model gives structured output in its own best way; a failure of one asks the next. */
  override withStructuredOutput<Output extends Record<string, unknown>>(
    schema: InteropZodType<Output> | SerializableSchema<Output> | Record<string, unknown>,
    config?: StructuredOutputMethodOptions<boolean>,
  ): Runnable<BaseLanguageModelInput, Output> {
    return RunnableLambda.from(async (input: BaseLanguageModelInput, called) => {
      const messages = BaseChatModel._convertInputToPromptValue(input).toChatMessages();
      return this.recover<Output>(messages, called?.signal, async (candidate, watch, adapted) => {
        const structured = candidate.model.withStructuredOutput<Output>(schema as never, config as never);
        silenceClientRetries(structured);
        watch.running = true; // Without timers: its pieces are not seen.
        return (await structured.invoke(adapted, { ...called, signal: watch.signal })) as Output;
      });
    });
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    _runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const message = await this.recover(messages, options.signal, async (candidate, watch, adapted) => {
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await this.open(candidate, watch, adapted, options as CallOptions)) {
        watch.touch(outputOf(chunk));
        whole = whole ? whole.concat(chunk) : chunk;
      }
      if (!whole) throw new Error("The model sent an empty answer");
      return this.finish(wholeAnswer(whole), candidate);
    });
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const channel = new Channel<AIMessageChunk>();
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    const pieces = new AnswerPieces();
    const perform = async (
      candidate: ReadyCandidate,
      watch: AttemptWatch,
      adapted: BaseMessage[],
    ): Promise<void> => {
      watch.audience = true;
      const notice = pieces.begin();
      if (notice) await channel.push(notice);
      for await (const chunk of await this.open(candidate, watch, adapted, options as CallOptions)) {
        const piece = pieces.pass(chunk);
        watch.touch({ text: piece !== undefined, toolCall: outputOf(piece).toolCall });
        watch.pause(); // From here to the next request for a piece it is the reader who is slow.
        watch.signal.throwIfAborted(); // A client that does not listen must not go on talking here.
        if (piece) await channel.push(piece);
        watch.touch({ text: false, toolCall: false });
      }
      watch.pause();
      await channel.push(this.finish(pieces.end(), candidate));
    };
    void this.recover(messages, signal, perform, () => !pieces.sealed).then(
      () => channel.close(),
      (error: unknown) => channel.throw(error),
    );
    try {
      for (;;) {
        const step = await channel.next();
        if (step.done) return;
        const chunk = new ChatGenerationChunk({ message: step.value, text: step.value.text });
        yield chunk;
        await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, {
          chunk,
        });
      }
    } finally {
      stop.abort();
      channel.abandon();
    }
  }

  private finish<Message extends BaseMessage>(message: Message, candidate: ReadyCandidate): Message {
    if (candidate.model !== this.slots[0]?.eagerModel) stampAnswer(message, candidate);
    return message;
  }

  private async open(
    candidate: ReadyCandidate,
    watch: AttemptWatch,
    messages: BaseMessage[],
    options: CallOptions,
  ): Promise<AsyncIterable<AIMessageChunk>> {
    const { tools, signal: _signal, ...rest } = options;
    const { model } = candidate;
    if (tools !== undefined && typeof model.bindTools !== "function")
      throw new FailoverConfigError("invalid_candidate", `${candidate.identity.model} cannot bind tools`);
    const bound = tools === undefined ? model : (model.bindTools?.(tools) ?? model);
    silenceClientRetries(bound);
    watch.start();
    // Callbacks of the outer run would hear every token twice.
    return (bound as BaseChatModel).stream(messages, {
      ...rest,
      callbacks: [],
      signal: watch.signal,
    } as never) as Promise<AsyncIterable<AIMessageChunk>>;
  }

  private async recover<Result>(
    messages: readonly BaseMessage[],
    signal: AbortSignal | undefined,
    perform: (candidate: ReadyCandidate, watch: AttemptWatch, messages: BaseMessage[]) => Promise<Result>,
    mayRestart: () => boolean = () => true,
  ): Promise<Result> {
    const primary = this.slots[0]?.eagerModel;
    const from = primary ? targetOf(await (this.slots[0] as CandidateSlot).resolve()) : undefined;
    let current = messages;
    const { compact } = this.fields;
    const call: RecoverableCall<Result> = {
      slots: this.slots,
      ...(signal === undefined ? {} : { signal }),
      perform: (candidate, watch) =>
        perform(
          candidate,
          watch,
          adaptMessages(current, { ...(from === undefined ? {} : { from }), to: targetOf(candidate) }),
        ),
      streams: (candidate) => canStream(candidate.model, baseChatModel),
      mayRestart,
      ...(compact === undefined
        ? {}
        : {
            compact: async (error: unknown) => {
              const shorter = await compact(current, error);
              if (shorter === undefined) return false;
              current = shorter;
              return true;
            },
          }),
    };
    return new RecoveryRun(call, this.options).run();
  }
}
