/** What became of a request, for the meter. */
export interface FetchEvents {
  /** A request whose answer has begun. */
  onSent(body: unknown, provider: "anthropic" | "openai", atMs: number): void;
  /** A POST that is none of the three APIs, or whose body cannot be read. */
  onIgnored(): void;
  onFailed(): void;
  onFault(error: unknown): void;
  now(): number;
}

const providerOf = (url: string): "anthropic" | "openai" | undefined => {
  const { pathname } = new URL(url);
  if (/\/messages\/?$/.test(pathname) && !/\/threads\//.test(pathname)) return "anthropic";
  return /\/(?:chat\/completions|responses)\/?$/.test(pathname) ? "openai" : undefined;
};

const textOf = async (
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<string | undefined> => {
  const body = init?.body;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  if (body === undefined || body === null) return input instanceof Request ? input.clone().text() : undefined;
  return undefined;
};

/** A fetch that lets the meter read along. The request and the answer pass untouched, whatever happens here. */
export const meteredFetch =
  (inner: typeof fetch, events: FetchEvents): typeof fetch =>
  async (input, init) => {
    const atMs = events.now();
    let sent: { body: unknown; provider: "anthropic" | "openai" } | undefined;
    try {
      const url = input instanceof Request ? input.url : String(input);
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      if (method.toUpperCase() === "POST") {
        const provider = providerOf(url);
        const text = provider && (await textOf(input, init));
        if (provider && text !== undefined) sent = { body: JSON.parse(text) as unknown, provider };
        else events.onIgnored();
      }
    } catch {
      events.onIgnored();
    }
    let response: Response;
    try {
      response = await inner(input, init);
    } catch (error) {
      if (sent) events.onFailed();
      throw error;
    }
    try {
      // What a provider refused it did not keep either.
      if (sent && response.ok) events.onSent(sent.body, sent.provider, atMs);
      else if (sent) events.onFailed();
    } catch (error) {
      events.onFault(error);
    }
    return response;
  };
