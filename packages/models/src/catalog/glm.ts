import { priceList, TOGGLED_REASONING, type ModelCatalog, type ModelRow } from "./types.js";

// Prices of api.z.ai; open.bigmodel.cn bills in yuan, and the coding plan bills by subscription.
const usd = priceList("https://docs.z.ai/guides/overview/pricing");

// Thinking is on unless `thinking: { type: "disabled" }` is sent. https://docs.z.ai (read 2026-11).
const glm = (
  id: string,
  limits: readonly [window: number, output: number],
  price: ModelRow["price"],
): ModelRow => ({
  ids: [id],
  contextWindowTokens: limits[0],
  maxOutputTokens: limits[1],
  reasoning: TOGGLED_REASONING,
  imageInput: false,
  price,
});

export const glmCatalog: ModelCatalog = {
  promptCaching: { kind: "automatic" },
  guess: (model) => (/^glm-(4\.[5-9]|[5-9])/.test(model) ? { reasoning: TOGGLED_REASONING } : {}),
  rows: [
    glm("glm-5.1", [204_800, 131_072], null),
    glm("glm-5-turbo", [200_000, 131_072], usd("2026-09", [1.2, 0.24, 1.2, 4])),
    glm("glm-4.7", [204_800, 131_072], usd("2026-09", [0.6, 0.11, 0.6, 2.2])),
    glm("glm-4.7-flashx", [200_000, 131_072], usd("2026-09", [0.07, 0.01, 0.07, 0.4])),
    glm("glm-4.6", [204_800, 131_072], usd("2026-09", [0.6, 0.11, 0.6, 2.2])),
    glm("glm-4.5", [131_072, 98_304], usd("2026-09", [0.6, 0.11, 0.6, 2.2])),
    glm("glm-4.5-air", [131_072, 98_304], usd("2026-09", [0.2, 0.03, 0.2, 1.1])),
  ],
};
