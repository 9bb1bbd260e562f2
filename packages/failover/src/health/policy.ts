import type { FailureReason } from "../classify/reasons.js";
import type { ModelIdentity } from "../identity.js";

/** What cools down together: one model, or every model behind a credential. */
export type HealthScope = "model" | "credential";

/** How long a first failure cools, in milliseconds. 0: the provider is not at fault. */
export const DEFAULT_COOLDOWNS_MS: Readonly<Record<FailureReason, number>> = {
  auth: 600_000,
  billing: 1_800_000,
  rate_limit: 60_000,
  timeout: 30_000,
  overloaded: 120_000,
  model_not_found: 3_600_000,
  invalid_request: 0,
  unknown: 30_000,
  context_overflow: 0,
  network: 30_000,
  user_abort: 0,
  not_provider_failure: 0,
};

/**
 * A key that is refused or out of money is so for every model behind it. Limits, load, timers and the line differ from
 * model to model (a gateway's models sit on different machines), so they cool the model alone.
 */
export const scopeOf = (reason: FailureReason): HealthScope =>
  reason === "auth" || reason === "billing" ? "credential" : "model";

const keys = new WeakMap<ModelIdentity, Readonly<Record<HealthScope, string>>>();

/** The key of an entry; JSON keeps names with separators in them apart. */
export const scopeKey = (identity: ModelIdentity, scope: HealthScope): string => {
  let known = keys.get(identity);
  if (!known) {
    const { provider, model, credential = "", endpoint = "" } = identity;
    known = {
      model: JSON.stringify(["model", provider, endpoint, credential, model]),
      credential: JSON.stringify(["credential", provider, endpoint, credential]),
    };
    keys.set(identity, known);
  }
  return known[scope];
};
