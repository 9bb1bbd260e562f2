export {
  classifyFailure,
  type ClassifyOptions,
  type FailureClassification,
  type FailureEvidence,
} from "./classify/classify-failure.js";
export {
  FAILURE_REASONS,
  type FailureOrigin,
  type FailureReason,
  type FailureRecovery,
} from "./classify/reasons.js";
export type { Condition, EvidenceKind, FailureRule, RuleOutcome } from "./classify/rule.js";
export { FAILURE_RULES } from "./classify/rules/index.js";
export type { Clock } from "./clock.js";
export {
  type FailedAttempt,
  FailoverConfigError,
  FailoverExhaustedError,
  failureOf,
  ModelStalledError,
  type StallCode,
} from "./errors.js";
export type { FailoverEvent } from "./events.js";
export {
  FallbackChatModel,
  type FallbackCallOptions,
  type FallbackChatModelFields,
} from "./fallback-chat-model.js";
export {
  type CompactableRequest,
  failoverMiddleware,
  type FailoverMiddlewareOptions,
} from "./failover-middleware.js";
export { DEFAULT_COOLDOWNS_MS, type HealthScope } from "./health/policy.js";
export {
  type Availability,
  type HealthEvent,
  type HealthFailure,
  type HealthTicket,
  ProviderHealth,
  type ProviderHealthOptions,
} from "./health/provider-health.js";
export { type HealthEntrySnapshot, type HealthSnapshot, HealthSnapshotError } from "./health/snapshot.js";
export { credentialFingerprint, identifyModel, type ModelIdentity, modelIdentity } from "./identity.js";
export { adaptMessages, type AdaptOptions, type AdaptTarget } from "./messages/adapt.js";
export type { AcceptedContent } from "./messages/blocks.js";
export type { MessageParty } from "./messages/families.js";
export type { DescribedCandidate, FailoverCandidate, ModelFactory } from "./recovery/candidates.js";
export type { RecoveryOptions } from "./recovery/options.js";
