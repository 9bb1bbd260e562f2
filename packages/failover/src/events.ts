import type { FailureClassification } from "./classify/classify-failure.js";
import type { ModelIdentity } from "./identity.js";

/** What recovery tells its listener, in the order in which it happens. */
export type FailoverEvent =
  | {
      readonly type: "attempt_failed";
      readonly identity: ModelIdentity;
      readonly failure: FailureClassification;
      readonly error: unknown;
    }
  /** The same model again, after a pause (network). */
  | {
      readonly type: "retrying";
      readonly identity: ModelIdentity;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly type: "failing_over"; readonly from: ModelIdentity; readonly to: ModelIdentity }
  /** Nobody is left to ask now; the call goes on by itself after `delayMs`, unless it is aborted. */
  | {
      readonly type: "waiting";
      readonly identity: ModelIdentity;
      readonly delayMs: number;
      readonly failure?: FailureClassification;
    }
  /** A call that had failed before succeeded. */
  | { readonly type: "recovered"; readonly identity: ModelIdentity; readonly failedAttempts: number }
  /** A fallback could not be made (no key, no package) and is not asked again. */
  | { readonly type: "candidate_dropped"; readonly label: string; readonly error: unknown }
  /** Output had already reached the caller; the answer starts again from its beginning. */
  | { readonly type: "restarted"; readonly identity: ModelIdentity }
  | { readonly type: "compacting"; readonly identity: ModelIdentity };
