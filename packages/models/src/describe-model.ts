import { catalogOf, findRow } from "./catalog/index.js";
import {
  UNKNOWN_REASONING,
  type ModelCatalog,
  type ModelPrice,
  type PromptCachingShape,
  type ReasoningShape,
  type SamplingRule,
} from "./catalog/types.js";

/** What is known of a model without asking its provider. */
export interface ModelDescription {
  readonly provider: string;
  readonly model: string;
  /** Whether this package has the model in its tables. What is not known is `null` or of kind "unknown". */
  readonly known: boolean;
  /** Input and output together. */
  readonly contextWindowTokens: number | null;
  /** Most input of one request: the window, or less where the provider limits the input by itself. */
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly reasoning: ReasoningShape;
  /** Whether `temperature` and `topP` reach the model. Refused ones are not sent. */
  readonly sampling: SamplingRule;
  readonly promptCaching: PromptCachingShape;
  readonly toolCalling: boolean | null;
  readonly imageInput: boolean | null;
  /** Whether its tokens cost money: false for `local` and `scripted`. */
  readonly metered: boolean;
  /** The vendor's list price; `null` where it is not known, and where nothing is metered. Never a guess. */
  readonly price: ModelPrice | null;
}

/** What a registered provider may say of its models; what it leaves out is unknown. */
export type ModelFacts = Partial<Omit<ModelDescription, "provider" | "model">>;

/** OpenRouter's vendors, by our names. */
const VENDORS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "gemini",
  "x-ai": "xai",
  deepseek: "deepseek",
  qwen: "qwen",
  "z-ai": "glm",
};

const fromCatalog = (catalog: ModelCatalog, model: string): ModelFacts => {
  const row = findRow(catalog, model);
  const guess = catalog.guess?.(model) ?? {};
  if (!row) return { ...guess, promptCaching: catalog.promptCaching };
  return {
    known: true,
    contextWindowTokens: row.contextWindowTokens,
    maxInputTokens: row.maxInputTokens ?? row.contextWindowTokens,
    maxOutputTokens: row.maxOutputTokens,
    reasoning: row.reasoning,
    sampling: row.sampling ?? "accepted",
    promptCaching: row.promptCaching ?? catalog.promptCaching,
    toolCalling: row.toolCalling ?? true,
    imageInput: row.imageInput,
    price: row.price,
  };
};

/** A model behind a gateway: its capabilities are the vendor's, its price is the gateway's, which is not known here. */
const behindGateway = (model: string): ModelFacts => {
  const [vendor = "", id = ""] = model.split("/", 2);
  const catalog = catalogOf(VENDORS[vendor] ?? "");
  if (!catalog) return {};
  // "anthropic/claude-sonnet-4.6" is claude-sonnet-4-6 at Anthropic; ":free" and the like are routes, not models.
  const plain = id.replace(/:.*$/, "");
  const facts = fromCatalog(catalog, vendor === "anthropic" ? plain.replaceAll(".", "-") : plain);
  return { ...facts, price: null };
};

const factsOf = (provider: string, model: string): ModelFacts => {
  if (provider === "local") return { metered: false };
  if (provider === "scripted") {
    return {
      known: true,
      metered: false,
      toolCalling: true,
      reasoning: { kind: "always" },
      promptCaching: { kind: "none" },
    };
  }
  if (provider === "openrouter") return behindGateway(model);
  // A deployment is usually named after its model, but what it costs depends on the contract.
  const catalog = catalogOf(provider === "azure" ? "openai" : provider);
  if (!catalog) return {};
  const facts = fromCatalog(catalog, model);
  return provider === "azure" ? { ...facts, price: null } : facts;
};

/** Pure: from the tables of this package, and what the caller knows better. */
export const describe = (provider: string, model: string, better: ModelFacts = {}): ModelDescription => ({
  known: false,
  contextWindowTokens: null,
  maxInputTokens: null,
  maxOutputTokens: null,
  reasoning: UNKNOWN_REASONING,
  sampling: "accepted",
  promptCaching: { kind: "unknown" },
  toolCalling: null,
  imageInput: null,
  metered: true,
  price: null,
  ...factsOf(provider, model),
  ...better,
  provider,
  model,
});
