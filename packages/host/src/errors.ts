/** Why a port refused or failed; a caller decides by this, never by the message. */
export type HostErrorCode =
  /** The caller's arguments make no sense; the message says what to give instead. */
  | "invalid_argument"
  | "not_found"
  /** It exists, and the port will not touch it. */
  | "denied"
  /** The path leads out of the host's root, by itself or through a symbolic link. */
  | "outside_root"
  | "timeout"
  /** What the port works through (a program, a server) is not there. */
  | "unavailable"
  | "busy"
  | "closed"
  | "corrupt"
  | "too_large"
  | "failed";

/**
 * What a port rejects with. An abort is no `HostError`: it rejects with the signal's own reason.
 *
 * @example
 * ```ts
 * import { createTextSearch, HostError } from "@fiveseam/host";
 *
 * try {
 *   await createTextSearch({ root: process.cwd() }).search({ pattern: "x", paths: ["../elsewhere"] });
 * } catch (error) {
 *   if (!(error instanceof HostError) || error.code !== "outside_root") throw error;
 * }
 * ```
 */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HostError";
    this.code = code;
  }
}
