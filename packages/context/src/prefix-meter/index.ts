export { createPrefixMeter, type PrefixMeter, type PrefixMeterOptions, type RecordOptions } from "./meter.js";
export { expectStablePrefix, type Measured, type StablePrefixOptions } from "./expect-stable-prefix.js";
export { formatReport } from "./format-report.js";
export { ANTHROPIC_CACHE_RULES, OPENAI_CACHE_RULES, type CacheRules, type ModelCacheRules } from "./rules.js";
export { PrefixMeterError, PrefixMovedError, type PrefixMeterErrorCode } from "./errors.js";
export type {
  MeterNotes,
  MeterReport,
  MoveCause,
  MoveOrigin,
  PrefixMove,
  TokenCounts,
  TurnReport,
} from "./report.js";
export type { CountTokens } from "./tokens.js";
export type { PromptZone } from "./prompt.js";
