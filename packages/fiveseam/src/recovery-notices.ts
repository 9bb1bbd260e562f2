import type { FailoverEvent, ModelIdentity } from "@fiveseam/failover";
import { errorFacts } from "./error-facts.js";
import { runConfig, sayInRun, type RunNotice } from "./run-notices.js";

const labelOf = ({ provider, model }: ModelIdentity): string => `${provider}:${model}`;

/** Says in the run what failover does. */
export const recoveryNotices = (nowMs: () => number = Date.now): ((event: FailoverEvent) => void) => {
  /** The failure that the next event answers, by the namespace of the call: delegates call in parallel. */
  const failures = new Map<string, { reason: string; message: string }>();
  const nothing = { reason: "unknown", message: "" };

  return (event) => {
    const config = runConfig();
    const call = String(config?.configurable?.["checkpoint_ns"] ?? "");
    const say = (notice: RunNotice): void => void sayInRun(notice);
    switch (event.type) {
      case "attempt_failed":
        failures.set(call, { reason: event.failure.reason, message: errorFacts(event.error).message });
        return;
      case "retrying": {
        const who = labelOf(event.identity);
        return say({ type: "model.retried", from: who, to: who, ...(failures.get(call) ?? nothing) });
      }
      case "failing_over":
        return say({
          type: "model.retried",
          from: labelOf(event.from),
          to: labelOf(event.to),
          ...(failures.get(call) ?? nothing),
        });
      case "waiting":
        return say({ type: "waiting", reason: "provider", untilMs: nowMs() + event.delayMs });
      case "candidate_dropped":
        return say({
          type: "warning",
          code: "model_unavailable",
          message: `The fallback ${event.label} is left out: ${errorFacts(event.error).message}`,
        });
      case "restarted":
        return say({ type: "restarted" });
      case "recovered":
        failures.delete(call);
    }
  };
};
