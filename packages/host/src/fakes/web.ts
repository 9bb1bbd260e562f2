import { HostError } from "../errors.js";
import type { WebFetchPort, WebPage } from "../web-fetch-port.js";
import type { WebSearchHit, WebSearchPort } from "../web-search-port.js";

/** A web of a few pages. `text` may be cut by `maxBytes`; a URL that is not in it is answered with status 404. */
export const createFakeWebFetch = (
  pages: Readonly<Record<string, Partial<Omit<WebPage, "url" | "truncated">> & { readonly text: string }>>,
): WebFetchPort => ({
  async fetch(url, { signal, maxBytes = 2_000_000 } = {}) {
    signal?.throwIfAborted();
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new HostError("invalid_argument", `${JSON.stringify(url)} is no http or https URL`);
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    const body = Buffer.from(page?.text ?? "not found");
    const truncated = body.length > maxBytes;
    const kept = truncated ? body.subarray(0, maxBytes) : body;
    return {
      finalUrl: url,
      status: page ? 200 : 404,
      contentType: "text/plain",
      kind: "text",
      ...page,
      url,
      text: new TextDecoder().decode(kept, { stream: truncated }),
      bytes: kept.length,
      truncated,
    };
  },
});

/** A search engine that knows the answers to a few queries, and none to others. */
export const createFakeWebSearch = (
  answers: Readonly<Record<string, readonly WebSearchHit[]>> | ((query: string) => readonly WebSearchHit[]),
): WebSearchPort => ({
  async search(query, { signal, maxResults = 10 } = {}) {
    signal?.throwIfAborted();
    if (query.trim() === "") throw new HostError("invalid_argument", "the query is empty");
    const all =
      typeof answers === "function" ? answers(query) : Object.hasOwn(answers, query) ? answers[query] : [];
    const hits = (all ?? []).slice(0, maxResults);
    return { provider: "fake", hits, truncated: hits.length < (all ?? []).length };
  },
});
