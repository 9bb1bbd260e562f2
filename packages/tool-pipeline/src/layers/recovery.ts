import { ToolMessage } from "@langchain/core/messages";
import type { Layer, ToolResult } from "../call.js";
import { currentScope } from "../call-scope.js";
import { causesOf, isNotStarted, mustPropagate, read } from "../control-flow.js";
import { isRepeatable } from "../effects.js";
import { outcomeOf } from "../outcomes.js";

export interface RecoveryOptions {
  /** How often a call is repeated after a transient failure; default 2. */
  retries?: number;
  /** Wait before the first repetition, doubled for each further one; default 250. The real wait is 50 to 100 % of it. */
  baseDelayMs?: number;
  /** The longest wait; default 5,000. */
  maxDelayMs?: number;
  /** From 0 to 1; default `Math.random`. */
  random?: () => number;
  /** Waits; default a timer that rejects with the signal's reason when it is aborted. */
  sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

// What Node, libuv and undici say when a machine or a connection is busy or gone for the moment. Not ENOTFOUND: a host name
// that does not exist is mostly a mistake in the arguments.
const TRANSIENT_CODES = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ENETRESET",
  "EBUSY",
  "EAGAIN",
  "EMFILE",
  "ENFILE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
]);
const TRANSIENT_STATUS = new Set([408, 425, 429, 502, 503, 504]);

/**
 * True for a failure that may be gone in a moment, by what the error and its causes state (`code`, `status`, `statusCode`,
 * `NotStartedError`), never by its text: "line 503" is no status.
 */
export const isTransient = (error: unknown): boolean => {
  if (isNotStarted(error)) return true;
  for (const cause of causesOf(error)) {
    const code = read(cause, "code");
    if (typeof code === "string" && TRANSIENT_CODES.has(code)) return true;
    for (const name of ["status", "statusCode"]) {
      const status = read(cause, name);
      if (typeof status === "number" && TRANSIENT_STATUS.has(status)) return true;
    }
  }
  return false;
};

const timer = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timeout);
      reject(signal?.reason as Error);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

type Attempt = { readonly result: ToolResult } | { readonly error: unknown };

/**
 * The layer that repeats a call after a transient failure, thrown or reported, with growing waits. Only a tool that may be
 * repeated (`isRepeatable`) is, and any tool that threw `NotStartedError`.
 */
export const recovery = (options: RecoveryOptions = {}): Layer => {
  const { retries = 2, baseDelayMs = 250, maxDelayMs = 5_000, random = Math.random, sleep = timer } = options;
  return {
    name: "recovery",
    async handle(call, next) {
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await next(call).then<Attempt, Attempt>(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
        const mayRepeat =
          isRepeatable(call.declaration) || ("error" in outcome && isNotStarted(outcome.error));
        if (attempt >= retries || !mayRepeat || !worthIt(outcome, call.signal)) {
          if ("error" in outcome) throw outcome.error;
          return outcome.result;
        }
        const delay = Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
        await sleep(delay * (0.5 + random() / 2), call.signal);
      }
    },
  };
};

const worthIt = (outcome: Attempt, signal: AbortSignal | undefined): boolean => {
  if ("error" in outcome) return !mustPropagate(outcome.error, signal) && isTransient(outcome.error);
  const report = currentScope()?.report;
  return (
    ToolMessage.isInstance(outcome.result) &&
    outcome.result.status === "error" &&
    // A refusal of the rate limit, which lies inside, is no second failure of the tool.
    outcomeOf(outcome.result) === undefined &&
    report?.ok === false &&
    report.transient === true
  );
};
