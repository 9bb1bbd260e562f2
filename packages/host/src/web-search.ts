import { orAborted } from "./abort.js";
import { HostError } from "./errors.js";
import type { WebSearchHit, WebSearchPort, WebSearchResult } from "./web-search-port.js";

/** A search engine. It rejects when it cannot answer; an empty list means that it found nothing. */
export interface WebSearchProvider {
  readonly name: string;
  search(
    query: string,
    options: { readonly maxResults: number; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly WebSearchHit[]>;
}

/**
 * Asks one search engine after the other until one answers.
 *
 * @example
 * ```ts
 * import { createHttpSearchProvider, createWebSearch } from "@fiveseam/host";
 *
 * const search = createWebSearch({
 *   providers: [
 *     createHttpSearchProvider({
 *       name: "searxng",
 *       url: "https://search.example.com/search?format=json&q={query}",
 *       pick: (answer) =>
 *         (answer as { results: { title: string; url: string; content?: string }[] }).results.map(
 *           ({ title, url, content }) => ({ title, url, snippet: content ?? "" }),
 *         ),
 *     }),
 *   ],
 * });
 * const { hits } = await search.search("node 20 end of life");
 * ```
 */
export const createWebSearch = ({
  providers,
}: {
  readonly providers: readonly WebSearchProvider[];
}): WebSearchPort => ({
  async search(query, { signal, maxResults = 10 } = {}): Promise<WebSearchResult> {
    signal?.throwIfAborted();
    if (typeof query !== "string" || query.trim() === "")
      throw new HostError("invalid_argument", "the query is empty");
    if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > 50)
      throw new HostError(
        "invalid_argument",
        `maxResults is ${maxResults}; give a whole number from 1 to 50`,
      );
    const failures: Error[] = [];
    for (const provider of providers) {
      try {
        // One more than asked for tells whether there is more.
        const answer = provider.search(query, { maxResults: maxResults + 1, signal });
        const hits = await orAborted(answer, signal);
        return {
          provider: provider.name,
          hits: hits.slice(0, maxResults),
          truncated: hits.length > maxResults,
        };
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error as Error);
      }
    }
    const names = providers.map((provider) => provider.name).join(", ");
    throw new HostError(
      "unavailable",
      providers.length === 0 ? "no search engine is configured" : `no search engine answered (${names})`,
      { cause: failures.length === 1 ? failures[0] : new AggregateError(failures) },
    );
  },
});

export interface HttpSearchProviderOptions {
  readonly name: string;
  /** With `{query}` and, if the engine takes it, `{count}` in it; both are encoded. */
  readonly url: string;
  /** For instance a key. They are sent to the engine alone and are in no error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes the hits out of the engine's JSON. What is no hit (no title or URL) is left out; what it throws is a failure. */
  readonly pick: (answer: unknown) => readonly WebSearchHit[];
  /** Default 10,000. */
  readonly timeoutMs?: number;
  /** Default: `globalThis.fetch`. The engine is the host's choice, so no rule about addresses holds for it. */
  readonly fetch?: typeof globalThis.fetch;
}

const MAX_ANSWER_BYTES = 5_000_000;

/** A search engine that answers a GET request with JSON: SearXNG, Brave, and most others. */
export const createHttpSearchProvider = (options: HttpSearchProviderOptions): WebSearchProvider => {
  const { name, headers = {}, pick, timeoutMs = 10_000, fetch = globalThis.fetch } = options;
  return {
    name,
    async search(query, { maxResults, signal }) {
      const address = options.url
        .replaceAll("{query}", () => encodeURIComponent(query))
        .replaceAll("{count}", () => String(maxResults));
      const limit = AbortSignal.timeout(timeoutMs);
      let answer: unknown;
      try {
        const stop = signal ? AbortSignal.any([signal, limit]) : limit;
        const work = async (): Promise<unknown> => {
          const response = await fetch(address, {
            headers: { accept: "application/json", ...headers },
            // A redirect would carry the key elsewhere.
            redirect: "error",
            signal: stop,
          });
          if (!response.ok)
            throw new HostError("unavailable", `${name} answered with status ${response.status}`);
          return JSON.parse(await textOf(response)) as unknown;
        };
        answer = await orAborted(work(), stop);
      } catch (error) {
        signal?.throwIfAborted();
        if (limit.aborted) throw new HostError("timeout", `${name} did not answer within ${timeoutMs} ms`);
        if (error instanceof HostError) throw error;
        // Without the cause: its message may hold the address, and the address the key.
        throw new HostError("unavailable", `${name} gave no answer that can be read`);
      }
      return pick(answer).filter(isHit);
    },
  };
};

const isHit = (hit: WebSearchHit): boolean =>
  typeof hit?.title === "string" &&
  typeof hit.url === "string" &&
  typeof hit.snippet === "string" &&
  URL.canParse(hit.url);

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new HostError("too_large", "the engine's answer does not end");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};
