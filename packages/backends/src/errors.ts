export type BackendErrorCode = "invalid_route" | "invalid_path";

/** A backend was put together wrongly, or was given a path that cannot name a file. The message says what is right. */
export class BackendError extends Error {
  override readonly name = "BackendError";
  readonly code: BackendErrorCode;

  constructor(code: BackendErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
