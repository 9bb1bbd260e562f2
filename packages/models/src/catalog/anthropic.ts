import {
  efforts,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
  type Rates,
  type ReasoningShape,
} from "./types.js";

const usd = priceList("https://platform.claude.com/docs/en/about-claude/pricing");

// Cache writes for five minutes are 1.25 times the input; the one-hour cache (twice the input) is not told apart in
// LangChain's usage metadata, and nothing here asks for it.
const OPUS: Rates = [5, 0.5, 6.25, 25];
const SONNET: Rates = [3, 0.3, 3.75, 15];

const budget = (maxTokens: number): ReasoningShape => ({
  kind: "budget",
  minTokens: 1024,
  maxTokens,
  canDisable: true,
});

const family = (
  ids: readonly string[],
  limits: readonly [window: number, output: number],
  more: Pick<ModelRow, "reasoning" | "price"> & Partial<ModelRow>,
): ModelRow => ({
  ids,
  contextWindowTokens: limits[0],
  maxOutputTokens: limits[1],
  imageInput: true,
  ...more,
});

const MILLION = 1_000_000;

/** Major and minor version in a Claude id: "claude-opus-4-8", "claude-sonnet-5", "claude-3-7-sonnet-latest". */
export const claudeVersion = (model: string): readonly [major: number, minor: number] | undefined => {
  const found =
    /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?=$|[-@:.])/.exec(model) ?? /claude-(\d)/.exec(model);
  return found ? [Number(found[1]), Number(found[2] ?? 0)] : undefined;
};

const atLeast = (model: string, major: number, minor: number): boolean => {
  const version = claudeVersion(model);
  return version !== undefined && (version[0] > major || (version[0] === major && version[1] >= minor));
};

/**
 * Thinking is `{ type: "adaptive" }` with an effort from 4.6 on; before, `{ type: "enabled", budget_tokens }`. 4.6 still
 * takes a budget, 4.7 and later answer 400: "thinking.type.enabled" is not supported for this model.
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking (read 2026-11).
 */
export const takesAdaptiveThinking = (model: string): boolean => atLeast(model, 4, 6);

/**
 * From 5 on thinking is on unless `{ type: "disabled" }` is sent; 4.6 to 4.8 think only when asked to, and 4.7 refuses
 * "disabled". Fable, Mythos and 5.5 refuse it too: they always think.
 * https://platform.claude.com/docs/en/about-claude/models/whats-new-sonnet-5 and
 * …/models/sonnet-5-5/migration-guide (read 2026-11).
 */
export const thinksUnlessDisabled = (model: string): boolean => atLeast(model, 5, 0);

const alwaysThinks = (model: string): boolean => atLeast(model, 5, 1) || /claude-(fable|mythos)/.test(model);

/** Reasoning and sampling follow from the version, so that a model which is newer than this table works as well. */
const byVersion = (model: string): Pick<ModelRow, "reasoning" | "sampling"> => {
  const sampling = atLeast(model, 4, 7) ? "refused" : "without_reasoning";
  if (atLeast(model, 4, 7)) {
    return { reasoning: efforts(!alwaysThinks(model), "low", "medium", "high", "xhigh", "max"), sampling };
  }
  if (takesAdaptiveThinking(model))
    return { reasoning: efforts(true, "low", "medium", "high", "max"), sampling };
  return { reasoning: atLeast(model, 3, 7) ? budget(32_000) : NO_REASONING, sampling };
};

const versioned = (
  ids: readonly string[],
  limits: readonly [window: number, output: number],
  price: ModelRow["price"],
): ModelRow => family(ids, limits, { ...byVersion(ids[0] ?? ""), price });

export const anthropicCatalog: ModelCatalog = {
  promptCaching: { kind: "explicit", maxBreakpoints: 4 },
  guess: (model) => (claudeVersion(model) ? byVersion(model) : {}),
  rows: [
    versioned(["claude-opus-5-5"], [MILLION, 128_000], usd("2026-10-03", [4, 0.2, 5, 20])),
    versioned(["claude-sonnet-5-5"], [MILLION, 128_000], usd("2026-10-03", [2, 0.1, 2.5, 10])),
    versioned(["claude-opus-5"], [MILLION, 128_000], usd("2026-09", OPUS)),
    // 2 and 10 dollars until 2026-08-31, since then the rate of Sonnet 4.6.
    versioned(["claude-sonnet-5"], [MILLION, 128_000], usd("2026-09-01", SONNET)),
    versioned(["claude-fable-5"], [MILLION, 128_000], usd("2026-09", [10, 1, 12.5, 50])),
    versioned(["claude-opus-4-8", "claude-opus-4-7"], [MILLION, 128_000], usd("2026-06", OPUS)),
    versioned(["claude-opus-4-6"], [MILLION, 128_000], usd("2026-06", OPUS)),
    versioned(["claude-sonnet-4-6"], [MILLION, 64_000], usd("2026-06", SONNET)),
    versioned(["claude-opus-4-5"], [200_000, 64_000], usd("2026-06", OPUS)),
    // A million tokens need a beta header that LangChain does not send; its own profile says a million all the same.
    versioned(["claude-sonnet-4-5"], [200_000, 64_000], usd("2026-09", SONNET)),
    versioned(["claude-haiku-4-5"], [200_000, 64_000], usd("2026-10-03", [1, 0.1, 1.25, 5])),
    versioned(
      ["claude-opus-4-1", "claude-opus-4-0", "claude-opus-4"],
      [200_000, 32_000],
      usd("2026-09", [15, 1.5, 18.75, 75]),
    ),
    versioned(["claude-sonnet-4-0", "claude-sonnet-4"], [200_000, 64_000], usd("2026-06", SONNET)),
    versioned(["claude-3-7-sonnet"], [200_000, 64_000], usd("2025-10", SONNET)),
    versioned(["claude-3-5-sonnet"], [200_000, 8192], usd("2025-10", SONNET)),
    versioned(["claude-3-5-haiku"], [200_000, 8192], usd("2025-10", [0.8, 0.08, 1, 4])),
    versioned(["claude-3-haiku"], [200_000, 4096], usd("2025-10", [0.25, 0.03, 0.3, 1.25])),
    versioned(["claude-3-opus"], [200_000, 4096], usd("2025-10", [15, 1.5, 18.75, 75])),
  ],
};
