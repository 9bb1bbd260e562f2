import type { FailoverEvent, ModelIdentity } from "@fiveseam/failover";
import { getConfig, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { errorFacts } from "./error-facts.js";
import type { RunEvent } from "./events.js";

type Retried = Pick<
  Extract<RunEvent, { type: "model.retried" }>,
  "type" | "from" | "to" | "reason" | "message"
>;
type Waiting = Pick<Extract<RunEvent, { type: "waiting" }>, "type" | "reason" | "untilMs">;
type Unavailable = { type: "warning"; code: "model_unavailable"; message: string };

const labelOf = ({ provider, model }: ModelIdentity): string => `${provider}:${model}`;

/** What a run says of the recovery of a model call. */
type Notice = Retried | Waiting | Unavailable | { type: "restarted" };

interface RecoveryNotice {
  readonly fiveseam: "recovery";
  readonly notice: Notice;
}

export const isRecoveryNotice = (value: unknown): value is RecoveryNotice =>
  typeof value === "object" && value !== null && (value as { fiveseam?: unknown }).fiveseam === "recovery";

/**
 * Puts what failover does into the graph's custom stream: it travels in order with everything else, says by its
 * namespace whose call it was, and reaches whoever streams the graph without us.
 */
export const recoveryNotices = (nowMs: () => number = Date.now): ((event: FailoverEvent) => void) => {
  /** The failure that the next event answers, by the namespace of the call: delegates call in parallel. */
  const failures = new Map<string, { reason: string; message: string }>();
  const nothing = { reason: "unknown", message: "" };

  return (event) => {
    const config = getConfig() as LangGraphRunnableConfig | undefined;
    const writer = config?.writer;
    if (!writer) return;
    const call = String(config?.configurable?.["checkpoint_ns"] ?? "");
    const say = (notice: Notice): void => writer({ fiveseam: "recovery", notice } satisfies RecoveryNotice);
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
