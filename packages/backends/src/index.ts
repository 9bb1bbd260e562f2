export {
  createCodingBackend,
  DOCS_ROUTE,
  HARNESS_ROUTES,
  HISTORY_ROUTE,
  LARGE_RESULTS_ROUTE,
  WORKSPACE_ROUTE,
  type CodingBackendOptions,
} from "./coding-backend.js";
export { WorkspaceBackend } from "./workspace/workspace-backend.js";
export { unreported } from "./workspace/call-report.js";
export type { FileFailure, WorkspaceBackendOptions } from "./workspace/options.js";
export type {
  ChangeGuard,
  ChangeTarget,
  FileBefore,
  FileReceipt,
  GuardedBackend,
  OutsideChange,
  PlannedChange,
} from "./workspace/change-guard.js";
export { FreshnessLedger, withFreshness, type FreshnessOptions } from "./freshness.js";
export type { FileErrorKind } from "./workspace/file-error.js";
export { commitChanges } from "./commit/commit-changes.js";
export type { CommitResult, CommittingBackend, FileChange } from "./commit/file-change.js";
export {
  withUndo,
  type UndoableBackend,
  type UndoOptions,
  type UndoResult,
  type UndoScope,
} from "./undo/with-undo.js";
export type { RefusedUndo } from "./undo/plan-undo.js";
export { withReview, type ReviewDecision, type ReviewOptions } from "./review/with-review.js";
export type { Proposal, ProposedChange, ProposedFile } from "./review/proposal.js";
export {
  bracketExec,
  type BracketOptions,
  type CommandBracket,
  type CommandChanges,
} from "./exec/bracket-exec.js";
export { withStaging, type StagingBackend, type StagingOptions } from "./staging/with-staging.js";
export type { Hunk } from "./staging/merge-text.js";
export type {
  AcceptResult,
  RefusedStaged,
  RejectResult,
  StagedChange,
  StagedSelection,
} from "./staging/staged-change.js";
export type { Observation, ObservationLimits, SeenFile } from "./exec/observation.js";
export { withRights, type RightsOptions } from "./rights/with-rights.js";
export { readOnly, type ReadOnlyOptions } from "./rights/read-only.js";
export type { FileAccess, RestrictableBackend } from "./rights/file-access.js";
export { canonicalPath, isWithin } from "./canonical-path.js";
export { BackendError, type BackendErrorCode } from "./errors.js";
