import { anthropicCatalog } from "./anthropic.js";
import { deepSeekCatalog } from "./deepseek.js";
import { geminiCatalog } from "./gemini.js";
import { glmCatalog } from "./glm.js";
import { groqCatalog } from "./groq.js";
import { openAiCatalog } from "./openai.js";
import { qwenCatalog } from "./qwen.js";
import type { ModelCatalog, ModelRow } from "./types.js";
import { xaiCatalog } from "./xai.js";

const catalogs: Readonly<Record<string, ModelCatalog>> = {
  anthropic: anthropicCatalog,
  openai: openAiCatalog,
  gemini: geminiCatalog,
  groq: groqCatalog,
  deepseek: deepSeekCatalog,
  xai: xaiCatalog,
  qwen: qwenCatalog,
  glm: glmCatalog,
};

export const catalogOf = (provider: string): ModelCatalog | undefined =>
  Object.hasOwn(catalogs, provider) ? catalogs[provider] : undefined;

/**
 * What may follow a family's id and still be that family: a date in one of the forms vendors use, a three-digit
 * revision ("gemini-2.0-flash-001"), or "-latest". Nothing else, so that gpt-4o-mini is never gpt-4o, gpt-4.1 never
 * gpt-4, and a variant that nobody wrote down is unknown and not billed as its cousin.
 */
const SAME_FAMILY = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|\d{3}|latest))*$/;

/** The row whose id is the longest that the model's id is, or is a dated form of. */
export const findRow = (catalog: ModelCatalog, model: string): ModelRow | undefined => {
  let best: ModelRow | undefined;
  let length = -1;
  for (const row of catalog.rows) {
    for (const id of row.ids) {
      if (id.length > length && model.startsWith(id) && SAME_FAMILY.test(model.slice(id.length))) {
        best = row;
        length = id.length;
      }
    }
  }
  return best;
};
