import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { ScriptedModelError } from "./errors.js";
import {
  checkTurn,
  randomCallId,
  turnChunks,
  turnMessage,
  turnUsage,
  type IdSource,
  type ScriptedPolicy,
  type ScriptedStep,
  type ScriptedTool,
  type ScriptedTurn,
} from "./scripted-turn.js";

/** Options common to both kinds of scripted model. */
export interface ScriptedModelOptions {
  /** Name reported as the model's; default "scripted". */
  model?: string;
  /** Characters a streamed chunk; default 24. */
  chunkSize?: number;
  /** Pause before each streamed chunk and before an unstreamed answer, in milliseconds; default 0. */
  chunkDelayMs?: number;
  /** Context window in tokens, reported as the model's profile; default 200,000. */
  contextWindowTokens?: number;
  /** Source of tool call ids; default random. */
  ids?: IdSource;
}

/** Plays a fixed list of steps, or a policy. */
export type ScriptedModelFields = ScriptedModelOptions &
  ({ script: readonly ScriptedStep[]; policy?: never } | { policy: ScriptedPolicy; script?: never });

/** One call that a scripted model answered, kept for assertions. */
export interface ScriptedCall {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly ScriptedTool[];
  readonly turn: ScriptedTurn;
}

interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

const describeTools = (tools: readonly BindToolsInput[]): ScriptedTool[] =>
  tools.flatMap((tool) => {
    const { function: described } = convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
    return described
      ? [
          {
            name: described.name,
            description: described.description ?? "",
            parameters: described.parameters ?? {},
          },
        ]
      : [];
  });

/**
 * True for the note on the moment that an agent may put behind the conversation for one call (`turnContextMiddleware` of
 * `@fiveseam/context`): a script goes by what was said. `calls` has it.
 */
const isForThisCall = ({ additional_kwargs }: BaseMessage): boolean =>
  additional_kwargs?.["fiveseam_trailing"] === true;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });

/**
 * A LangChain chat model that needs no provider: it plays a fixed script, or a policy that computes the next turn from
 * the conversation. It binds tools, streams, reports usage and obeys an AbortSignal like any other model. It is a
 * deterministic stand-in for tests and demos, not a language model.
 *
 * A fixed script keeps its place in this object, so it does not survive a restart; a policy does.
 *
 * @throws {ScriptedModelError} on a call after the last step, a step whose `expect` fails, a call to a tool that was
 *   not offered, and from `assertFinished()` when steps were never played.
 *
 * @example
 * ```ts
 * import { ScriptedChatModel } from "@fiveseam/models";
 *
 * const model = new ScriptedChatModel({ script: [{ text: "Hello." }] });
 * const answer = await model.invoke("Hi");
 * console.log(answer.text);
 * model.assertFinished();
 * ```
 */
export class ScriptedChatModel extends BaseChatModel<ScriptedCallOptions, AIMessageChunk> {
  readonly model: string;
  readonly #script: readonly ScriptedStep[] | undefined;
  readonly #policy: ScriptedPolicy | undefined;
  readonly #chunkSize: number;
  readonly #chunkDelayMs: number;
  readonly #contextWindowTokens: number;
  readonly #ids: IdSource;
  readonly #calls: ScriptedCall[] = [];
  #next = 0;

  constructor(fields: ScriptedModelFields) {
    super({ maxRetries: 0 });
    if ((fields.script === undefined) === (fields.policy === undefined)) {
      throw new TypeError("ScriptedChatModel takes exactly one of `script` and `policy`.");
    }
    this.model = fields.model ?? "scripted";
    this.#script = fields.script;
    this.#policy = fields.policy;
    this.#chunkSize = Math.max(1, Math.trunc(fields.chunkSize ?? 24) || 24);
    this.#chunkDelayMs = Math.max(0, fields.chunkDelayMs ?? 0);
    this.#contextWindowTokens = fields.contextWindowTokens ?? 200_000;
    this.#ids = fields.ids ?? randomCallId;
  }

  static override lc_name(): string {
    return "ScriptedChatModel";
  }

  override _llmType(): string {
    return "scripted";
  }

  override get profile(): { maxInputTokens: number; toolCalling: boolean } {
    return { maxInputTokens: this.#contextWindowTokens, toolCalling: true };
  }

  /** The calls answered so far, oldest first. */
  get calls(): readonly ScriptedCall[] {
    return this.#calls;
  }

  /** Steps of a fixed script that were not played yet; 0 for a policy. */
  get remainingSteps(): number {
    return this.#script ? this.#script.length - this.#next : 0;
  }

  /** Throws when a fixed script has steps left: the run ended before it was expected to. */
  assertFinished(): void {
    if (this.remainingSteps === 0) return;
    throw new ScriptedModelError(
      "unused_steps",
      `The script has ${this.remainingSteps} step(s) that were never played, from step ${this.#next + 1} on.`,
    );
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ScriptedCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const turn = this.#turn(messages, options);
    await this.#wait(options.signal);
    if (turn.error) throw turn.error;
    const usage = turnUsage(turn, messages);
    const message = turnMessage(turn, { ids: this.#ids, usage, metadata: this.#metadata() });
    await runManager?.handleLLMNewToken(message.text);
    return {
      generations: [{ text: message.text, message }],
      llmOutput: { tokenUsage: { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens } },
    };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = this.#turn(messages, options);
    if (turn.error) {
      await this.#wait(options.signal);
      throw turn.error;
    }
    const usage = turnUsage(turn, messages);
    const chunks = turnChunks(turn, {
      chunkSize: this.#chunkSize,
      ids: this.#ids,
      usage,
      metadata: this.#metadata(),
    });
    for (const message of chunks) {
      await this.#wait(options.signal);
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  #metadata(): Record<string, unknown> {
    return { model_name: this.model, model_provider: "scripted" };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#chunkDelayMs > 0) await pause(this.#chunkDelayMs, signal);
  }

  #turn(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): ScriptedTurn {
    options.signal?.throwIfAborted();
    const tools = describeTools(options.tools ?? []);
    const said = messages.filter((message) => !isForThisCall(message));
    const turn = this.#policy ? this.#ask(this.#policy, said, tools) : this.#step(said, tools);
    this.#calls.push({ messages, tools, turn });
    return turn;
  }

  #ask(
    policy: ScriptedPolicy,
    messages: readonly BaseMessage[],
    tools: readonly ScriptedTool[],
  ): ScriptedTurn {
    let turn: ScriptedTurn | string;
    try {
      turn = policy(messages, tools);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ScriptedModelError("policy_failed", `The policy threw: ${why}`, { cause });
    }
    return checkTurn(turn, tools, "The policy's turn");
  }

  #step(messages: readonly BaseMessage[], tools: readonly ScriptedTool[]): ScriptedTurn {
    const script = this.#script ?? [];
    const number = this.#next + 1;
    const step = script[this.#next];
    if (!step) {
      const last = messages.at(-1);
      throw new ScriptedModelError(
        "script_exhausted",
        `The script has ${script.length} step(s) and was called once more; the last message was ` +
          `${last?.getType() ?? "none"}: ${JSON.stringify(last?.text.slice(0, 200) ?? "")}.`,
      );
    }
    const verdict = step.expect?.(messages, tools);
    if (verdict === false || typeof verdict === "string") {
      throw new ScriptedModelError(
        "unexpected_call",
        `Step ${number} of the script did not expect this call${verdict ? `: ${verdict}` : "."}`,
      );
    }
    const turn = checkTurn(step, tools, `Step ${number} of the script`);
    this.#next += 1;
    return turn;
  }
}
