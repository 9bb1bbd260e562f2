import {
  ALWAYS_REASONING,
  efforts,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
  type Rates,
  type ReasoningShape,
} from "./types.js";

const usd = priceList("https://developers.openai.com/api/docs/pricing");

/** `/^o\d/` matches o4-mini and o3, and never gpt-4o. */
const O_SERIES = /^o\d/;
const GPT5 = /^gpt-5(?:\.(\d+))?(?:-|$)/;

/** Which models reason: the o series, and gpt-5 and later but for gpt-5-chat. */
export const isOpenAiReasoningModel = (model: string): boolean =>
  O_SERIES.test(model) || (GPT5.test(model) && !model.startsWith("gpt-5-chat"));

/**
 * Which models need the Responses API in an agent. `-pro`, `codex` and `deep-research` exist only there. From gpt-5.4 on
 * chat completions refuses function tools unless reasoning is "none", even when no effort is sent: "Function tools with
 * reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions" (openai-openapi issue 541, 2026-05;
 * litellm 34569, 2026-07).
 */
export const needsResponsesApi = (model: string): boolean => {
  if (/-pro(?:-|$)|codex|deep-research/.test(model)) return true;
  return Number(GPT5.exec(model)?.[1] ?? 0) >= 4;
};

// Efforts by model: OpenAI's model pages and community.openai.com/t/1371738 (2026-01), models.dev (2026-07).
const O: ReasoningShape = efforts(false, "low", "medium", "high");
const FIVE: ReasoningShape = efforts(false, "minimal", "low", "medium", "high");
const FIVE_ONE: ReasoningShape = efforts(true, "low", "medium", "high");
const FIVE_TWO: ReasoningShape = efforts(true, "low", "medium", "high", "xhigh");
const CODEX: ReasoningShape = efforts(false, "low", "medium", "high");
const CODEX_MAX: ReasoningShape = efforts(false, "low", "medium", "high", "xhigh");
const FIVE_SIX: ReasoningShape = efforts(true, "low", "medium", "high", "xhigh", "max");

const classic = (
  id: string,
  window: number,
  output: number,
  rates: Rates,
  more: Partial<ModelRow> = {},
): ModelRow => ({
  ids: [id],
  contextWindowTokens: window,
  maxOutputTokens: output,
  reasoning: NO_REASONING,
  imageInput: true,
  price: usd("2026-07", rates),
  ...more,
});

/**
 * The input has a limit of its own, the window less the largest output: 272,000 of the 400,000 tokens of gpt-5 to
 * gpt-5.3. LangChain's profile names the window, so that a summarizer at 85 % of it would never come in time.
 */
const reasoner = (
  ids: readonly string[],
  window: number,
  reasoning: ReasoningShape,
  price: ModelRow["price"],
  more: Partial<ModelRow> = {},
): ModelRow => ({
  ids,
  contextWindowTokens: window,
  maxInputTokens: window - 128_000,
  maxOutputTokens: 128_000,
  reasoning,
  sampling: "refused",
  imageInput: true,
  price,
  ...more,
});

const oSeries = (id: string, rates: Rates, more: Partial<ModelRow> = {}): ModelRow => ({
  ...classic(id, 200_000, 100_000, rates),
  reasoning: O,
  sampling: "refused",
  ...more,
});

// "temperature, top_p, logprobs are only supported … with reasoning effort set to none" (OpenAI, Using GPT-5.2).
const UNREASONED: Partial<ModelRow> = { sampling: "without_reasoning" };
const W5 = 400_000;
const W54 = 1_050_000;
const GPT5_RATES: Rates = [1.25, 0.125, 1.25, 10];
const GPT52_RATES: Rates = [1.75, 0.175, 1.75, 14];

export const openAiCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  guess: (model) => (isOpenAiReasoningModel(model) ? { reasoning: O, sampling: "refused" } : {}),
  rows: [
    classic("gpt-4.1", 1_047_576, 32_768, [2, 0.5, 2, 8]),
    classic("gpt-4.1-mini", 1_047_576, 32_768, [0.4, 0.1, 0.4, 1.6]),
    classic("gpt-4.1-nano", 1_047_576, 32_768, [0.1, 0.025, 0.1, 0.4]),
    classic("gpt-4o", 128_000, 16_384, [2.5, 1.25, 2.5, 10]),
    classic("gpt-4o-2024-05-13", 128_000, 4096, [5, 5, 5, 15]),
    classic("gpt-4o-mini", 128_000, 16_384, [0.15, 0.075, 0.15, 0.6]),
    classic("gpt-4-turbo", 128_000, 4096, [10, 10, 10, 30], {
      ids: ["gpt-4-turbo", "gpt-4-1106-preview", "gpt-4-0125-preview"],
    }),
    classic("gpt-4", 8192, 8192, [30, 30, 30, 60], { imageInput: false }),
    classic("gpt-3.5-turbo", 16_385, 4096, [0.5, 0.5, 0.5, 1.5], { imageInput: false }),
    oSeries("o1", [15, 7.5, 15, 60]),
    oSeries("o1-pro", [150, 150, 150, 600]),
    oSeries("o3", [2, 0.5, 2, 8]),
    oSeries("o3-mini", [1.1, 0.55, 1.1, 4.4], { imageInput: false }),
    oSeries("o3-pro", [20, 20, 20, 80]),
    oSeries("o4-mini", [1.1, 0.275, 1.1, 4.4]),
    reasoner(["gpt-5"], W5, FIVE, usd("2026-07", GPT5_RATES)),
    reasoner(["gpt-5-mini"], W5, FIVE, usd("2026-07", [0.25, 0.025, 0.25, 2])),
    reasoner(["gpt-5-nano"], W5, FIVE, usd("2026-07", [0.05, 0.005, 0.05, 0.4])),
    reasoner(["gpt-5-pro"], W5, efforts(false, "high"), usd("2026-07", [15, 15, 15, 120]), {
      maxOutputTokens: 272_000,
    }),
    classic("gpt-5-chat", 128_000, 16_384, GPT5_RATES, { toolCalling: false }),
    reasoner(["gpt-5-codex", "gpt-5.1-codex"], W5, CODEX, usd("2026-07", GPT5_RATES)),
    reasoner(["gpt-5.1-codex-mini"], W5, CODEX, usd("2026-07", [0.25, 0.025, 0.25, 2])),
    reasoner(["gpt-5.1-codex-max"], W5, CODEX_MAX, usd("2026-07", GPT5_RATES)),
    reasoner(["gpt-5.1"], W5, FIVE_ONE, usd("2026-07", GPT5_RATES), UNREASONED),
    reasoner(["gpt-5.1-chat"], 128_000, ALWAYS_REASONING, usd("2026-07", GPT5_RATES), {
      maxInputTokens: 111_616,
      maxOutputTokens: 16_384,
    }),
    reasoner(["gpt-5.2"], W5, FIVE_TWO, usd("2026-07", GPT52_RATES), UNREASONED),
    reasoner(["gpt-5.2-chat"], 128_000, ALWAYS_REASONING, usd("2026-07", GPT52_RATES), {
      maxInputTokens: 111_616,
      maxOutputTokens: 16_384,
    }),
    reasoner(["gpt-5.2-codex", "gpt-5.3-codex"], W5, CODEX_MAX, usd("2026-07", GPT52_RATES)),
    reasoner(
      ["gpt-5.2-pro"],
      W5,
      efforts(false, "medium", "high", "xhigh"),
      usd("2026-07", [21, 21, 21, 168]),
    ),
    reasoner(
      ["gpt-5.4"],
      W54,
      FIVE_TWO,
      usd("2026-06", [2.5, 0.25, 2.5, 15], { above: [[272_000, [5, 0.5, 5, 22.5]]] }),
      UNREASONED,
    ),
    reasoner(
      ["gpt-5.5"],
      W54,
      FIVE_TWO,
      usd("2026-06", [5, 0.5, 5, 30], { above: [[272_000, [10, 1, 10, 45]]] }),
    ),
    reasoner(
      ["gpt-5.4-pro", "gpt-5.5-pro"],
      W54,
      efforts(false, "medium", "high", "xhigh"),
      usd("2026-06", [30, 30, 30, 180], { above: [[272_000, [60, 60, 60, 270]]] }),
    ),
    // From gpt-5.6 on writing to the cache costs 1.25 times the input.
    reasoner(
      ["gpt-5.6", "gpt-5.6-sol"],
      W54,
      FIVE_SIX,
      usd("2026-09", [2, 0.2, 2.5, 10], { above: [[272_000, [4, 0.4, 5, 15]]] }),
    ),
    // Their prices were seen only from before a cut of the family's.
    reasoner(["gpt-5.6-terra", "gpt-5.6-luna"], W54, FIVE_TWO, null),
  ],
};
