export {
  classifyFailure,
  type ClassifyOptions,
  type FailureClassification,
  type FailureEvidence,
} from "./classify/classify-failure";
export {
  FAILURE_REASONS,
  type FailureOrigin,
  type FailureReason,
  type FailureRecovery,
} from "./classify/reasons";
export type { Condition, EvidenceKind, FailureRule, RuleOutcome } from "./classify/rule";
export { FAILURE_RULES } from "./classify/rules/index";
export type { Clock } from "./clock";
export {
  type FailedAttempt,
  FailoverConfigError,
  FailoverExhaustedError,
  failureOf,
  ModelStalledError,
  type StallCode,
} from "./errors";
export type { FailoverEvent } from "./events";
export {
  FallbackChatModel,
  type FallbackCallOptions,
  type FallbackChatModelFields,
} from "./fallback-chat-model";
export {
  type CompactableRequest,
  failoverMiddleware,
  type FailoverMiddlewareOptions,
} from "./failover-middleware";
export { DEFAULT_COOLDOWNS_MS, type HealthScope } from "./health/policy";
export {
  type Availability,
  type HealthEvent,
  type HealthFailure,
  type HealthTicket,
  ProviderHealth,
  type ProviderHealthOptions,
} from "./health/provider-health";
export { type HealthEntrySnapshot, type HealthSnapshot, HealthSnapshotError } from "./health/snapshot";
export { credentialFingerprint, identifyModel, type ModelIdentity, modelIdentity } from "./identity";
export { adaptMessages, type AdaptOptions, type AdaptTarget } from "./messages/adapt";
export type { AcceptedContent } from "./messages/blocks";
export type { MessageParty } from "./messages/families";
export type { DescribedCandidate, FailoverCandidate, ModelFactory } from "./recovery/candidates";
export type { RecoveryOptions } from "./recovery/options";
