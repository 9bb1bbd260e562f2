/** What is wrong with a model's configuration. */
export type ProviderConfigErrorCode =
  | "invalid_spec"
  | "unknown_provider"
  | "missing_model"
  | "missing_key"
  | "invalid_key"
  | "missing_package"
  | "missing_endpoint"
  | "unsupported_reasoning"
  | "provider_exists";

/**
 * A model could not be configured. Thrown before any request is made; the message says what to do and never holds a
 * key.
 *
 * @example
 * ```ts
 * import { createChatModel, ProviderConfigError } from "@fiveseam/models";
 *
 * try {
 *   await createChatModel("openai:gpt-4.1");
 * } catch (error) {
 *   if (error instanceof ProviderConfigError && error.code === "missing_key") console.error(error.message);
 * }
 * ```
 */
export class ProviderConfigError extends Error {
  override readonly name = "ProviderConfigError";
  readonly code: ProviderConfigErrorCode;
  /** The provider that was asked for, when one could be read from the spec. */
  readonly provider: string | undefined;

  constructor(
    code: ProviderConfigErrorCode,
    message: string,
    options: { provider?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.provider = options.provider;
  }
}

/**
 * A request got no answer, or an answer no next piece, within `timeoutMs`. Its name and code are those by which LangChain,
 * Node and `@fiveseam/failover` know a timeout.
 */
export class ProviderTimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";
  readonly provider: string;
  readonly timeoutMs: number;

  constructor(provider: string, timeoutMs: number, waitedFor: "an answer" | "the next piece of an answer") {
    super(`Request timed out: ${provider} sent no sign of ${waitedFor} within ${timeoutMs} ms.`);
    this.provider = provider;
    this.timeoutMs = timeoutMs;
  }
}

/** What a vendor says in the middle of a stream that fails. */
export interface StreamFailure {
  /** OpenAI's code, Google's status in words. */
  code?: string | undefined;
  /** The HTTP status that the failure would have had, where the vendor tells. */
  status?: number | undefined;
  message?: string | undefined;
}

/**
 * A provider broke off a streamed answer with an error event, or streamed nothing at all (`empty_answer`: a page of HTML,
 * for instance), or closed the connection before it had said that the answer is over (`stream_cut`). The clients of OpenAI's Responses API and of Gemini pass over such an event, and every client over an
 * empty stream, so that half an answer looked like a whole one.
 */
export class ProviderStreamError extends Error {
  override readonly name = "ProviderStreamError";
  /** The vendor's own code, "stream_error" where it gave none, "empty_answer" where there was nothing, "stream_cut" for half. */
  readonly code: string;
  readonly status: number | undefined;
  readonly provider: string;
  /** What the vendor sent. */
  readonly error: unknown;

  constructor(provider: string, failure: StreamFailure, error: unknown) {
    super(failure.message ?? `${provider} broke off its answer.`);
    this.code = failure.code ?? "stream_error";
    this.status = failure.status;
    this.provider = provider;
    this.error = error;
  }
}

/** Why a scripted model refused to go on. */
export type ScriptedModelErrorReason =
  "script_exhausted" | "unexpected_call" | "unknown_tool" | "unused_steps" | "invalid_turn" | "policy_failed";

/**
 * A scripted model met a call that its script or policy did not foresee. `reason` is for machines, the message names
 * the step and what was seen.
 */
export class ScriptedModelError extends Error {
  override readonly name = "ScriptedModelError";
  readonly reason: ScriptedModelErrorReason;

  constructor(reason: ScriptedModelErrorReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
  }
}
