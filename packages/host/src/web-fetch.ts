import dns from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";
import { onAbort, orAborted } from "./abort.js";
import { HostError } from "./errors.js";
import { checkUrl, isAllowed, isPublicAddress, type WebAddressPolicy } from "./web-address.js";
import { readContent } from "./web-content.js";
import type { WebFetchPort, WebPage } from "./web-fetch-port.js";

/** What a name stands for. */
export interface WebAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface WebFetchAdapterOptions {
  /**
   * `host` or `host:port`, for instance "127.0.0.1:8080" or "wiki.internal": fetched although its address is not public
   * or its port is none of `ports`. Default: nothing.
   */
  readonly allow?: readonly string[];
  /** Default 80 and 443. */
  readonly ports?: readonly number[] | "any";
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Longest silence of a server; default 10,000. */
  readonly idleTimeoutMs?: number;
  /** Unless a call says its own; default 30,000. */
  readonly timeoutMs?: number;
  /** Unless a call says its own; default 2,000,000. */
  readonly maxBytes?: number;
  readonly userAgent?: string;
  /** Looks up a name; default: the system's resolver. */
  readonly lookup?: (hostname: string) => Promise<readonly WebAddress[]>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ENCODINGS = "gzip, deflate, br";

const systemLookup = async (hostname: string): Promise<WebAddress[]> =>
  (await dns.lookup(hostname, { all: true })) as WebAddress[];

/**
 * Fetches pages of the public web, and nothing else: an agent that reads a hostile page must not be sent into the
 * network that it runs in. Addresses are checked where the connection is made, with the very answer that it is made to,
 * so that a name cannot change what it stands for in between; each redirect is checked again. Proxies are not used.
 *
 * @example
 * ```ts
 * import { createWebFetch } from "@fiveseam/host";
 *
 * const web = createWebFetch({ allow: ["localhost:3000"] });
 * const page = await web.fetch("https://example.com/");
 * console.log(page.status, page.title, page.text);
 * ```
 */
export const createWebFetch = (options: WebFetchAdapterOptions = {}): WebFetchPort => {
  const policy: WebAddressPolicy = { allow: options.allow ?? [], ports: options.ports ?? [80, 443] };
  const { maxRedirects = 5, idleTimeoutMs = 10_000, userAgent = "fiveseam", lookup = systemLookup } = options;
  const defaults = { maxBytes: options.maxBytes ?? 2_000_000, timeoutMs: options.timeoutMs ?? 30_000 };

  const request = (url: URL, stop: AbortController): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const send = url.protocol === "https:" ? https.request : http.request;
      const sent = send(url, {
        // One connection a request: a pooled one was checked for another answer of the resolver.
        agent: false,
        signal: stop.signal,
        lookup: isAllowed(url, policy) ? lookupAny(lookup) : lookupPublic(lookup),
        headers: { "user-agent": userAgent, accept: "text/html, */*;q=0.8", "accept-encoding": ENCODINGS },
      });
      sent.setTimeout(idleTimeoutMs, () =>
        stop.abort(new HostError("timeout", `${url.host} was silent for ${idleTimeoutMs} ms`)),
      );
      sent.once("response", resolve);
      sent.once("error", reject);
      // A 101 that nobody asked for. Without this listener Node closes the connection and says nothing at all.
      sent.once("upgrade", (_, socket) => {
        socket.destroy();
        reject(new HostError("failed", `${url.host} wants to speak another protocol than HTTP`));
      });
      // After all others; whatever the way it ended, there will be no answer any more.
      sent.once("close", () =>
        reject(new HostError("unavailable", `${url.host} closed the connection without an answer`)),
      );
      sent.end();
    });

  const follow = async (
    start: string,
    stop: AbortController,
  ): Promise<{ url: URL; response: IncomingMessage }> => {
    let url = checkUrl(start, policy);
    for (let redirects = 0; ; redirects += 1) {
      const response = await request(url, stop);
      const target = response.headers.location;
      if (!REDIRECTS.has(response.statusCode ?? 0) || target === undefined) return { url, response };
      response.destroy();
      if (redirects >= maxRedirects)
        throw new HostError("failed", `${url.host} redirects on and on (more than ${maxRedirects} times)`);
      url = redirected(target, url, policy);
    }
  };

  return {
    async fetch(url, given = {}): Promise<WebPage> {
      const { signal, maxBytes = defaults.maxBytes, timeoutMs = defaults.timeoutMs } = given;
      for (const [name, value] of Object.entries({ maxBytes, timeoutMs }))
        if (!(value >= 0))
          throw new HostError("invalid_argument", `${name} is ${value}; give a number from 0`);
      signal?.throwIfAborted();
      const stop = new AbortController();
      const forget = onAbort(signal, () => stop.abort(signal?.reason));
      const tooLate = new HostError("timeout", `the page did not come within ${timeoutMs} ms`);
      const timer = setTimeout(() => stop.abort(tooLate), Math.min(timeoutMs, 2 ** 31 - 1));
      const work = async (): Promise<WebPage> => {
        const { url: final, response } = await follow(url, stop);
        const { body, truncated } = await readBody(response, maxBytes, stop.signal);
        const type = response.headers["content-type"] ?? "";
        const { cut = false, ...content } = await readContent(body, type, final.href, truncated);
        return {
          url,
          finalUrl: final.href,
          status: response.statusCode ?? 0,
          ...content,
          bytes: body.length,
          truncated: truncated || cut,
        };
      };
      try {
        // A limit that only told the connection to end would wait for what a server makes of that.
        return await orAborted(work(), stop.signal);
      } catch (error) {
        if (stop.signal.aborted) throw stop.signal.reason;
        if (typeof (error as NodeJS.ErrnoException).code !== "string" || error instanceof HostError)
          throw error;
        throw unreachable(error as NodeJS.ErrnoException);
      } finally {
        clearTimeout(timer);
        forget();
      }
    },
  };
};

const redirected = (target: string, from: URL, policy: WebAddressPolicy): URL => {
  if (!URL.canParse(target, from.href))
    throw new HostError("failed", `${from.host} redirects to what is no URL`);
  const url = new URL(target, from);
  // A server that sends to `file:` breaks no rule of the caller's, so it is not his argument that is wrong.
  if (!/^https?:$/.test(url.protocol))
    throw new HostError("denied", `${from.host} redirects to ${url.protocol}, which is not fetched`);
  return checkUrl(url.href, policy);
};

type Lookup = NonNullable<WebFetchAdapterOptions["lookup"]>;

/** In the form that `net.connect` calls, which wants one answer or all. */
const lookupWith =
  (lookup: Lookup, check: (hostname: string, found: readonly WebAddress[]) => void): LookupFunction =>
  (hostname, options, callback) => {
    void (async () => {
      let found: readonly WebAddress[];
      try {
        found = await lookup(hostname);
        if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
        check(hostname, found);
      } catch (error) {
        return callback(error as NodeJS.ErrnoException, "", 0);
      }
      const [first] = found as [WebAddress];
      if (options.all) callback(null, [...found]);
      else callback(null, first.address, first.family);
    })();
  };

const lookupAny = (lookup: Lookup): LookupFunction => lookupWith(lookup, () => {});

/** One private address among public ones is enough to refuse: the client would be free to pick it. */
const lookupPublic = (lookup: Lookup): LookupFunction =>
  lookupWith(lookup, (hostname, found) => {
    if (!found.every(({ address }) => isPublicAddress(address)))
      throw new HostError("denied", `${hostname} leads to an address that is not public`);
  });

/** Reads and unpacks, and stops at the cap: what a small body would unpack to beyond it never comes to be. */
const readBody = async (
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ body: Buffer; truncated: boolean }> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let truncated = false;
  try {
    for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
      if (signal.aborted) break;
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.length;
      if (bytes <= maxBytes) continue;
      truncated = true;
      break;
    }
  } finally {
    response.destroy();
  }
  signal.throwIfAborted();
  return { body: Buffer.concat(chunks), truncated };
};

const unpacked = (response: IncomingMessage): Readable => {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return response;
  const unpack =
    encoding === "gzip" || encoding === "x-gzip"
      ? zlib.createGunzip()
      : encoding === "deflate"
        ? zlib.createInflate()
        : encoding === "br"
          ? zlib.createBrotliDecompress()
          : undefined;
  // Also several on top of each other: nobody needs them, and each multiplies what a small body can become.
  if (!unpack)
    throw new HostError("failed", `the server packs its answer as ${encoding}, which was not asked for`);
  // Errors reach whoever reads from the unpacked end; the callback is only there to be given.
  return pipeline(response, unpack, () => {});
};

const unreachable = (error: NodeJS.ErrnoException): HostError =>
  error.code?.startsWith("Z_") || error.code?.startsWith("ERR__ERROR_")
    ? new HostError("failed", `the answer could not be unpacked (${error.code})`, { cause: error })
    : new HostError("unavailable", `the server could not be reached (${error.code ?? error.message})`, {
        cause: error,
      });
