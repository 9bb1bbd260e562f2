import {
  efforts,
  NO_REASONING,
  priceList,
  TOGGLED_REASONING,
  type ModelCatalog,
  type ModelRow,
} from "./types.js";

const usd = priceList("https://groq.com/pricing");

const groq = (
  id: string,
  output: number,
  more: Pick<ModelRow, "reasoning" | "price"> & Partial<ModelRow>,
): ModelRow => ({
  ids: [id],
  contextWindowTokens: 131_072,
  maxOutputTokens: output,
  imageInput: false,
  ...more,
});

// https://console.groq.com/docs/reasoning (read 2026-11): gpt-oss takes low, medium and high, qwen3 "none" and "default".
const GPT_OSS = efforts(false, "low", "medium", "high");

export const groqCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  rows: [
    groq("openai/gpt-oss-120b", 65_536, {
      reasoning: GPT_OSS,
      price: usd("2026-07", [0.15, 0.075, 0.15, 0.6]),
    }),
    groq("openai/gpt-oss-20b", 65_536, {
      reasoning: GPT_OSS,
      price: usd("2026-07", [0.075, 0.0375, 0.075, 0.3]),
    }),
    groq("qwen/qwen3-32b", 40_960, {
      reasoning: TOGGLED_REASONING,
      price: usd("2026-07", [0.29, 0.29, 0.29, 0.59]),
    }),
    groq("llama-3.3-70b-versatile", 32_768, {
      reasoning: NO_REASONING,
      price: usd("2025-10", [0.59, 0.59, 0.59, 0.79]),
    }),
    groq("llama-3.1-8b-instant", 131_072, {
      reasoning: NO_REASONING,
      price: usd("2025-10", [0.05, 0.05, 0.05, 0.08]),
    }),
  ],
};
