/** A property of a thrown value, which may be anything: a proxy that throws included. */
const read = (value: unknown, key: string): unknown => {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

/** Whether an error is LangGraph's control flow (an interrupt, a command to the parent): not a failure at all. */
export const isGraphControlFlow = (error: unknown): boolean => read(error, "is_bubble_up") === true;

/** The error that LangChain's middleware layers wrapped, each once, without its status. */
export const unwrapMiddlewareError = (error: unknown): unknown => {
  let inner = error;
  for (let depth = 0; depth < 32; depth += 1) {
    const cause = read(inner, "cause");
    if (read(inner, "~brand") !== "MiddlewareError" || cause === undefined) return inner;
    inner = cause;
  }
  return inner;
};
