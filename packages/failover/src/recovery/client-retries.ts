/** Where clients hide other clients: OpenAI's two APIs, `withConfig()`, pipelines. */
const INNER = ["bound", "completions", "responses", "first", "last"] as const;

/**
 * Sets the retries inside a LangChain client to 0, in place: with `n` of them every failure would take `n` more requests
 * (6 by default, about 80 s) before failover hears of it. LangChain keeps the number in the model's `caller`; the vendors'
 * SDKs below are already called with 0 by LangChain. `ChatOpenAI` builds new models from `fields`, so it is set there too,
 * on a copy.
 */
export const silenceClientRetries = (model: unknown, depth = 0): void => {
  if (typeof model !== "object" || model === null || depth > 4) return;
  const client = model as {
    caller?: { maxRetries?: unknown };
    fields?: Record<string, unknown>;
  } & Partial<Record<(typeof INNER)[number], unknown>>;
  if (typeof client.caller?.maxRetries === "number") client.caller.maxRetries = 0;
  if (typeof client.fields === "object" && client.fields !== null && client.fields["maxRetries"] !== 0) {
    // Symbols (the identity) are copied by their descriptors, non-enumerable ones too.
    const copy = Object.create(
      Object.getPrototypeOf(client.fields) as object | null,
      Object.getOwnPropertyDescriptors(client.fields),
    ) as Record<string, unknown>;
    copy["maxRetries"] = 0;
    client.fields = copy;
  }
  for (const key of INNER) silenceClientRetries(client[key], depth + 1);
};
