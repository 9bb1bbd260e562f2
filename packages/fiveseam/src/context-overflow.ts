import { failureOf } from "@fiveseam/failover";
import { ContextOverflowError } from "@langchain/core/errors";
import { createMiddleware, type AgentMiddleware } from "langchain";

const MAX_DEPTH = 20;

/** LangChain wraps what a middleware throws once a layer. */
const isOverflow = (error: unknown): boolean => {
  let at = error;
  for (let depth = 0; depth < MAX_DEPTH && at instanceof Error; depth += 1) {
    if (failureOf(at)?.reason === "context_overflow") return true;
    at = at.cause;
  }
  return false;
};

/**
 * Tells the summarizer around it that the conversation was too long for the model, in the form that it understands
 * (deepagents 1.14: a `ContextOverflowError` makes it compact and ask once more). LangChain's clients throw that for some
 * of their providers' answers; failover's classifier knows the others.
 */
export const contextOverflowMiddleware = (): AgentMiddleware =>
  createMiddleware({
    name: "FiveseamContextOverflow",
    wrapModelCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!ContextOverflowError.isInstance(error) && isOverflow(error))
          throw ContextOverflowError.fromError(error as Error);
        throw error;
      }
    },
  }) as AgentMiddleware;
