import { describeModel, priceUsage, splitUsage, type UsageCost, type UsageTokens } from "@fiveseam/models";
import type { UsageMetadata } from "@langchain/core/messages";

/** Calls, tokens and dollars, summed. */
export interface CostTotals {
  calls: number;
  /** Calls whose price or usage is not known: they are in `calls` and, where known, in `tokens`, but not in `cost`. */
  unpricedCalls: number;
  /** Tokens by the class in which they are billed; `reasoning` is a part of `output`. */
  tokens: UsageTokens;
  /** US dollars by the same classes, and their sum as `total`. */
  cost: UsageCost;
}

/** What was spent, and on which model ("provider:model"). */
export interface CostSummary extends CostTotals {
  byModel: Record<string, CostTotals>;
}

/** One call of a model that has come to its end. */
export interface PricedCall {
  readonly threadId: string | undefined;
  /** To find its cost again; servers may repeat their ids, so nothing is counted by it. */
  readonly messageId: string | undefined;
  readonly provider: string;
  readonly model: string;
  readonly usage: UsageMetadata | undefined;
}

const NO_TOKENS: UsageTokens = { input: 0, cachedRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const NOTHING: UsageCost = { ...NO_TOKENS, total: 0, currency: "USD" };

const addTokens = (a: UsageTokens, b: UsageTokens): UsageTokens => ({
  input: a.input + b.input,
  cachedRead: a.cachedRead + b.cachedRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
});

const empty = (): CostTotals => ({ calls: 0, unpricedCalls: 0, tokens: NO_TOKENS, cost: NOTHING });

const ofCall = (tokens: UsageTokens, cost: UsageCost | null): CostTotals => ({
  calls: 1,
  unpricedCalls: cost === null ? 1 : 0,
  tokens,
  cost: cost ?? NOTHING,
});

/** What is charged for a call now; null when nobody here knows. */
const costNow = ({ provider, model, usage }: PricedCall): UsageCost | null => {
  if (!usage) return null;
  try {
    const { metered, price } = describeModel({ provider, model });
    return metered ? priceUsage(price, usage) : NOTHING;
  } catch {
    // A provider that is not registered: a chat model of the user's own.
    return null;
  }
};

/** Enough for the events of the runs under way; a server that lives for years must not keep them all. */
const REMEMBERED = 10_000;

/**
 * What models were paid for, per thread and model, since the agent was made. Each call is priced when it ends, so that a
 * later price or model changes nothing of the past. Delegates and the calls that middleware makes (summaries) count;
 * what is unknown stays unknown.
 */
export class CostLedger {
  readonly #threads = new Map<string, Map<string, CostTotals>>();
  readonly #costs = new Map<string, UsageCost | null>();

  /** Adds a call, and says what it cost. */
  record(call: PricedCall): UsageCost | null {
    const { messageId, threadId = "", provider, model, usage } = call;
    const cost = costNow(call);
    if (messageId !== undefined) this.#remember(keyOf(threadId, messageId), cost);
    let models = this.#threads.get(threadId);
    if (!models) this.#threads.set(threadId, (models = new Map()));
    const name = `${provider}:${model}`;
    const spent = ofCall(usage ? splitUsage(usage) : NO_TOKENS, cost);
    models.set(name, sum(models.get(name) ?? empty(), spent));
    return cost;
  }

  /** What a message of a thread cost; null when unknown, undefined when it was not counted here. */
  costOf(threadId: string, messageId: string): UsageCost | null | undefined {
    return this.#costs.get(keyOf(threadId, messageId));
  }

  /** What a thread cost. */
  thread(threadId: string): CostSummary {
    return summary(this.#threads.get(threadId) ?? new Map<string, CostTotals>());
  }

  /** What all threads cost together. */
  total(): CostSummary {
    return summary(
      [...this.#threads.values()].reduce((all, models) => {
        for (const [name, totals] of models) all.set(name, sum(all.get(name) ?? empty(), totals));
        return all;
      }, new Map<string, CostTotals>()),
    );
  }

  #remember(key: string, cost: UsageCost | null): void {
    this.#costs.set(key, cost);
    if (this.#costs.size <= REMEMBERED) return;
    const [oldest] = this.#costs.keys();
    this.#costs.delete(oldest as string);
  }
}

const keyOf = (threadId: string, messageId: string): string => JSON.stringify([threadId, messageId]);

const sum = (a: CostTotals, b: CostTotals): CostTotals => ({
  calls: a.calls + b.calls,
  unpricedCalls: a.unpricedCalls + b.unpricedCalls,
  tokens: addTokens(a.tokens, b.tokens),
  cost: { ...NOTHING, ...addTokens(a.cost, b.cost), total: a.cost.total + b.cost.total },
});

const summary = (models: ReadonlyMap<string, CostTotals>): CostSummary => ({
  ...[...models.values()].reduce(sum, empty()),
  byModel: Object.fromEntries([...models].map(([name, totals]) => [name, sum(empty(), totals)])),
});
