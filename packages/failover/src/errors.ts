import {
  classifyFailure,
  type ClassifyOptions,
  type FailureClassification,
} from "./classify/classify-failure.js";
import type { FailureReason } from "./classify/reasons.js";
import { identityLabel, type ModelIdentity } from "./identity.js";

/** One failed attempt, without the error itself (it is the cause, or in the events). */
export interface FailedAttempt {
  readonly identity: ModelIdentity;
  readonly failure: FailureClassification;
}

const sentence = (attempts: readonly FailedAttempt[]): string =>
  attempts.map(({ identity, failure }) => `${identityLabel(identity)} ${failure.reason}`).join(", ");

/**
 * Every candidate failed. `cause` is the last error. With one candidate its own error surfaces instead.
 */
export class FailoverExhaustedError extends Error {
  override readonly name = "FailoverExhaustedError";
  readonly code = "failover_exhausted" as const;
  readonly attempts: readonly FailedAttempt[];

  constructor(attempts: readonly FailedAttempt[], cause: unknown) {
    super(`Every model failed: ${sentence(attempts)}`, { cause });
    this.attempts = attempts;
  }

  /** Why the last attempt failed. */
  get reason(): FailureReason {
    return this.attempts.at(-1)?.failure.reason ?? "unknown";
  }

  /** Tells one from other errors, also across two copies of this package. */
  static isInstance(value: unknown): value is FailoverExhaustedError {
    return value instanceof Error && (value as { code?: unknown }).code === "failover_exhausted";
  }
}

/** Why {@link ModelStalledError} was thrown. */
export type StallCode = "first_byte_timeout" | "idle_timeout";

/** A model that sent nothing for too long. Counts as a timeout. */
export class ModelStalledError extends Error {
  override readonly name = "TimeoutError";
  readonly code: StallCode;
  readonly waitedMs: number;

  constructor(code: StallCode, waitedMs: number, identity: ModelIdentity) {
    super(
      code === "first_byte_timeout"
        ? `${identityLabel(identity)} sent nothing within ${waitedMs} ms`
        : `${identityLabel(identity)} stopped sending for ${waitedMs} ms`,
    );
    this.code = code;
    this.waitedMs = waitedMs;
  }
}

/** Options that cannot be used. */
export class FailoverConfigError extends TypeError {
  override readonly name = "FailoverConfigError";
  readonly code: "no_models" | "invalid_candidate";

  constructor(code: "no_models" | "invalid_candidate", message: string) {
    super(message);
    this.code = code;
  }
}

const failures = new WeakMap<object, FailureClassification>();

/** Remembers what an error was taken for, so that `failureOf` finds it. */
export const rememberFailure = (error: unknown, failure: FailureClassification): void => {
  if (typeof error === "object" && error !== null) failures.set(error, failure);
};

/**
 * What an error that came out of failover was taken for; any other error is classified now. Looks through wrappers.
 *
 * @example
 * ```ts
 * import { failureOf } from "@fiveseam/failover";
 * import { ChatOpenAI } from "@langchain/openai";
 *
 * const model = new ChatOpenAI({ model: "gpt-4.1" });
 * try {
 *   await model.invoke("Hi");
 * } catch (error) {
 *   if (failureOf(error).reason === "auth") console.log("Check the key.");
 * }
 * ```
 */
export const failureOf = (error: unknown, options?: ClassifyOptions): FailureClassification => {
  let each: unknown = error;
  for (let depth = 0; depth < 10 && typeof each === "object" && each !== null; depth += 1) {
    const known = failures.get(each);
    if (known) return known;
    try {
      each = (each as { cause?: unknown }).cause;
    } catch {
      break; // A getter or a proxy that throws tells nothing.
    }
  }
  return classifyFailure(error, options);
};
