import type { UsageMetadata } from "@langchain/core/messages";
import type { ModelPrice, PriceRates } from "./catalog/types.js";

/** Tokens of one call by the class in which they are billed. The classes do not overlap; `reasoning` is in `output`. */
export interface UsageTokens {
  /** Input neither read from a cache nor written to one. */
  readonly input: number;
  readonly cachedRead: number;
  readonly cacheWrite: number;
  /** Everything generated, reasoning included. */
  readonly output: number;
  /** The part of `output` that was reasoning, where the provider tells. */
  readonly reasoning: number;
}

/** What one call cost, by token class. `total` is the sum without `reasoning`, which is a part of `output`. */
export interface UsageCost extends UsageTokens {
  readonly total: number;
  readonly currency: ModelPrice["currency"];
}

/** Usage comes from a provider's answer: a count that is no count is none. */
const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/**
 * Splits LangChain's usage metadata into the classes that are billed apart. Pure.
 *
 * `input_tokens` includes cache reads and writes. `output_tokens` should include reasoning, but the clients of Gemini
 * and xAI report only the visible part there (`@langchain/google-genai` 2.3.2 takes `candidatesTokenCount`; xAI counts
 * `reasoning_tokens` apart): what `total_tokens` has more than input and output is added to the output.
 *
 * @example
 * ```ts
 * import { splitUsage } from "@fiveseam/models";
 *
 * const { input, cachedRead } = splitUsage({
 *   input_tokens: 1000,
 *   output_tokens: 10,
 *   total_tokens: 1010,
 *   input_token_details: { cache_read: 900 },
 * });
 * console.log(input, cachedRead); // 100 900
 * ```
 */
export const splitUsage = (usage: UsageMetadata): UsageTokens => {
  const all = count(usage.input_tokens);
  const visible = count(usage.output_tokens);
  const cachedRead = Math.min(all, count(usage.input_token_details?.cache_read));
  const cacheWrite = Math.min(all - cachedRead, count(usage.input_token_details?.cache_creation));
  const unseen = Math.max(0, count(usage.total_tokens) - all - visible);
  const output = visible + unseen;
  const reasoning = Math.min(output, count(usage.output_token_details?.reasoning) || unseen);
  return { input: all - cachedRead - cacheWrite, cachedRead, cacheWrite, output, reasoning };
};

const ratesFor = (price: ModelPrice, inputTokens: number): PriceRates =>
  price.longContext?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens) ?? price;

/**
 * What a call cost at a list price. Pure: the price is the one given, so a ledger that keeps the price of the time of
 * the call is never re-priced. `null` for an unknown price: unknown is not nothing.
 *
 * @example
 * ```ts
 * import { describeModel, priceUsage } from "@fiveseam/models";
 *
 * const { price } = describeModel("anthropic:claude-sonnet-4-6");
 * const cost = priceUsage(price, { input_tokens: 1_000_000, output_tokens: 0, total_tokens: 1_000_000 });
 * console.log(cost?.total); // 3
 * ```
 */
export function priceUsage(price: ModelPrice, usage: UsageMetadata): UsageCost;
export function priceUsage(price: ModelPrice | null, usage: UsageMetadata): UsageCost | null;
export function priceUsage(price: ModelPrice | null, usage: UsageMetadata): UsageCost | null {
  if (price === null) return null;
  const tokens = splitUsage(usage);
  const rates = ratesFor(price, tokens.input + tokens.cachedRead + tokens.cacheWrite);
  const cost = (amount: number, perMTok: number): number => (amount * perMTok) / 1_000_000;
  const input = cost(tokens.input, rates.inputPerMTok);
  const cachedRead = cost(tokens.cachedRead, rates.cachedReadPerMTok);
  const cacheWrite = cost(tokens.cacheWrite, rates.cacheWritePerMTok);
  const output = cost(tokens.output, rates.outputPerMTok);
  return {
    input,
    cachedRead,
    cacheWrite,
    output,
    reasoning: cost(tokens.reasoning, rates.outputPerMTok),
    total: input + cachedRead + cacheWrite + output,
    currency: price.currency,
  };
}
