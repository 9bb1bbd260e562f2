/** Every answer that {@link classifyFailure} can give, in the order of the documentation. */
export const FAILURE_REASONS = [
  "auth",
  "billing",
  "rate_limit",
  "timeout",
  "overloaded",
  "model_not_found",
  "invalid_request",
  "unknown",
  "context_overflow",
  "network",
  "user_abort",
  "not_provider_failure",
] as const;

/**
 * Why a call failed. The first eight are reasons to treat the provider as failed; `context_overflow` and `network` have
 * another cure; `user_abort` and `not_provider_failure` are nobody's fault at the provider.
 */
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * What cures it: another candidate (`failover`), the same one again (`retry`), a shorter conversation (`compact`),
 * nothing (`stop`: surface it), or nothing that concerns a provider (`none`).
 */
export type FailureRecovery = "failover" | "retry" | "compact" | "stop" | "none";

/** Which seam threw the error. Say it where it is known: it decides more than any text. */
export type FailureOrigin = "model" | "tool" | "graph" | "user";

const RECOVERY: Readonly<Record<FailureReason, FailureRecovery>> = {
  auth: "failover",
  billing: "failover",
  rate_limit: "failover",
  timeout: "failover",
  overloaded: "failover",
  model_not_found: "failover",
  unknown: "failover",
  invalid_request: "stop",
  context_overflow: "compact",
  network: "retry",
  user_abort: "stop",
  not_provider_failure: "none",
};

const RETRYABLE: ReadonlySet<FailureReason> = new Set([
  "rate_limit",
  "timeout",
  "overloaded",
  "network",
  "unknown",
]);

/** The cure of a reason. */
export const recoveryOf = (reason: FailureReason): FailureRecovery => RECOVERY[reason];

/** Whether the same request may pass soon, when nothing in the payload says otherwise. */
export const usuallyRetryable = (reason: FailureReason): boolean => RETRYABLE.has(reason);
