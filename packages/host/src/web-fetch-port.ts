import type { CallOptions } from "./call-options.js";

export interface WebFetchOptions extends CallOptions {
  /** Bytes of the body read, after decompression; default 2,000,000. The rest is not downloaded. */
  readonly maxBytes?: number;
  /** For the whole call, redirects included; default 30,000. */
  readonly timeoutMs?: number;
}

export interface WebPage {
  /** As it was asked for. */
  url: string;
  /** After redirects. */
  finalUrl: string;
  /** Any status is an answer, 404 and 500 too. */
  status: number;
  /** As the server says, without parameters; empty when it says none. */
  contentType: string;
  kind: "html" | "json" | "text" | "binary";
  /** Of an HTML page. */
  title?: string;
  /** HTML as readable text with its links; JSON and text as they are; empty for a binary. */
  text: string;
  /** Bytes of the body that were read, decompressed. */
  bytes: number;
  /** The body was not read to its end, or `text` is that of a part of it. */
  truncated: boolean;
}

/**
 * Gets one page. Refused are: an address that the policy does not allow ("denied"), a URL that is none
 * ("invalid_argument"), a server that is not there ("unavailable") or does not answer in time ("timeout").
 */
export interface WebFetchPort {
  fetch(url: string, options?: WebFetchOptions): Promise<WebPage>;
}
