import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { shownTail } from "./effective.js";
import { tokensOfMessage, tokensOfMessages } from "./estimate.js";
import type { CompactionEvent } from "./event.js";
import { HISTORY_ROUTE } from "./history.js";
import { cutPoints } from "./messages.js";

/** 1 strips old results of tools, 2 has the oldest part summarised, 3 keeps only the last messages and asks no model. */
export type CompactionTier = 1 | 2 | 3;

/** Shares of the window. */
export interface CompactionLevels {
  /** A warning is given from here on; default 0.8. */
  readonly warnAt: number;
  /** Compaction begins here; default 0.9. */
  readonly actAt: number;
  /** What a compaction aims for, so that the next one is not due at once; default 0.5. */
  readonly target: number;
}

export const DEFAULT_LEVELS: CompactionLevels = { warnAt: 0.8, actAt: 0.9, target: 0.5 };

/** Which messages are summarised and which are stripped or cut; indexes into the conversation. */
export interface Cut {
  readonly cutoffIndex: number;
  readonly strippedBefore: number;
  readonly clippedTo?: number;
}

export interface Measure {
  /** Tokens that are there whatever is done to the messages: system prompt, tools, trailing notes. */
  readonly fixed: number;
  /** What a message may take; estimates are multiplied by it. */
  readonly ratio: number;
}

const NOTICE_TOKENS = 120;

/** The first cut point from which the rest fits into so many tokens; undefined when not even the last group does. */
const suffixFitting = (
  messages: readonly BaseMessage[],
  from: number,
  maxTokens: number,
): number | undefined => {
  const points = cutPoints(messages).filter((point) => point > from && point < messages.length);
  let tokens = 0;
  let end = messages.length;
  let best: number | undefined;
  for (const point of points.toReversed()) {
    tokens += tokensOfMessages(messages.slice(point, end));
    end = point;
    if (tokens > maxTokens) break;
    best = point;
  }
  return best;
};

/** Tier 1: results of tools before the last quarter of the target are stripped. Undefined when that is not enough. */
export const planStrip = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
  targetTokens: number,
  { fixed, ratio }: Measure,
): Cut | undefined => {
  const cutoffIndex = event?.cutoffIndex ?? 0;
  const room = (targetTokens - fixed) / ratio;
  const strippedBefore = suffixFitting(messages, cutoffIndex, room / 2) ?? lastGroup(messages);
  if (strippedBefore <= (event?.strippedBefore ?? 0)) return undefined;
  const after = shownTail(messages, { cutoffIndex, strippedBefore, filePath: HISTORY_ROUTE });
  const tokens = tokensOfMessages(after) + (event ? tokensOfMessage(event.summaryMessage) : NOTICE_TOKENS);
  return tokens <= room ? { cutoffIndex, strippedBefore } : undefined;
};

/** Where the last call with its results, or the last message, begins. */
const lastGroup = (messages: readonly BaseMessage[]): number =>
  cutPoints(messages).findLast((point) => point < messages.length) ?? 0;

/**
 * Tier 2: everything before the last messages is summarised; those take half of the target at most. Undefined when there
 * is nothing to summarise or the last messages alone are too large.
 */
export const planSummary = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
  targetTokens: number,
  { fixed, ratio }: Measure,
): Cut | undefined => {
  const from = event?.cutoffIndex ?? 0;
  const room = (targetTokens - fixed) / ratio / 2;
  const cutoffIndex = suffixFitting(messages, from, room);
  return cutoffIndex === undefined ? undefined : { cutoffIndex, strippedBefore: 0 };
};

/**
 * Tier 3: the last messages only, as many as fit into a fifth of the target, or the last call with its results cut so
 * that they fit. Always gives an answer.
 */
export const planLast = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
  targetTokens: number,
  { fixed, ratio }: Measure,
): Cut => {
  const from = event?.cutoffIndex ?? 0;
  const room = Math.max(500, (targetTokens - fixed) / ratio);
  const fits = suffixFitting(messages, from, room / 5);
  if (fits !== undefined) return { cutoffIndex: fits, strippedBefore: 0 };
  const cutoffIndex = Math.max(from, lastGroup(messages));
  const last = messages.slice(cutoffIndex);
  const results = last.filter((message) => ToolMessage.isInstance(message));
  const rest = last
    .filter((message) => !ToolMessage.isInstance(message))
    .reduce((sum, each) => sum + tokensOfMessage(each), 0);
  const each = Math.max(0, room / 2 - rest) / Math.max(1, results.length);
  return { cutoffIndex, strippedBefore: 0, clippedTo: Math.max(200, Math.floor(each * 3)) };
};
