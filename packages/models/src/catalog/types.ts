/** How hard a model may be told to think, from least to most. No provider has all of them. */
export type ReasoningEffort = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/**
 * How a model's reasoning is steered.
 *
 * - `none`: it does not reason.
 * - `always`: it reasons and cannot be told how much.
 * - `toggle`: on or off.
 * - `effort`: one of `efforts` (in ascending order), and off when `canDisable`.
 * - `budget`: a number of tokens between `minTokens` and `maxTokens`, and off when `canDisable`.
 * - `unknown`: this package does not know the model.
 */
export type ReasoningShape =
  | { readonly kind: "none" }
  | { readonly kind: "always" }
  | { readonly kind: "toggle" }
  | { readonly kind: "effort"; readonly efforts: readonly ReasoningEffort[]; readonly canDisable: boolean }
  | {
      readonly kind: "budget";
      readonly minTokens: number;
      readonly maxTokens: number;
      readonly canDisable: boolean;
    }
  | { readonly kind: "unknown" };

/**
 * How a provider caches prompts: by marks that the caller sets, by itself, not at all, or unknown.
 */
export type PromptCachingShape =
  | { readonly kind: "explicit"; readonly maxBreakpoints: number }
  | { readonly kind: "automatic" }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

/** Whether `temperature` and `topP` may be sent: yes, never, or only while the model does not reason. */
export type SamplingRule = "accepted" | "refused" | "without_reasoning";

/** Rates in dollars a million tokens. */
export interface PriceRates {
  /** Input that was neither read from a cache nor written to one. */
  readonly inputPerMTok: number;
  readonly cachedReadPerMTok: number;
  /** The five-minute cache where a provider has several. Equal to the input rate where writing is not charged. */
  readonly cacheWritePerMTok: number;
  /** Reasoning is output. */
  readonly outputPerMTok: number;
}

/** A model's list price. */
export interface ModelPrice extends PriceRates {
  readonly currency: "USD";
  /** The month (`YYYY-MM`) or day at which the source said so. */
  readonly asOf: string;
  /** The vendor's page. */
  readonly source: string;
  /** The last day (`YYYY-MM-DD`) on which the price holds, where the vendor announced its end. */
  readonly until?: string;
  /** Other rates for the whole request once its input is larger than a threshold, ascending. */
  readonly longContext?: readonly (PriceRates & { readonly aboveInputTokens: number })[];
}

/** What is known of one family of model ids. */
export interface ModelRow {
  /** Ids are this, or this and a date or `-latest`. */
  readonly ids: readonly string[];
  /** Input and output together. */
  readonly contextWindowTokens: number | null;
  /** Where the input has a limit of its own, below the window. */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens: number | null;
  readonly reasoning: ReasoningShape;
  /** Default "accepted". */
  readonly sampling?: SamplingRule;
  /** Default true. */
  readonly toolCalling?: boolean;
  readonly imageInput: boolean;
  /** Default: the provider's. */
  readonly promptCaching?: PromptCachingShape;
  readonly price: ModelPrice | null;
}

/** What is known of one provider's models. Data, and one pure function for ids that no row names. */
export interface ModelCatalog {
  readonly promptCaching: PromptCachingShape;
  readonly rows: readonly ModelRow[];
  /** What can be said of an id that no row matches, from its form alone. */
  readonly guess?: (model: string) => Partial<Pick<ModelRow, "reasoning" | "sampling">>;
}

export const NO_REASONING: ReasoningShape = { kind: "none" };
export const ALWAYS_REASONING: ReasoningShape = { kind: "always" };
export const TOGGLED_REASONING: ReasoningShape = { kind: "toggle" };
export const UNKNOWN_REASONING: ReasoningShape = { kind: "unknown" };

export const efforts = (canDisable: boolean, ...values: readonly ReasoningEffort[]): ReasoningShape => ({
  kind: "effort",
  efforts: values,
  canDisable,
});

/** Input, cached read, cache write, output, in dollars a million tokens. */
export type Rates = readonly [input: number, cachedRead: number, cacheWrite: number, output: number];

const named = ([inputPerMTok, cachedReadPerMTok, cacheWritePerMTok, outputPerMTok]: Rates): PriceRates => ({
  inputPerMTok,
  cachedReadPerMTok,
  cacheWritePerMTok,
  outputPerMTok,
});

/** A list of a vendor's prices shares a source; a row adds its rates and their date. */
export const priceList =
  (source: string) =>
  (
    asOf: string,
    rates: Rates,
    more: { until?: string; above?: readonly (readonly [inputTokens: number, rates: Rates])[] } = {},
  ): ModelPrice => ({
    ...named(rates),
    currency: "USD",
    asOf,
    source,
    ...(more.until === undefined ? {} : { until: more.until }),
    ...(more.above === undefined
      ? {}
      : {
          longContext: more.above.map(([aboveInputTokens, tier]) => ({ aboveInputTokens, ...named(tier) })),
        }),
  });
