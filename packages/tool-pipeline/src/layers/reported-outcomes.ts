import { ToolMessage } from "@langchain/core/messages";
import type { Layer } from "../call.js";
import { currentScope } from "../call-scope.js";
import { copyOf } from "../outcomes.js";

/**
 * The layer that turns an answer into a failure when a backend or port reported one: deepagents' file tools return a
 * backend's error as text with status success.
 */
export const reportedOutcomes = (): Layer => ({
  name: "reported-outcomes",
  handle(call, next) {
    const scope = currentScope();
    if (!scope) return next(call);
    scope.report = undefined;
    return next(call).then((result) => {
      const { report } = scope;
      if (!report || report.ok || call.declaration.outcome === "returned") return result;
      if (!ToolMessage.isInstance(result) || result.status === "error") return result;
      return copyOf(result, {
        failure: report.kind,
        ...(report.message === undefined ? {} : { content: report.message }),
      });
    });
  },
});
