import type { Facts } from "./facts";
import type { FailureReason } from "./reasons";

/**
 * When a rule applies: every field given must hold, and a field that lists values holds when one of them is there. All
 * strings are lower case, but for errnos.
 */
export interface Condition {
  /** The HTTP status; `[400, 499]` as `statusBetween`. */
  readonly status?: readonly number[];
  readonly statusBetween?: readonly [number, number];
  /** There is no HTTP status at all. */
  readonly withoutStatus?: true;
  readonly codes?: readonly string[];
  readonly names?: readonly string[];
  readonly errnos?: readonly string[];
  readonly fields?: readonly string[];
  readonly text?: RegExp;
  readonly place?: RegExp;
  readonly quota?: RegExp;
  readonly header?: string;
  readonly html?: true;
  readonly anyOf?: readonly Condition[];
  readonly not?: Condition;
}

/** What a rule answers; what is left out follows from the reason. */
export interface RuleOutcome {
  readonly reason: FailureReason;
  readonly retryable?: boolean;
  /** The server failed without saying why: a plain 5xx. */
  readonly serverError?: true;
}

/** One kind of failure, as data. */
export interface FailureRule {
  readonly name: string;
  /** Whose shape it is; "any" when several print it. */
  readonly provider: string;
  /** A thrown value that this rule, and no earlier one, decides. */
  readonly example: unknown;
  /** One that looks alike and is something else. */
  readonly counterExample: unknown;
  readonly match: Condition;
  readonly outcome: RuleOutcome;
}

/** A fact that made a rule apply. */
export type EvidenceKind =
  "status" | "code" | "name" | "errno" | "field" | "text" | "place" | "quota" | "header";

type Note = (kind: EvidenceKind, value: string) => void;

const common = (has: ReadonlySet<string>, wanted: readonly string[]): string | undefined => {
  if (has.size === 0) return undefined;
  for (const each of wanted) if (has.has(each)) return each;
  return undefined;
};

const found = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[0];

const anyFound = (texts: readonly string[], pattern: RegExp): string | undefined => {
  for (const text of texts) {
    const hit = found(text, pattern);
    if (hit !== undefined) return hit;
  }
  return undefined;
};

/** Whether a condition holds; what made it hold is told to `note`. */
export const holds = (condition: Condition, facts: Facts, note?: Note): boolean => {
  const { status } = facts;
  const step = (kind: EvidenceKind, hit: string | undefined): boolean => {
    if (hit === undefined) return false;
    note?.(kind, hit);
    return true;
  };
  if (condition.withoutStatus && status !== undefined) return false;
  if (condition.status && (status === undefined || !condition.status.includes(status))) return false;
  if (condition.statusBetween) {
    const [low, high] = condition.statusBetween;
    if (status === undefined || status < low || status > high) return false;
  }
  if (condition.html && !facts.html) return false;
  if (condition.codes && !step("code", common(facts.codes, condition.codes))) return false;
  if (condition.names && !step("name", common(facts.names, condition.names))) return false;
  if (condition.errnos && !step("errno", common(facts.errnos, condition.errnos))) return false;
  if (condition.fields && !step("field", common(facts.fields, condition.fields))) return false;
  if (condition.header !== undefined && !facts.headers.has(condition.header)) return false;
  if (condition.place && !step("place", anyFound(facts.places, condition.place))) return false;
  if (condition.quota && !step("quota", anyFound(facts.quotas, condition.quota))) return false;
  if (condition.text && !step("text", found(facts.text, condition.text))) return false;
  if (condition.not && holds(condition.not, facts)) return false;
  if (condition.anyOf && !condition.anyOf.some((each) => holds(each, facts, note))) return false;
  if (status !== undefined && (condition.status || condition.statusBetween)) note?.("status", String(status));
  return true;
};
