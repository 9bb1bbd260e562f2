import { Collector } from "./collect.js";
import type { Facts } from "./facts.js";
import {
  type FailureOrigin,
  type FailureReason,
  type FailureRecovery,
  recoveryOf,
  usuallyRetryable,
} from "./reasons.js";
import { redacted } from "./redact.js";
import { retryDelayOf } from "./retry-delay.js";
import { type EvidenceKind, type FailureRule, holds } from "./rule.js";
import { FAILURE_RULES, isOutsiderRule } from "./rules/index.js";

/** What the caller knows about an error. */
export interface ClassifyOptions {
  /** Which seam threw it; without it the error's own marks decide whether a provider is meant at all. */
  readonly origin?: FailureOrigin;
  /** The provider that was called, for the record. */
  readonly provider?: string;
  /** The model that was called, for the record. */
  readonly model?: string;
  /** The time in milliseconds since the epoch, to turn dates into delays. Default: the clock. */
  readonly now?: number | (() => number);
}

/** One fact behind an answer, redacted and short. */
export interface FailureEvidence {
  readonly kind: EvidenceKind | "rule" | "origin" | "provider";
  readonly value: string;
}

/** What {@link classifyFailure} answers. */
export interface FailureClassification {
  readonly reason: FailureReason;
  readonly recovery: FailureRecovery;
  /** Whether the same request to the same provider may pass within about 15 minutes. */
  readonly retryable: boolean;
  /** The wait that the payload states, as it states it: it may be hours. */
  readonly retryAfterMs?: number;
  /** The provider failed without saying why (a plain 5xx). */
  readonly serverError: boolean;
  /** The rule that decided and the facts that made it apply. */
  readonly evidence: readonly FailureEvidence[];
}

/** A provider's message may quote anybody: strangers' marks are not looked for where a model threw. */
const PROVIDER_RULES: readonly FailureRule[] = FAILURE_RULES.filter((rule) => !isOutsiderRule(rule));

/** Longer than this is not "soon". */
const SOON_MS = 15 * 60_000;

const DELAYED: ReadonlySet<FailureReason> = new Set([
  "rate_limit",
  "overloaded",
  "timeout",
  "network",
  "billing",
  "unknown",
]);

const byRule = (
  rule: FailureRule,
  facts: Facts,
  evidence: FailureEvidence[],
  now: number,
): FailureClassification => {
  const { reason, retryable, serverError } = rule.outcome;
  const retryAfterMs = DELAYED.has(reason) ? retryDelayOf(facts, now) : undefined;
  return {
    reason,
    recovery: recoveryOf(reason),
    retryable: (retryable ?? usuallyRetryable(reason)) && (retryAfterMs ?? 0) <= SOON_MS,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    serverError: serverError ?? false,
    evidence,
  };
};

const plain = (reason: FailureReason, evidence: readonly FailureEvidence[]): FailureClassification => ({
  reason,
  recovery: recoveryOf(reason),
  retryable: false,
  serverError: false,
  evidence,
});

interface Given {
  readonly origin?: FailureOrigin;
  readonly provider?: string;
  readonly model?: string;
  readonly now: number;
}

/** What options say, whatever they are: a classifier that throws would hide the error that it was asked about. */
const given = (options: ClassifyOptions): Given => {
  try {
    const { origin, provider, model, now } = (options ?? {}) as ClassifyOptions;
    const time = typeof now === "function" ? now() : now;
    return {
      ...(typeof origin === "string" ? { origin } : {}),
      ...(typeof provider === "string" ? { provider } : {}),
      ...(typeof model === "string" ? { model } : {}),
      now: Number.isFinite(time) ? (time as number) : Date.now(),
    };
  } catch {
    return { now: Date.now() };
  }
};

/**
 * Says why a call failed and what cures it, from whatever was thrown: an `Error`, a string, `undefined`, a circular
 * object, a page of HTML. Pure and total: it never throws, and its time is bounded.
 *
 * Fields beat words: status, codes, class names, headers and errnos are looked for in the whole chain of causes, in
 * bodies, in gateways' wrapped errors and in JSON inside strings, and words only decide what these leave open.
 *
 * @example
 * ```ts
 * import { classifyFailure } from "@fiveseam/failover";
 *
 * const error = Object.assign(new Error("429 Too Many Requests"), { status: 429, headers: { "retry-after": "20" } });
 * const failure = classifyFailure(error, { origin: "model" });
 * console.log(failure.reason, failure.recovery, failure.retryAfterMs); // rate_limit failover 20000
 * ```
 */
export const classifyFailure = (error: unknown, options: ClassifyOptions = {}): FailureClassification => {
  const { origin, provider, model, now } = given(options);
  if (origin === "tool" || origin === "graph")
    return plain("not_provider_failure", [{ kind: "origin", value: origin }]);
  if (origin === "user") return plain("user_abort", [{ kind: "origin", value: origin }]);
  const facts = new Collector().collect(error);
  for (const rule of origin === "model" ? PROVIDER_RULES : FAILURE_RULES) {
    if (!holds(rule.match, facts)) continue;
    const evidence: FailureEvidence[] = [{ kind: "rule", value: rule.name }];
    holds(rule.match, facts, (kind, value) => evidence.push({ kind, value: redacted(value) }));
    if (provider !== undefined)
      evidence.push({ kind: "provider", value: redacted([provider, model].filter(Boolean).join(":")) });
    return byRule(rule, facts, evidence, now);
  }
  const retryAfterMs = retryDelayOf(facts, now);
  return {
    ...plain("unknown", [{ kind: "rule", value: "none" }]),
    retryable: (retryAfterMs ?? 0) <= SOON_MS,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};
