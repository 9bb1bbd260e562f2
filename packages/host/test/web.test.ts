import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import zlib from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveSite, webFetchConformance, webSearchConformance } from "../src/conformance/index.js";
import {
  createHttpSearchProvider,
  createWebFetch,
  createWebSearch,
  type WebFetchAdapterOptions,
  type WebSearchHit,
} from "../src/index.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const serve = async (handler: Handler) => {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, base: `http://127.0.0.1:${port}`, port, hits };
};

const setUp = async (handler: Handler, options: WebFetchAdapterOptions = {}) => {
  const server = await serve(handler);
  return { ...server, web: createWebFetch({ allow: [server.host], ...options }) };
};

const body =
  (contentType: string, content: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": contentType, ...headers });
    response.end(content);
  };

describe("web fetch over http", () => {
  const cases = webFetchConformance({
    create: async (site) => {
      const { base, close } = await serveSite(site);
      return { base, close, port: createWebFetch({ allow: [base.slice("http://".length)] }) };
    },
  });
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_, each) => each.run());
});

describe("an address that is not public", () => {
  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://localhost./",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://0.0.0.0/",
    "http://0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://240.0.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
  ])("is refused without a connection: %s", async (url) => {
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 } as const]);
    await expect(createWebFetch({ lookup }).fetch(url)).rejects.toMatchObject({ code: "denied" });
  });

  it("is refused when a name leads to it, by the answer that the connection is made with", async () => {
    const server = await serve((_, response) => response.end("secret"));
    // In a block that has never been given to anybody: public by its range, and nobody is there.
    const answers = [{ address: "2d00::1", family: 6 } as const];
    const asked: string[] = [];
    const web = createWebFetch({
      ports: "any",
      lookup: async (name) => {
        asked.push(name);
        return [answers[asked.length - 1] ?? { address: "127.0.0.1", family: 4 }];
      },
    });
    // Whoever asks twice, to check and to connect, gets to our server.
    const first = web.fetch(`http://rebind.test:${server.port}/`, { timeoutMs: 300 });
    await expect(first).rejects.toMatchObject({ code: expect.stringMatching(/timeout|unavailable/) });
    await expect(web.fetch(`http://rebind.test:${server.port}/`)).rejects.toMatchObject({ code: "denied" });
    expect(asked).toHaveLength(2);
    expect(server.hits).toEqual([]);
  });

  it("is refused when it is one of several answers", async () => {
    const web = createWebFetch({
      lookup: async () => [
        { address: "93.184.216.34", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ],
    });
    await expect(web.fetch("http://mixed.test/")).rejects.toMatchObject({ code: "denied" });
  });

  it.each([
    "http://169.254.169.254/latest/meta-data/iam/",
    "http://[::ffff:169.254.169.254]/",
    "//2852039166/latest/",
    "http://user:secret@example.com/",
    "http://example.com:22/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:25/",
  ])("is refused as the target of a redirect: %s", async (location) => {
    const { web, base, hits } = await setUp((_, response) => response.writeHead(302, { location }).end());
    await expect(web.fetch(`${base}/`)).rejects.toMatchObject({ code: "denied" });
    expect(hits).toEqual(["/"]);
  });

  it("is fetched when it is on the list, that port alone", async () => {
    const other = await serve((_, response) => response.end("other"));
    const { web, base, port } = await setUp(body("text/plain", "inside"));
    expect((await web.fetch(`${base}/`)).text).toBe("inside");
    await expect(web.fetch(`${other.base}/`)).rejects.toMatchObject({ code: "denied" });
    const named = createWebFetch({
      allow: [`inside.test:${port}`],
      lookup: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    expect((await named.fetch(`http://inside.test:${port}/`)).text).toBe("inside");
    await expect(named.fetch(`http://outside.test:${port}/`)).rejects.toMatchObject({ code: "denied" });
  });
});

describe("a URL", () => {
  it("with credentials or another port is refused, without repeating what is secret", async () => {
    const web = createWebFetch();
    const error = await web.fetch("https://me:s3cret@example.com/").catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: "denied" });
    expect(String(error)).not.toContain("s3cret");
    for (const port of [22, 25, 6379, 8080])
      await expect(web.fetch(`http://example.com:${port}/`)).rejects.toMatchObject({ code: "denied" });
  });

  it("is followed through redirects, five at most, and the last one is told", async () => {
    const { web, base, hits } = await setUp((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < 5) response.writeHead(302, { location: `./${step + 1}` }).end();
      else if (step === 5) response.end("there");
      else response.writeHead(302, { location: "/6" }).end();
    });
    const page = await web.fetch(`${base}/0`);
    expect([page.text, page.url, page.finalUrl]).toEqual(["there", `${base}/0`, `${base}/5`]);
    await expect(web.fetch(`${base}/6`)).rejects.toMatchObject({ code: "failed" });
    expect(hits).toHaveLength(12);
  });

  it("of nobody is unavailable", async () => {
    const web = createWebFetch({
      allow: ["127.0.0.1:9", "nowhere.test"],
      lookup: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    });
    await expect(web.fetch("http://127.0.0.1:9/")).rejects.toMatchObject({ code: "unavailable" });
    await expect(web.fetch("http://nowhere.test/")).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("a body", () => {
  it("without end is cut at the cap, and the connection is closed", async () => {
    let closed = false;
    const { web, base } = await setUp((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more).on("close", () => (closed = true));
      more();
    });
    const page = await web.fetch(`${base}/`, { maxBytes: 100_000 });
    expect([page.bytes, page.truncated]).toEqual([100_000, true]);
    await expect.poll(() => closed).toBe(true);
  });

  it.each([
    ["gzip", (text: Buffer) => zlib.gzipSync(text)],
    ["br", (text: Buffer) => zlib.brotliCompressSync(text)],
    ["deflate", (text: Buffer) => zlib.deflateSync(text)],
  ])("packed with %s is unpacked, a bomb only up to the cap", async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(100 * 1024 * 1024, "a"));
    const small = pack(Buffer.from("grüße"));
    const { web, base } = await setUp((request, response) => {
      const content = request.url === "/bomb" ? bomb : small;
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding });
      response.end(content);
    });
    expect((await web.fetch(`${base}/small`)).text).toBe("grüße");
    const before = process.memoryUsage().rss;
    const page = await web.fetch(`${base}/bomb`, { maxBytes: 1_000_000 });
    expect([page.bytes, page.truncated]).toEqual([1_000_000, true]);
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  });

  it("packed twice, wrongly or cut off is refused", async () => {
    const packed = zlib.gzipSync("text");
    const { web, base } = await setUp((request, response) => {
      const twice = request.url === "/twice";
      response.writeHead(200, {
        "content-type": "text/plain",
        "content-encoding": twice ? "gzip, gzip" : "gzip",
      });
      response.end(
        twice ? zlib.gzipSync(packed) : request.url === "/cut" ? packed.subarray(0, 15) : "no gzip",
      );
    });
    for (const path of ["/twice", "/wrong", "/cut"])
      await expect(web.fetch(base + path)).rejects.toMatchObject({ code: "failed" });
  });

  it("that drips is given up after the whole time, one that stops after the silence", async () => {
    const { web, base } = await setUp((request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("x");
      if (request.url === "/silent") return;
      const drip = setInterval(() => response.write("x"), 30);
      response.on("close", () => clearInterval(drip));
    });
    const began = performance.now();
    await expect(web.fetch(`${base}/drip`, { timeoutMs: 400 })).rejects.toMatchObject({ code: "timeout" });
    const impatient = createWebFetch({ allow: [base.slice(7)], idleTimeoutMs: 200 });
    await expect(impatient.fetch(`${base}/silent`)).rejects.toMatchObject({ code: "timeout" });
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it("of a server that never answers, or talks no HTTP, is not waited for", async () => {
    const mute = createTcpServer((socket) => void socket.on("error", () => {}));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const garbage = createTcpServer((socket) => void socket.on("error", () => {}).end("hello\r\n\r\n"));
    await new Promise<void>((resolve) => garbage.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void [mute.close(), garbage.close()]);
    const [first, second] = [mute, garbage].map(
      (each) => `127.0.0.1:${(each.address() as AddressInfo).port}`,
    );
    const web = createWebFetch({ allow: [first as string, second as string] });
    await expect(web.fetch(`http://${first}/`, { timeoutMs: 200 })).rejects.toMatchObject({
      code: "timeout",
    });
    await expect(web.fetch(`http://${second}/`)).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each([
    [
      "switches protocols",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      "failed",
    ],
    ["hints without end", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "timeout"],
    ["has a body of another length and stays", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", "timeout"],
  ])("that never comes, of a server that %s, ends", async (_, head, code) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      // Again and again, so that the silence never gets too long.
      socket.once("data", () => {
        socket.write(head);
        const again = setInterval(() => head.includes(" 103 ") && socket.write(head), 50);
        socket.once("close", () => clearInterval(again));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const web = createWebFetch({ allow: [host] });
    await expect(web.fetch(`http://${host}/`, { timeoutMs: 400 })).rejects.toMatchObject({ code });
    if (code === "failed") return;
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(web.fetch(`http://${host}/`, { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("of a name that is looked up without end is not waited for", async () => {
    const web = createWebFetch({ lookup: () => new Promise(() => {}) });
    await expect(web.fetch("http://example.com/", { timeoutMs: 100 })).rejects.toMatchObject({
      code: "timeout",
    });
  });

  it("is given up in the middle when the caller does", async () => {
    const { web, base } = await setUp((_, response) => void response.writeHead(200).write("x"));
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(web.fetch(`${base}/`, { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("is decoded as the header, the mark or the page itself says", async () => {
    const latin = Buffer.from("Gr\xfc\xdfe", "latin1");
    const meta = Buffer.concat([Buffer.from('<html><head><meta charset="windows-1252"></head><p>'), latin]);
    const { web, base } = await setUp((request, response) => {
      const pages: Record<string, [string, Buffer]> = {
        "/header": ["text/plain; charset=ISO-8859-1", latin],
        "/quoted": ['text/plain; charset="iso-8859-1"', latin],
        "/meta": ["text/html", meta],
        "/mark": ["text/plain", Buffer.from("\uFEFFGrüße", "utf16le")],
        "/unknown": ["text/plain; charset=klingon", Buffer.from("Grüße")],
      };
      const [type, content] = pages[request.url ?? ""] ?? ["", Buffer.alloc(0)];
      response.writeHead(200, { "content-type": type }).end(content);
    });
    for (const path of ["/header", "/quoted", "/meta", "/mark", "/unknown"])
      expect([path, (await web.fetch(base + path)).text]).toEqual([path, "Grüße"]);
  });

  it("of HTML becomes text with headings, lists, code and whole links, without scripts", async () => {
    const html = `<!doctype html><html><head><title> A &amp; B </title><style>p{}</style></head><body>
      <script>alert(1)</script><h1>Title</h1><p>Some <b>bold</b> text, <a href="../next?x=1">a link</a>,
      <a href="#part">a part</a>, <a href="javascript:alert(1)">a trick</a> and <code>code()</code>.</p>
      <ul><li>one</li><li>two</li></ul><pre><code>const a = 1;\n  indented</code></pre><img src="x.png" alt="x">
      </body></html>`;
    const { web, base } = await setUp(body("text/html; charset=utf-8", html));
    const page = await web.fetch(`${base}/docs/page`);
    expect([page.kind, page.title, page.contentType]).toEqual(["html", "A & B", "text/html"]);
    expect(page.text).toBe(
      `# Title\n\nSome bold text, [a link](${base}/next?x=1), a part, a trick and \`code()\`.\n\n` +
        " * one\n * two\n\nconst a = 1;\n  indented",
    );
  });

  it("of HTML that is nested without measure or broken is read in bounded time", async () => {
    const pages: Record<string, string> = {
      "/deep": "<div>".repeat(200_000) + "text",
      "/links": '<a href="/x">x</a>'.repeat(50_000),
      "/broken": "<p>open <b>and <i never closed <title>",
      "/titles": "<title".repeat(200_000),
    };
    const { web, base } = await setUp((request, response) =>
      body("text/html", pages[request.url ?? ""] ?? "")(request, response),
    );
    for (const path of Object.keys(pages)) {
      // The processor's time and not the clock's: others may be at work on this machine.
      const before = process.cpuUsage();
      expect((await web.fetch(base + path)).kind).toBe("html");
      const { user, system } = process.cpuUsage(before);
      expect([path, (user + system) / 1_000_000 < 4]).toEqual([path, true]);
    }
  });

  it("of HTML with more tags than any page has is cut, so that nothing else waits for long", async () => {
    const pages: Record<string, string> = {
      "/p": "<p>".repeat(660_000),
      "/closed": "</p>".repeat(500_000),
      "/links": '<a href="/x">y</a>'.repeat(110_000),
      "/whole": "<p>text</p>".repeat(20_000),
    };
    const { web, base } = await setUp((request, response) =>
      body("text/html", pages[request.url ?? ""] ?? "")(request, response),
    );
    for (const path of Object.keys(pages)) {
      const before = process.cpuUsage();
      expect((await web.fetch(base + path)).truncated).toBe(path !== "/whole");
      const { user, system } = process.cpuUsage(before);
      expect([path, (user + system) / 1_000_000 < 2.5]).toEqual([path, true]);
    }
  });

  it("that is binary gives its kind and size", async () => {
    const { web, base } = await setUp((request, response) => {
      const type = { "/png": "image/png", "/lie": "text/plain", "/none": "" }[request.url ?? ""];
      response.writeHead(200, type ? { "content-type": type } : {});
      response.end(Buffer.from([0x89, 0x50, 0, 1, 2]));
    });
    for (const path of ["/png", "/lie", "/none"]) {
      const page = await web.fetch(base + path);
      expect([page.kind, page.text, page.bytes]).toEqual(["binary", "", 5]);
    }
  });
});

describe("web search", () => {
  const engine = async (answers: Readonly<Record<string, readonly WebSearchHit[]>>) => {
    const seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      const query = new URL(request.url ?? "", "http://x").searchParams.get("q") ?? "";
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          results: answers[query]?.map(({ snippet, ...hit }) => ({ ...hit, content: snippet })) ?? [],
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      seen,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search?format=json&q={query}&n={count}`,
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  };
  const pick = (answer: unknown): WebSearchHit[] =>
    (answer as { results: { title: string; url: string; content: string }[] }).results.map(
      ({ title, url, content }) => ({ title, url, snippet: content }),
    );

  const cases = webSearchConformance({
    create: async (answers) => {
      const { url, close } = await engine(answers);
      return {
        close,
        port: createWebSearch({ providers: [createHttpSearchProvider({ name: "test", url, pick })] }),
      };
    },
  });
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_, each) => each.run());

  it("sends a key in a header alone, and never tells it", async () => {
    const { url, close, seen } = await engine({});
    onTestFinished(close);
    const headers = { "x-api-key": "s3cret" };
    const good = createHttpSearchProvider({ name: "good", url, headers, pick });
    await createWebSearch({ providers: [good] }).search("x $& y");
    expect(seen[0]?.headers["x-api-key"]).toBe("s3cret");
    expect(seen[0]?.url).toBe("/search?format=json&q=x%20%24%26%20y&n=11");
    const nowhere = createHttpSearchProvider({
      name: "bad",
      url: "http://127.0.0.1:9/?key=s3cret&q={query}",
      headers,
      pick,
    });
    const error = await createWebSearch({ providers: [nowhere] })
      .search("x")
      .catch((caught: unknown) => caught);
    const { inspect } = await import("node:util");
    expect(inspect(error, { depth: 10 })).not.toContain("s3cret");
  });

  it("asks the next engine when one fails, whatever way it fails", async () => {
    const { url, close } = await engine({ x: [{ title: "T", url: "https://example.com", snippet: "S" }] });
    const down = await serve((request, response) => {
      if (request.url === "/500") response.writeHead(500).end("{}");
      else if (request.url === "/redirect") response.writeHead(302, { location: url }).end();
      else if (request.url === "/html") response.end("<html>");
      else if (request.url !== "/slow") response.end('{"results": null}');
    });
    onTestFinished(close);
    const failing = ["500", "redirect", "html", "slow", "other"].map((name) =>
      createHttpSearchProvider({ name, url: `${down.base}/${name}`, pick, timeoutMs: 200 }),
    );
    const last = createHttpSearchProvider({ name: "last", url, pick });
    expect(await createWebSearch({ providers: [...failing, last] }).search("x")).toMatchObject({
      provider: "last",
    });
    await expect(createWebSearch({ providers: failing }).search("x")).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(createWebSearch({ providers: [] }).search("x")).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("waits for no engine that hears neither the limit nor the caller", async () => {
    const deaf = (): Promise<never> => new Promise(() => {});
    const http = createHttpSearchProvider({
      name: "http",
      url: "https://example.com",
      pick,
      timeoutMs: 100,
      fetch: deaf,
    });
    await expect(createWebSearch({ providers: [http] }).search("x")).rejects.toMatchObject({
      code: "unavailable",
    });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 100);
    const search = createWebSearch({ providers: [{ name: "deaf", search: deaf }] });
    await expect(search.search("x", { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("leaves out what is no hit", async () => {
    const hits = [{ title: "T", url: "https://example.com", snippet: "S" }, { title: "no url" }, null];
    const { base } = await setUp(body("application/json", JSON.stringify({ hits })));
    const provider = createHttpSearchProvider({
      name: "test",
      url: base,
      pick: (answer) => (answer as { hits: WebSearchHit[] }).hits,
    });
    expect((await createWebSearch({ providers: [provider] }).search("x")).hits).toEqual([hits[0]]);
  });
});
