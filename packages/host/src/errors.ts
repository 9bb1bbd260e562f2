/** Why a port refused. The message says what to do about it; nothing has to be read out of it. */
export type HostErrorCode =
  /** The request itself is wrong: an option out of range, a reference that no git accepts, a URL that is none. */
  | "invalid_argument"
  | "not_found"
  /** The host's policy refuses it. */
  | "denied"
  /** A path outside the directory that the host was made for. */
  | "outside_root"
  | "timeout"
  /** What the port needs is not there: no program, no session, no network, no provider. */
  | "unavailable"
  /** Somebody else has it; the same call may succeed later. */
  | "busy"
  | "closed"
  /** Stored data that cannot be read. */
  | "corrupt"
  | "too_large"
  | "failed";

/**
 * A port's refusal. An abort is none: it rejects with the reason of the signal.
 *
 * @example
 * ```ts
 * import { HostError, type GitReadPort } from "@fiveseam/host";
 *
 * const subject = async (git: GitReadPort, ref: string): Promise<string | undefined> => {
 *   try {
 *     return (await git.show(ref)).commit.subject;
 *   } catch (error) {
 *     if (error instanceof HostError && error.code === "not_found") return undefined;
 *     throw error;
 *   }
 * };
 * ```
 */
export class HostError extends Error {
  override readonly name: string = "HostError";
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
