export type BackendErrorCode = "invalid_route" | "invalid_path" | "invalid_option" | "damaged";

/** A backend was put together wrongly, or was given a path that cannot name a file. The message says what is right. */
export class BackendError extends Error {
  override readonly name = "BackendError";
  readonly code: BackendErrorCode;

  constructor(code: BackendErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
