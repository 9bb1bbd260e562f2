export type PipelineErrorCode =
  "invalid_rights" | "invalid_option" | "loop" | "audit" | "not_started" | "invalid_schema";

/** What this package throws on purpose. The message says what is right. */
export class PipelineError extends Error {
  override readonly name: string = "PipelineError";
  readonly code: PipelineErrorCode;

  constructor(code: PipelineErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/**
 * Ends the run instead of becoming a tool result: `loop` when the model goes on repeating a call that was refused,
 * `audit` when `auditRequired` is set and a line could not be written. The thread stays resumable.
 */
export class RunStoppedError extends PipelineError {
  override readonly name = "RunStoppedError";
  /** Read through `cause`, also from another copy of this package. */
  readonly stopsRun = true;
}

/**
 * Thrown by a tool that failed before it did anything, a connection that was never made for instance: then the call
 * may be tried again even when the tool is not idempotent.
 *
 * @example
 * ```ts
 * import { NotStartedError } from "@fiveseam/tool-pipeline";
 *
 * const connect = async (open: () => Promise<void>) => {
 *   await open().catch((cause: unknown) => {
 *     throw new NotStartedError("no connection", { cause });
 *   });
 * };
 * ```
 */
export class NotStartedError extends PipelineError {
  override readonly name = "NotStartedError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super("not_started", message, options);
  }
}
