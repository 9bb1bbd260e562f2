import {
  ALWAYS_REASONING,
  efforts,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
} from "./types.js";

const usd = priceList("https://docs.x.ai/developers/pricing");

const grok = (
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

// Which models take `reasoning_effort`: https://docs.x.ai/developers/model-capabilities/text/reasoning (read 2026-11).
// The others of the 4 series answer 400: "Model … does not support parameter reasoningEffort".
export const xaiCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  rows: [
    grok(["grok-4.7"], [500_000, 500_000], {
      reasoning: efforts(false, "low", "medium", "high", "xhigh"),
      price: usd("2026-09-21", [2, 0.5, 2, 6], { above: [[200_000, [4, 1, 4, 12]]] }),
    }),
    grok(["grok-4.5"], [500_000, 500_000], {
      reasoning: efforts(false, "low", "medium", "high"),
      price: usd("2026-09", [2, 0.5, 2, 6], { above: [[200_000, [4, 1, 4, 12]]] }),
    }),
    grok(["grok-4.3"], [1_000_000, 30_000], {
      reasoning: efforts(true, "low", "medium", "high"),
      price: usd("2026-06", [1.25, 0.2, 1.25, 2.5], { above: [[200_000, [2.5, 0.4, 2.5, 5]]] }),
    }),
    // The older ones have a long-context price of which the cached rate is not known for certain.
    grok(["grok-4"], [256_000, 64_000], { reasoning: ALWAYS_REASONING, price: null }),
    grok(
      ["grok-4-fast", "grok-4-fast-reasoning", "grok-4-1-fast", "grok-4-1-fast-reasoning"],
      [2_000_000, 30_000],
      { reasoning: ALWAYS_REASONING, price: null },
    ),
    grok(["grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"], [2_000_000, 30_000], {
      reasoning: NO_REASONING,
      price: null,
    }),
    grok(["grok-code-fast-1"], [256_000, 10_000], {
      reasoning: ALWAYS_REASONING,
      imageInput: false,
      price: usd("2026-06", [0.2, 0.02, 0.2, 1.5]),
    }),
    grok(["grok-3"], [131_072, 8192], {
      reasoning: NO_REASONING,
      imageInput: false,
      price: usd("2026-01", [3, 0.75, 3, 15]),
    }),
    grok(["grok-3-mini"], [131_072, 8192], {
      reasoning: efforts(false, "low", "high"),
      imageInput: false,
      price: usd("2026-01", [0.3, 0.075, 0.3, 0.5]),
    }),
  ],
};
