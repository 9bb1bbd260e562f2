import { failureOf } from "@fiveseam/failover";
import { ContextOverflowError } from "@langchain/core/errors";
import { createMiddleware, type AgentMiddleware } from "langchain";

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
        if (!ContextOverflowError.isInstance(error) && failureOf(error).reason === "context_overflow")
          throw ContextOverflowError.fromError(error as Error);
        throw error;
      }
    },
  }) as AgentMiddleware;
