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
