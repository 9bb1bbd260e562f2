import type { CallOptions } from "./call-options.js";

export interface WebSearchOptions extends CallOptions {
  /** Default 10, at most 50. */
  readonly maxResults?: number;
}

export interface WebSearchHit {
  title: string;
  url: string;
  snippet: string;
  /** As the provider says it. */
  published?: string;
}

export interface WebSearchResult {
  /** Who answered. */
  provider: string;
  /** Best first. */
  hits: readonly WebSearchHit[];
  /** The provider had more. */
  truncated: boolean;
}

/** Asks a search engine. Refused with "unavailable" when none answers. */
export interface WebSearchPort {
  search(query: string, options?: WebSearchOptions): Promise<WebSearchResult>;
}
