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
  async handle(call, next) {
    const scope = currentScope();
    if (scope) scope.report = undefined;
    const result = await next(call);
    const report = scope?.report;
    if (!report || report.ok || call.declaration.outcome === "returned") return result;
    if (!ToolMessage.isInstance(result) || result.status === "error") return result;
    return copyOf(result, {
      failure: report.kind,
      ...(report.message === undefined ? {} : { content: report.message }),
    });
  },
});
