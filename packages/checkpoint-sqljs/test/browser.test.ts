import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { wasmPath } from "./support/child.js";
import { scratch } from "./support/helpers.js";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const SOURCE = fileURLToPath(new URL("../src/index.ts", import.meta.url));

/** As a browser's bundler reads the published package: this package is its browser build, made from the sources. */
const fromSources: Plugin = {
  name: "from sources",
  setup(builder) {
    builder.onResolve({ filter: /^@fiveseam\/checkpoint-sqljs$/ }, () => ({ path: SOURCE }));
    builder.onLoad({ filter: /checkpoint-sqljs\/src\/[^/]+\.ts$/ }, ({ path }) => {
      const instead = path.replace(/\.ts$/, ".browser.ts");
      return existsSync(instead) ? { contents: readFileSync(instead, "utf8"), loader: "ts" } : undefined;
    });
  },
};

const bundlePage = async (plugins: Plugin[]): Promise<string> => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL("fixtures/browser.ts", import.meta.url))],
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    target: "es2022",
    logLevel: "silent",
    plugins,
  });
  expect(warnings).toEqual([]);
  return outputFiles[0]!.text;
};

/** Serves the page, opens it, and resolves with what it posts. */
const reportOf = async (script: string, chromium: string): Promise<unknown> => {
  let received: (body: unknown) => void = () => {};
  const report = new Promise<unknown>((resolve) => (received = resolve));
  const server = createServer((request, response) => {
    if (request.url === "/report") {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        response.end();
        received(JSON.parse(body));
      });
    } else if (request.url === "/page.js") response.end(script);
    else if (request.url === "/sql-wasm.wasm") response.end(readFileSync(wasmPath));
    else {
      response.setHeader("content-type", "text/html");
      response.end('<!doctype html><meta charset="utf-8"><script src="/page.js"></script>');
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const browser = spawn(
    chromium,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--user-data-dir=${scratch()}`,
      `http://127.0.0.1:${port}/`,
    ],
    { stdio: "ignore" },
  );
  const gone = new Promise<void>((resolve) => browser.once("close", () => resolve()));
  onTestFinished(async () => {
    browser.kill("SIGKILL");
    await gone;
    server.closeAllConnections();
    server.close();
  });
  return report;
};

describe("in a browser", () => {
  it("bundles without anything of Node's", async () => {
    expect(await bundlePage([fromSources])).not.toMatch(/require\("node:|from "node:/);
  });

  it.skipIf(!CHROMIUM)("keeps threads and documents in memory (requires: chromium)", async () => {
    expect(await reportOf(await bundlePage([fromSources]), CHROMIUM!)).toEqual({
      nowhere: "WASM_LOAD_FAILED",
      files: "NO_FILE_SYSTEM",
      exported: "NO_FILE_SYSTEM",
      texts: ["hi", "yes"],
      bytes: [0, 128, 255],
      threads: ["hi"],
      found: ["ada"],
      problems: [],
    });
  });
});
