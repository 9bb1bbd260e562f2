import type { Served } from "./cache-model.js";
import type { Prompt, PromptSegment } from "./prompt.js";
import type { ModelCacheRules } from "./rules.js";

/** What is remembered of a conversation's last request. */
export interface LastRequest {
  seed: string;
  segments: readonly PromptSegment[];
  /** Segments from the start that it left in the cache. */
  keptSegments: number;
}

/** A request beside the one before it. */
export interface Comparison {
  before: LastRequest;
  now: Prompt;
  served: Served;
  rules: ModelCacheRules;
  /** Segments from the start that both have in common. */
  common: number;
  /** Tokens that had been there and are billed again. */
  rebilledTokens: number;
}

/** The number of leading segments that are the same. */
export const commonPrefix = (a: readonly PromptSegment[], b: readonly PromptSegment[]): number => {
  let at = 0;
  while (at < a.length && at < b.length && a[at]?.digest === b[at]?.digest) at += 1;
  return at;
};

/**
 * Billed again is what was not read from the cache although the conversation's previous request had it, in the prefix
 * common to both or anywhere in what it left in the cache.
 */
export const compare = (
  before: LastRequest,
  now: Prompt,
  served: Served,
  rules: ModelCacheRules,
): Comparison => {
  const common = commonPrefix(before.segments, now.segments);
  const had = new Map<string, number>();
  for (const { digest } of before.segments.slice(common, before.keptSegments))
    had.set(digest, (had.get(digest) ?? 0) + 1);
  let rebilledTokens = 0;
  for (const [index, { digest, tokens }] of now.segments.entries()) {
    const left = had.get(digest) ?? 0;
    const known = index < common || left > 0;
    if (index >= common && left > 0) had.set(digest, left - 1);
    if (known && index >= served.reusedSegments) rebilledTokens += tokens;
  }
  // A provider that reads in steps bills the rest of a step; that is rounding and moved nothing.
  rebilledTokens = Math.min(rebilledTokens, served.promptTokens - served.reusedTokens);
  return { before, now, served, rules, common, rebilledTokens };
};
