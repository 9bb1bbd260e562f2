/** What is wrong with a cassette, or with the way it is used. */
export type CassetteErrorCode =
  /** There is no such file, and this call may not make one. */
  | "cassette_missing"
  /** A line is not what a cassette holds, the last one half written included. */
  | "cassette_corrupt"
  /** The file was written by a newer release. */
  | "cassette_version"
  /** Somebody records to this file already. */
  | "cassette_busy"
  /** The cassette was finished or closed, and its model was called again. */
  | "cassette_closed"
  /** A request is not on the cassette. */
  | "cassette_miss"
  /** Recorded calls were never asked for. */
  | "cassette_unused"
  /** An option that cannot be followed. */
  | "invalid_option";

/**
 * A cassette could not be read, written or followed; `code` is for programs, the message says what to do.
 *
 * @example
 * ```ts
 * import { CassetteError, replayModel } from "@fiveseam/testing";
 *
 * try {
 *   replayModel({ file: "test/cassettes/greeting.jsonl" });
 * } catch (error) {
 *   if (error instanceof CassetteError && error.code === "cassette_missing") console.log("record it first");
 * }
 * ```
 */
export class CassetteError extends Error {
  override readonly name: string = "CassetteError";
  readonly code: CassetteErrorCode;
  readonly file: string;

  constructor(code: CassetteErrorCode, file: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.file = file;
  }
}

/**
 * A replayed model was asked what is not on its cassette. No request was made.
 *
 * @example
 * ```ts
 * import { CassetteMissError } from "@fiveseam/testing";
 *
 * const explain = (error: unknown): string =>
 *   error instanceof CassetteMissError ? `${error.nearest ?? "nothing"}: ${error.difference ?? ""}` : "";
 * console.log(explain(new Error("something else")));
 * ```
 */
export class CassetteMissError extends CassetteError {
  override readonly name = "CassetteMissError";
  /** The number, from 1, of the recorded call that is most like the request. Undefined on an empty cassette. */
  readonly nearest: number | undefined;
  /** Where the two first differ: a path, what was recorded and what was asked. Undefined when they are alike. */
  readonly difference: string | undefined;

  constructor(file: string, message: string, nearest?: number, difference?: string) {
    super("cassette_miss", file, message);
    this.nearest = nearest;
    this.difference = difference;
  }
}
