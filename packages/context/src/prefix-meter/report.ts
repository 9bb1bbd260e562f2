import type { PromptZone } from "./prompt.js";

/** Who moved the prefix, as far as the watched middleware tells. */
export type MoveOrigin =
  /** The middleware that is named: what it was given had not moved there, what it handed on had. */
  | "middleware"
  /** The request had moved before it reached the first watched middleware: the conversation, or somebody outside. */
  | "before_watched"
  /** It moved after the last watched middleware: a middleware further in, or the model's client. */
  | "after_watched"
  /** No middleware was watched for this request: the conversation, or any middleware. */
  | "unwatched"
  /** The prompt is the same; the provider's rules made the difference. */
  | "provider";

interface MoveBase {
  where: PromptZone;
  /** Index of the tool, the system block or the message in what was sent. */
  index: number;
  /** The first differing text, short; empty where there is nothing on that side. */
  before: string;
  after: string;
  origin: MoveOrigin;
  /** Name of the middleware, with origin "middleware". */
  middleware?: string;
  /** The message, where it is one: its role, and its id when the request had it (with `meter.middleware()`). */
  message?: { id?: string; type: string };
}

/** The first thing that moved the prefix of a turn. */
export type PrefixMove = MoveBase &
  (
    | { cause: "tool_order" | "tool_changed" | "tool_added" | "tool_removed"; tool: string }
    | { cause: "system_changed" }
    /** `summary`: several messages gave way to fewer. */
    | { cause: "message_changed" | "message_removed" | "summary" }
    /** Parameters that are part of the prompt, such as tool_choice. */
    | { cause: "parameters"; parameters: string[] }
    /** The kept prefix is further back than the provider looks. */
    | { cause: "lookback"; blocks: number; maxBlocks: number }
    | { cause: "expired"; idleMs: number; lifetimeMs: number }
    | { cause: "below_minimum"; prefixTokens: number; minTokens: number }
    /**
     * The prefix is the same, but no mark had kept it. `transient` is true when the mark had been put on a message that
     * was made for one call and is gone.
     */
    | { cause: "mark_missing"; transient: boolean }
    /** More marks than the provider takes. */
    | { cause: "mark_limit"; marks: number; maxMarks: number }
    /** The model or a key that keeps caches apart is another one. */
    | { cause: "cache_key_changed" }
  );

/** Why a prefix was billed again, as `PrefixMove["cause"]`. */
export type MoveCause = PrefixMove["cause"];

/** Tokens of a turn or of all turns. reused + written + uncached = prompt. */
export interface TokenCounts {
  promptTokens: number;
  /** Read from the cache. */
  reusedTokens: number;
  /** Billed and kept. */
  writtenTokens: number;
  /** Billed and not kept. */
  uncachedTokens: number;
  /**
   * Of the billed ones, those that had been there: in the cached part of the conversation's previous request, or in the
   * prefix that both have in common.
   */
  rebilledTokens: number;
  /** reused ÷ prompt. Low in a turn that brings much new text, without anything being wrong. */
  reusedShare: number;
  /** reused ÷ (reused + rebilled): how much of what could be reused was. 1 when there was nothing to reuse. */
  keptShare: number;
}

/** One request. */
export interface TurnReport extends TokenCounts {
  /** Counted from 1 within its conversation. */
  turn: number;
  conversation: string;
  provider: "anthropic" | "openai";
  model: string;
  atMs: number;
  /** Why tokens were billed again; absent when none were. */
  moved?: PrefixMove;
}

/** What the meter could not use, and how often. */
export interface MeterNotes {
  /** POSTs whose body is not one of the three that are understood. */
  ignoredRequests: number;
  /** Requests that the provider refused or that did not arrive; they are not in the turns. */
  failedRequests: number;
  /** Faults of the meter itself, which the request never feels. */
  meterFaults: number;
  /** Turns forgotten because there were more than `maxTurns`. */
  forgottenTurns: number;
}

/** Everything measured so far. */
export interface MeterReport {
  turns: readonly TurnReport[];
  totals: TokenCounts;
  notes: MeterNotes;
}

/** Adds shares to sums. */
export const withShares = (sums: Omit<TokenCounts, "reusedShare" | "keptShare">): TokenCounts => {
  const possible = sums.reusedTokens + sums.rebilledTokens;
  return {
    ...sums,
    reusedShare: sums.promptTokens === 0 ? 0 : sums.reusedTokens / sums.promptTokens,
    keptShare: possible === 0 ? 1 : sums.reusedTokens / possible,
  };
};
