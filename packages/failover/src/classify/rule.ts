import type { Facts } from "./facts.js";
import type { FailureReason } from "./reasons.js";

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

type Check = (facts: Facts, note: Note | undefined) => boolean;

/** One of few facts that is among many wanted values. */
const oneOf = (
  kind: EvidenceKind,
  from: (facts: Facts) => ReadonlySet<string>,
  wanted: readonly string[],
): Check => {
  const set = new Set(wanted);
  return (facts, note) => {
    for (const each of from(facts)) {
      if (!set.has(each)) continue;
      note?.(kind, each);
      return true;
    }
    return false;
  };
};

const matches = (kind: EvidenceKind, from: (facts: Facts) => readonly string[], pattern: RegExp): Check => {
  return (facts, note) => {
    for (const text of from(facts)) {
      if (!pattern.test(text)) continue;
      note?.(kind, pattern.exec(text)?.[0] ?? "");
      return true;
    }
    return false;
  };
};

/** The checks of a condition, cheap ones first; only what it names is looked at. */
const checksOf = (condition: Condition): Check[] => {
  const checks: Check[] = [];
  const { status, statusBetween, withoutStatus, codes, names, errnos, fields, header, html } = condition;
  const { place, quota, text, not, anyOf } = condition;
  if (withoutStatus) checks.push((facts) => facts.status === undefined);
  if (status) {
    checks.push((facts, note) => {
      if (facts.status === undefined || !status.includes(facts.status)) return false;
      note?.("status", String(facts.status));
      return true;
    });
  }
  if (statusBetween) {
    const [low, high] = statusBetween;
    checks.push((facts, note) => {
      if (facts.status === undefined || facts.status < low || facts.status > high) return false;
      note?.("status", String(facts.status));
      return true;
    });
  }
  if (html) checks.push((facts) => facts.html);
  if (header !== undefined) checks.push((facts) => facts.headers.has(header));
  if (codes) checks.push(oneOf("code", (facts) => facts.codes, codes));
  if (names) checks.push(oneOf("name", (facts) => facts.names, names));
  if (errnos) checks.push(oneOf("errno", (facts) => facts.errnos, errnos));
  if (fields) checks.push(oneOf("field", (facts) => facts.fields, fields));
  if (place) checks.push(matches("place", (facts) => facts.places, place));
  if (quota) checks.push(matches("quota", (facts) => facts.quotas, quota));
  if (text) checks.push(matches("text", (facts) => [facts.text], text));
  if (not) {
    const excluded = compile(not);
    checks.push((facts) => !excluded(facts, undefined));
  }
  if (anyOf) {
    const each = anyOf.map(compile);
    checks.push((facts, note) => each.some((check) => check(facts, note)));
  }
  return checks;
};

const compile = (condition: Condition): Check => {
  const checks = checksOf(condition);
  return (facts, note) => {
    for (const check of checks) if (!check(facts, note)) return false;
    return true;
  };
};

const compiled = new WeakMap<Condition, Check>();

/** Whether a condition holds; what made it hold is told to `note`. */
export const holds = (condition: Condition, facts: Facts, note?: Note): boolean => {
  let check = compiled.get(condition);
  if (!check) {
    check = compile(condition);
    compiled.set(condition, check);
  }
  return check(facts, note);
};
