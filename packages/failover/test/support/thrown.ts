import { readFileSync } from "node:fs";
import type { FailureOrigin, FailureReason } from "@fiveseam/failover";

/** One line of test/cases/*.jsonl: what was thrown, and the right answer. */
export interface FailureCase {
  readonly id: string;
  readonly provider: string;
  readonly shape: unknown;
  readonly reason: FailureReason;
  readonly origin: FailureOrigin;
  readonly retryable: boolean;
  /** A second answer that can be defended. */
  readonly retryableAlso?: boolean;
  readonly retryAfterMs?: number;
  readonly server_error?: boolean;
  readonly alsoAccept?: readonly FailureReason[];
}

export const readCases = (name: string): FailureCase[] =>
  readFileSync(new URL(`../cases/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FailureCase);

/** Rebuilds what was thrown: an Error with the shape's properties, its causes likewise. */
export const thrown = (shape: unknown): unknown => {
  if (typeof shape !== "object" || shape === null) return shape;
  const { message, ...rest } = shape as { message?: string };
  const error = new Error(message);
  for (const [key, value] of Object.entries(rest)) {
    Object.defineProperty(error, key, {
      value: key === "cause" ? thrown(value) : value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return error;
};
