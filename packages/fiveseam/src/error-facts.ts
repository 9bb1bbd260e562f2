const MAX_DEPTH = 20;

/** Reads a property of a thrown value, which may be anything, a getter that throws included. */
const property = (value: unknown, name: string): unknown => {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** What an event says of an error: its own name, message and code. Total: it takes whatever was thrown. */
export const errorFacts = (error: unknown): { name: string; message: string; code?: string } => {
  let at = error;
  // The innermost error's own words: LangChain wraps what a middleware throws once a layer, under the same name.
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const cause = property(at, "cause");
    if (cause === undefined || cause === null || property(cause, "name") !== property(at, "name")) break;
    at = cause;
  }
  const code = text(property(at, "code"));
  const own = typeof at === "string" ? at : undefined;
  return {
    name: text(property(at, "name")) ?? "Error",
    message: text(property(at, "message")) ?? own ?? "The error has no message.",
    ...(code === undefined ? {} : { code }),
  };
};
