import {
  efforts,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
  type ReasoningShape,
} from "./types.js";

// Text, image and video input; audio costs more on some models and is not told apart. Cache storage by the hour is not
// part of a request's usage either.
const usd = priceList("https://ai.google.dev/gemini-api/docs/pricing");

// Gemini 3 takes a level and 2.5 a budget, never both. 2.5 Pro and the 3 series cannot stop thinking.
// https://ai.google.dev/gemini-api/docs/thinking (read 2026-11).
const LEVELS: ReasoningShape = efforts(false, "low", "medium", "high");
const LEVELS_FROM_MINIMAL: ReasoningShape = efforts(false, "minimal", "low", "medium", "high");
const budget = (minTokens: number, maxTokens: number, canDisable: boolean): ReasoningShape => ({
  kind: "budget",
  minTokens,
  maxTokens,
  canDisable,
});

const gemini = (
  id: string,
  reasoning: ReasoningShape,
  price: ModelRow["price"],
  output = 65_536,
): ModelRow => ({
  ids: [id],
  contextWindowTokens: 1_048_576,
  maxOutputTokens: output,
  reasoning,
  imageInput: true,
  price,
});

export const geminiCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  guess: (model) => (/^gemini-[3-9]/.test(model) ? { reasoning: LEVELS } : {}),
  rows: [
    // From 2027 on 1.50, 0.15 and 7.50.
    gemini("gemini-3.8-flash", LEVELS, usd("2026-09", [0.75, 0.075, 0.75, 3.75], { until: "2026-12-31" })),
    gemini("gemini-3.7-flash", LEVELS, usd("2026-09", [1.5, 0.15, 1.5, 7.5])),
    gemini("gemini-3.5-flash", LEVELS, usd("2026-06", [1.5, 0.15, 1.5, 9])),
    gemini(
      "gemini-3.1-pro-preview",
      LEVELS,
      usd("2026-06", [2, 0.2, 2, 12], { above: [[200_000, [4, 0.4, 4, 18]]] }),
    ),
    gemini(
      "gemini-3-pro-preview",
      efforts(false, "low", "high"),
      usd("2026-06", [2, 0.2, 2, 12], { above: [[200_000, [4, 0.4, 4, 18]]] }),
      64_000,
    ),
    gemini("gemini-3.1-flash-lite", LEVELS_FROM_MINIMAL, usd("2026-06", [0.25, 0.025, 0.25, 1.5])),
    gemini("gemini-3-flash-preview", LEVELS_FROM_MINIMAL, usd("2026-06", [0.5, 0.05, 0.5, 3])),
    gemini(
      "gemini-2.5-pro",
      budget(128, 32_768, false),
      usd("2026-07", [1.25, 0.125, 1.25, 10], { above: [[200_000, [2.5, 0.25, 2.5, 15]]] }),
    ),
    gemini("gemini-2.5-flash", budget(1, 24_576, true), usd("2026-07", [0.3, 0.03, 0.3, 2.5])),
    gemini("gemini-2.5-flash-lite", budget(512, 24_576, true), usd("2026-06", [0.1, 0.01, 0.1, 0.4])),
    gemini("gemini-2.0-flash", NO_REASONING, usd("2026-01", [0.1, 0.025, 0.1, 0.4]), 8192),
  ],
};
