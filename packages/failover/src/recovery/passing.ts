/** Whether an error is LangGraph's control flow (an interrupt, a command to the parent): not a failure at all. */
export const isGraphControlFlow = (error: unknown): boolean =>
  typeof error === "object" && error !== null && (error as { is_bubble_up?: unknown }).is_bubble_up === true;

/** The error that LangChain's middleware layers wrapped, each once, without its status. */
export const unwrapMiddlewareError = (error: unknown): unknown => {
  let inner = error;
  for (let depth = 0; depth < 32; depth += 1) {
    const wrapped = inner as { "~brand"?: unknown; cause?: unknown } | null;
    if (
      typeof wrapped !== "object" ||
      wrapped?.["~brand"] !== "MiddlewareError" ||
      wrapped.cause === undefined
    )
      return inner;
    inner = wrapped.cause;
  }
  return inner;
};
