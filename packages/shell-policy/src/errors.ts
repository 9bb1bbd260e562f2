export type ShellPolicyErrorCode = "invalid_option" | "wasm";

/** The policy could not be made. The message says what to do. */
export class ShellPolicyError extends Error {
  override readonly name = "ShellPolicyError";
  readonly code: ShellPolicyErrorCode;

  constructor(code: ShellPolicyErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
