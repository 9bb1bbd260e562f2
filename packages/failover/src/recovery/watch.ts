import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { abortErrorOf, type Clock } from "../clock.js";
import { ModelStalledError } from "../errors.js";
import type { ModelIdentity } from "../identity.js";

/** Limits on silence, in milliseconds; 0 switches one off. */
export interface StallLimits {
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/**
 * Watches one attempt: ends it when the model is silent for too long, and knows what it has sent. The timers run from the
 * request to the first piece of output and between pieces, never over the whole.
 */
export class AttemptWatch {
  /** Aborts with the caller, or when the model stalls. */
  readonly signal: AbortSignal;
  /** Rejects when the model stalls or the caller aborts, also when the client ignores the signal. */
  readonly stopped: Promise<never>;
  /** Whether text, reasoning or a tool call came. */
  sawOutput = false;
  /** Whether a tool call, or part of one, came. */
  sawToolCall = false;
  /** Whether the model is being asked right now; what is thrown before or after that is not the provider's. */
  running = false;
  /** Whether somebody outside hears the output as it comes. */
  audience = false;
  private readonly abort = new AbortController();
  private reject!: (error: unknown) => void;
  private cancel: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly identity: ModelIdentity,
    private readonly clock: Clock,
    private readonly limits: StallLimits | undefined,
    private readonly outer: AbortSignal | undefined,
  ) {
    // Not AbortSignal.any(), which leaks on a signal that serves many calls (Node 20).
    this.signal = this.abort.signal;
    this.stopped = new Promise<never>((_resolve, reject) => {
      this.reject = reject;
    });
    this.stopped.catch(() => undefined); // It is raced; alone it must not be unhandled.
    if (outer?.aborted) this.onAbort();
    else outer?.addEventListener("abort", this.onAbort, { once: true });
  }

  /** The request goes out now: other middleware may have worked before it. */
  start(): void {
    this.running = true;
    if (!this.ended) this.arm("first_byte_timeout", this.limits?.firstByteTimeoutMs);
  }

  /** Whether output has reached somebody. */
  get reachedCaller(): boolean {
    return this.audience && this.sawOutput;
  }

  /** Something came from the model. */
  touch(output: { readonly text: boolean; readonly toolCall: boolean }): void {
    if (this.ended) return;
    this.sawOutput ||= output.text || output.toolCall;
    this.sawToolCall ||= output.toolCall;
    this.arm("idle_timeout", this.limits?.idleTimeoutMs);
  }

  /** The reader is slow, or the model is done: no timer until the next touch. */
  pause(): void {
    this.cancel?.();
  }

  end(): void {
    this.ended = true;
    this.cancel?.();
    this.outer?.removeEventListener("abort", this.onAbort);
  }

  private readonly onAbort = (): void => {
    if (!this.outer) return;
    this.reject(abortErrorOf(this.outer));
    this.abort.abort(this.outer.reason);
  };

  private arm(code: "first_byte_timeout" | "idle_timeout", limitMs: number | undefined): void {
    this.cancel?.();
    if (!limitMs) return;
    this.cancel = this.clock.schedule(() => {
      const error = new ModelStalledError(code, limitMs, this.identity);
      this.end();
      this.reject(error);
      this.abort.abort(error);
    }, limitMs);
  }
}

interface Piece {
  readonly content?: unknown;
  readonly tool_call_chunks?: readonly unknown[];
  readonly tool_calls?: readonly unknown[];
}

/** What a message or a piece of one holds. */
export const outputOf = (message: unknown): { text: boolean; toolCall: boolean } => {
  const { content, tool_call_chunks: chunks, tool_calls: calls } = (message ?? {}) as Piece;
  return {
    text: typeof content === "string" || Array.isArray(content) ? content.length > 0 : false,
    toolCall: (chunks?.length ?? 0) > 0 || (calls?.length ?? 0) > 0,
  };
};

/**
 * Hears the tokens of one model run. `lc_prefer_streaming` makes `invoke()` stream underneath, which is what gives the
 * timers something to measure.
 */
export class WatchHandler extends BaseCallbackHandler {
  readonly name = "fiveseam-failover-watch";
  readonly lc_prefer_streaming: boolean;
  override readonly awaitHandlers = true;

  constructor(
    private readonly watch: AttemptWatch,
    stream: boolean,
  ) {
    super();
    this.lc_prefer_streaming = stream;
  }

  override handleLLMNewToken(
    token: string,
    _index: unknown,
    _runId: string,
    _parentRunId?: string,
    _tags?: string[],
    fields?: { chunk?: unknown },
  ): void {
    const output = outputOf((fields?.chunk as { message?: unknown } | undefined)?.message);
    this.watch.touch({ text: token.length > 0 || output.text, toolCall: output.toolCall });
  }

  override handleLLMEnd(): void {
    this.watch.running = false;
    this.watch.pause();
  }

  override handleLLMError(): void {
    this.watch.pause();
  }

  override handleChatModelStreamEvent(event: { readonly event?: string }): void {
    const delta = event.event === "content-block-delta" || event.event === "content-block-start";
    this.watch.touch({ text: delta, toolCall: false });
  }
}

interface HandlerLike {
  readonly name?: unknown;
  readonly lc_prefer_streaming?: unknown;
  readonly lc_prefer_chat_model_stream_events?: unknown;
  readonly handleLLMNewToken?: unknown;
}

const listens = (handler: HandlerLike): boolean => {
  if (handler instanceof WatchHandler) return false;
  if (handler.lc_prefer_streaming === true || handler.lc_prefer_chat_model_stream_events === true)
    return true;
  // Tracers hear tokens too, for the record only.
  const tracer = typeof handler.name === "string" && /tracer|langchain|run_collector/i.test(handler.name);
  return !tracer && typeof handler.handleLLMNewToken === "function";
};

/** Whether somebody hears the tokens of a run with these callbacks (`stream()`, `streamMode: "messages"`, a handler). */
export const hasAudience = (callbacks: unknown): boolean => {
  const list: unknown = Array.isArray(callbacks)
    ? callbacks
    : (callbacks as { handlers?: unknown } | undefined)?.handlers;
  return Array.isArray(list) && list.some((each) => listens(each as HandlerLike));
};
