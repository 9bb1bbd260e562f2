import {
  ALWAYS_REASONING,
  efforts,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
  type ReasoningShape,
} from "./types.js";

// Since 2026-08-16 a request costs half of this outside 01:00-04:00 and 06:00-10:00 UTC. The list (peak) rate stands
// here: an upper bound.
const usd = priceList("https://api-docs.deepseek.com/quick_start/pricing");

// Thinking is on unless `thinking: { type: "disabled" }`. https://api-docs.deepseek.com/guides/thinking_mode (2026-09).
const v4 = (id: string, reasoning: ReasoningShape, price: ModelRow["price"]): ModelRow => ({
  ids: [id],
  contextWindowTokens: 1_000_000,
  maxOutputTokens: 384_000,
  reasoning,
  sampling: "without_reasoning",
  imageInput: false,
  price,
});

export const deepSeekCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  rows: [
    v4("deepseek-v4-pro", efforts(true, "high", "max"), usd("2026-08-17", [1.32, 0.044, 1.32, 3.96])),
    v4(
      "deepseek-v4-flash",
      efforts(true, "low", "high", "max"),
      usd("2026-09-01", [0.44, 0.014, 0.44, 1.32]),
    ),
    // The old names, which were to be retired on 2026-07-24; what they cost as aliases is not documented.
    v4("deepseek-chat", NO_REASONING, null),
    v4("deepseek-reasoner", ALWAYS_REASONING, null),
  ],
};
