import type { FailureRule } from "../rule.js";
import { ABORT_RULES, LINK_RULES } from "./aborts.js";
import { ACCOUNT_CODE_RULES } from "./account-codes.js";
import { CAPACITY_CODE_RULES } from "./capacity-codes.js";
import { GENERIC_RULES } from "./generic.js";
import { OUTSIDER_RULES } from "./outsiders.js";
import { PHRASE_RULES } from "./phrases.js";

const outsiders: ReadonlySet<FailureRule> = new Set(OUTSIDER_RULES);

/** Whether a rule speaks of somebody else than a provider; such rules are asked only when the origin is unknown. */
export const isOutsiderRule = (rule: FailureRule): boolean => outsiders.has(rule);

/**
 * Every rule, most specific first; the first that applies decides. Stops and strangers, then the line to the provider,
 * machine-readable codes, vendors' sentences, and last types, statuses and plain words.
 *
 * @example
 * ```ts
 * import { FAILURE_RULES } from "@fiveseam/failover";
 *
 * for (const rule of FAILURE_RULES) console.log(rule.name, rule.outcome.reason);
 * ```
 */
export const FAILURE_RULES: readonly FailureRule[] = [
  ...ABORT_RULES,
  ...OUTSIDER_RULES,
  ...LINK_RULES,
  ...ACCOUNT_CODE_RULES,
  ...CAPACITY_CODE_RULES,
  ...PHRASE_RULES,
  ...GENERIC_RULES,
];
