import {
  ALWAYS_REASONING,
  NO_REASONING,
  priceList,
  type ModelCatalog,
  type ModelRow,
  type ReasoningShape,
} from "./types.js";

// The international (Singapore) price list; others differ.
const usd = priceList("https://www.alibabacloud.com/help/en/model-studio/model-pricing");

const THINKING: ReasoningShape = { kind: "budget", minTokens: 1, maxTokens: 81_920, canDisable: true };

/** Open-weight hybrids such as qwen3-32b and qwen3-235b-a22b: they think unless told not to. */
export const isOpenHybridQwen = (model: string): boolean => /^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/.test(model);

const qwen = (
  id: string,
  limits: readonly [window: number, output: number],
  more: Pick<ModelRow, "reasoning" | "price">,
): ModelRow => ({
  ids: [id],
  contextWindowTokens: limits[0],
  maxOutputTokens: limits[1],
  imageInput: false,
  ...more,
});

export const qwenCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  guess: (model) => {
    if (isOpenHybridQwen(model)) return { reasoning: THINKING };
    if (model.includes("-thinking") || model.startsWith("qwq")) return { reasoning: ALWAYS_REASONING };
    return model.includes("-instruct") || model.includes("-coder") ? { reasoning: NO_REASONING } : {};
  },
  rows: [
    qwen("qwen3-max", [262_144, 65_536], {
      reasoning: NO_REASONING,
      price: usd("2026-07", [1.2, 0.24, 1.5, 6], {
        above: [
          [32_000, [2.4, 0.48, 3, 12]],
          [128_000, [3, 0.6, 3.75, 15]],
        ],
      }),
    }),
    qwen("qwen3-coder-plus", [1_000_000, 65_536], {
      reasoning: NO_REASONING,
      price: usd("2026-07", [1, 0.2, 1.25, 5], {
        above: [
          [32_000, [1.8, 0.36, 2.25, 9]],
          [128_000, [3, 0.6, 3.75, 15]],
          [256_000, [6, 1.2, 7.5, 60]],
        ],
      }),
    }),
    qwen("qwen3-coder-flash", [1_000_000, 65_536], {
      reasoning: NO_REASONING,
      price: usd("2026-07", [0.3, 0.06, 0.375, 1.5], {
        above: [
          [32_000, [0.5, 0.1, 0.625, 2.5]],
          [128_000, [0.8, 0.16, 1, 4]],
          [256_000, [1.6, 0.32, 2, 9.6]],
        ],
      }),
    }),
    // Its output costs more while it thinks, which a price by token class cannot say.
    qwen("qwen-plus", [1_000_000, 32_768], { reasoning: THINKING, price: null }),
    qwen("qwen-flash", [1_000_000, 32_768], {
      reasoning: THINKING,
      price: usd("2026-07", [0.05, 0.01, 0.0625, 0.4], { above: [[256_000, [0.25, 0.05, 0.3125, 2]]] }),
    }),
  ],
};
