import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebFetchPort } from "../web-fetch-port.js";
import type { WebSearchHit, WebSearchPort } from "../web-search-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** Pages by path, for instance `/notes`. */
export type Site = Readonly<Record<string, { readonly contentType: string; readonly body: string }>>;

/** Serves a site on this machine, for a `create` that tests a real client. `base` is its address, without a slash. */
export const serveSite = async (site: Site): Promise<{ base: string; close(): Promise<void> }> => {
  const server = createServer((request, response) => {
    const page = site[request.url ?? ""];
    response.writeHead(page ? 200 : 404, { "content-type": page?.contentType ?? "text/plain" });
    response.end(page?.body ?? "not found");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const SITE: Site = {
  "/notes": { contentType: "text/plain; charset=utf-8", body: "grüße\n" },
  "/data": { contentType: "application/json", body: '{"a": [1, 2]}' },
  "/long": { contentType: "text/plain", body: "ü".repeat(5_000) },
};

/** The promises of `WebFetchPort`. `create` gives a port that reaches the site under `base`. */
export const webFetchConformance = ({
  create,
}: {
  create: (
    site: Site,
  ) => Promise<Subject<WebFetchPort> & { base: string }> | (Subject<WebFetchPort> & { base: string });
}): ConformanceCase[] => {
  const test = (name: string, run: (port: WebFetchPort, base: string) => Promise<void>): ConformanceCase =>
    caseOf(
      `web fetch: ${name}`,
      () => create(SITE),
      ({ port, base }) => run(port, base),
    );
  return [
    test("text comes as it is", async (port, base) => {
      const page = await port.fetch(`${base}/notes`);
      assert.deepEqual(
        { ...page },
        {
          url: `${base}/notes`,
          finalUrl: `${base}/notes`,
          status: 200,
          contentType: "text/plain",
          kind: "text",
          text: "grüße\n",
          bytes: 8,
          truncated: false,
        },
      );
    }),
    test("JSON comes as it is and is told apart", async (port, base) => {
      const page = await port.fetch(`${base}/data`);
      assert.equal(page.kind, "json");
      assert.equal(page.text, '{"a": [1, 2]}');
    }),
    test("a page that is not there is an answer and no refusal", async (port, base) => {
      assert.equal((await port.fetch(`${base}/nowhere`)).status, 404);
    }),
    test("a long page is cut at the cap, never within a character, and says so", async (port, base) => {
      const page = await port.fetch(`${base}/long`, { maxBytes: 1_001 });
      assert.equal(page.truncated, true);
      assert.equal(page.text, "ü".repeat(500));
      const whole = await port.fetch(`${base}/long`, { maxBytes: 10_000 });
      assert.equal(whole.truncated, false);
      assert.equal(whole.bytes, 10_000);
    }),
    test("what is no http or https URL is refused", async (port) => {
      for (const url of [
        "",
        "notes",
        "//x",
        "file:///etc/passwd",
        "data:text/plain,x",
        "javascript:1",
        "ftp://x/y",
      ])
        await refuses(port.fetch(url), "invalid_argument");
    }),
    test("an aborted call rejects with the reason", async (port, base) => {
      await honoursAbort({ fetch: (options) => port.fetch(`${base}/notes`, options) });
    }),
  ];
};

const HITS: readonly WebSearchHit[] = Array.from({ length: 12 }, (_, index) => ({
  title: `Title ${index}`,
  url: `https://example.com/${index}`,
  snippet: `Text ${index}`,
}));

/** The promises of `WebSearchPort`. `create` gives a port whose engine answers each query with those hits. */
export const webSearchConformance = ({
  create,
}: {
  create: (
    answers: Readonly<Record<string, readonly WebSearchHit[]>>,
  ) => Promise<Subject<WebSearchPort>> | Subject<WebSearchPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: WebSearchPort) => Promise<void>): ConformanceCase =>
    caseOf(
      `web search: ${name}`,
      () => create({ "many & more": HITS, none: [] }),
      ({ port }) => run(port),
    );
  return [
    test("hits come best first and at most ten", async (port) => {
      const found = await port.search("many & more");
      assert.deepEqual(found.hits, HITS.slice(0, 10));
      assert.equal(found.truncated, true);
      assert.notEqual(found.provider, "");
    }),
    test("fewer are given when fewer are asked for", async (port) => {
      assert.deepEqual((await port.search("many & more", { maxResults: 2 })).hits, HITS.slice(0, 2));
    }),
    test("nothing found is an answer", async (port) => {
      const { hits, truncated } = await port.search("none");
      assert.deepEqual({ hits, truncated }, { hits: [], truncated: false });
    }),
    test("an empty query is refused", (port) => refuses(port.search("  "), "invalid_argument")),
    test("an aborted call rejects with the reason", (port) =>
      honoursAbort({ search: (options) => port.search("none", options) })),
  ];
};
