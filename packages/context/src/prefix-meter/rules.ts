/** How one family of models caches a prompt. */
export interface ModelCacheRules {
  /**
   * "marks": a prefix is kept where a mark stands and found by looking back from a mark. "steps": every prefix is kept
   * and found in steps of `stepTokens`.
   */
  matching: "marks" | "steps";
  /** A shorter prefix is not kept. */
  minTokens: number;
  /** With "steps": what is read is rounded down to a multiple of this. */
  stepTokens: number;
  /** Most marks in one request. */
  maxMarks: number;
  /** What the provider does about one mark more: refuse the request, or keep the newest. */
  tooManyMarks: "refuse" | "keep_newest";
  /** How many blocks are tried from a mark backwards, the marked one included. */
  lookbackBlocks: number;
  /** True when the provider marks the end of the newest message by itself. */
  implicitMark: boolean;
  /** How long an entry lives after its last use, when the request does not say. */
  lifetimeMs: number;
  /** Lifetimes by the name that a request gives them. */
  lifetimesMs: Readonly<Record<string, number>>;
}

/** A provider's rules: the defaults, and what differs for some models. */
export interface CacheRules {
  defaults: ModelCacheRules;
  /** The first entry whose `model` matches the model id wins over the defaults. */
  models: readonly (Partial<ModelCacheRules> & { model: RegExp })[];
  /** Request parameters that are part of everything behind the tools, as dotted paths. */
  promptParameters: readonly string[];
  /** Request parameters that are part of the messages only; "images" is whether there is one anywhere. */
  messageParameters: readonly string[];
  /** Request parameters that keep caches apart altogether. */
  keyParameters: readonly string[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Anthropic's rules, as https://platform.claude.com/docs/en/build-with-claude/prompt-caching gives them: tools, then
 * system, then messages; four marks at most, the request's own `cache_control` counted, and a fifth is an error 400; 20
 * blocks of lookback from each mark; five minutes or an hour, refreshed by use; a minimum by model, below which a mark
 * does nothing. A changed tool moves everything, `speed` the system prompt and the messages, and `tool_choice`,
 * `thinking` and the first or last image the messages alone.
 *
 * @example
 * ```ts
 * import { ANTHROPIC_CACHE_RULES, createPrefixMeter } from "@fiveseam/context/prefix-meter";
 *
 * const { defaults } = ANTHROPIC_CACHE_RULES;
 * createPrefixMeter({
 *   rules: { anthropic: { ...ANTHROPIC_CACHE_RULES, defaults: { ...defaults, minTokens: 2_048 } } },
 * });
 * ```
 */
export const ANTHROPIC_CACHE_RULES: CacheRules = {
  defaults: {
    matching: "marks",
    minTokens: 1_024,
    stepTokens: 1,
    maxMarks: 4,
    tooManyMarks: "refuse",
    lookbackBlocks: 20,
    implicitMark: false,
    lifetimeMs: 5 * MINUTE_MS,
    lifetimesMs: { "5m": 5 * MINUTE_MS, "1h": HOUR_MS },
  },
  models: [
    { model: /claude-(?:opus|fable|mythos)-5/, minTokens: 512 },
    { model: /claude-opus-4-[567](?!\d)|claude-haiku-4-5|claude-mythos-preview/, minTokens: 4_096 },
    { model: /claude-3-(?:5-)?haiku|claude-haiku-3/, minTokens: 2_048 },
  ],
  promptParameters: ["speed"],
  messageParameters: ["tool_choice", "thinking", "images"],
  keyParameters: [],
};

/**
 * OpenAI's rules, as https://developers.openai.com/api/docs/guides/prompt-caching gives them. Before GPT-5.6: automatic
 * from 1,024 tokens, read in steps of 128, kept for 5 to 10 idle minutes (5 here) or with `prompt_cache_retention` "24h".
 * From GPT-5.6: kept at marks, one of them set by OpenAI at the newest message (not with `prompt_cache_options.mode`
 * "explicit"), four written at most, no lookback limit in blocks, 30 minutes or 12 hours. Tools, output format, effort
 * and verbosity are part of the prompt. Requests of different `prompt_cache_key` are routed apart, so that they are taken
 * to share nothing.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, OPENAI_CACHE_RULES } from "@fiveseam/context/prefix-meter";
 *
 * // A compatible server that keeps every prefix, however short.
 * const defaults = { ...OPENAI_CACHE_RULES.defaults, minTokens: 1, stepTokens: 1 };
 * createPrefixMeter({ rules: { openai: { ...OPENAI_CACHE_RULES, defaults } } });
 * ```
 */
export const OPENAI_CACHE_RULES: CacheRules = {
  defaults: {
    matching: "steps",
    minTokens: 1_024,
    stepTokens: 128,
    maxMarks: 4,
    tooManyMarks: "keep_newest",
    lookbackBlocks: Number.POSITIVE_INFINITY,
    implicitMark: true,
    lifetimeMs: 5 * MINUTE_MS,
    lifetimesMs: {
      in_memory: 5 * MINUTE_MS,
      "30m": 30 * MINUTE_MS,
      "12h": 12 * HOUR_MS,
      "24h": 24 * HOUR_MS,
    },
  },
  models: [{ model: /gpt-(?:5\.[6-9]|[6-9])/, matching: "marks", stepTokens: 1, lifetimeMs: 30 * MINUTE_MS }],
  promptParameters: [
    "parallel_tool_calls",
    "response_format",
    "text.format",
    "text.verbosity",
    "verbosity",
    "reasoning.effort",
    "reasoning_effort",
  ],
  messageParameters: [],
  keyParameters: ["prompt_cache_key"],
};

/** The rules that hold for one model. */
export const rulesForModel = (rules: CacheRules, model: string): ModelCacheRules => ({
  ...rules.defaults,
  ...rules.models.find((entry) => entry.model.test(model)),
});
