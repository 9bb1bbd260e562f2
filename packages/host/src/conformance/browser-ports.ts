import assert from "node:assert/strict";
import type { BrowserPort } from "../browser-port.js";
import type { PreviewPort } from "../preview-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** The promises of `BrowserPort`. `create` gives a browser on a page with at least one element that can be clicked. */
export const browserConformance = ({
  create,
}: {
  create: () => Promise<Subject<BrowserPort>> | Subject<BrowserPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: BrowserPort) => Promise<void>): ConformanceCase =>
    caseOf(`browser: ${name}`, create, ({ port }) => run(port));
  const firstId = (text: string): string =>
    /\[([^\]]+)\]/.exec(text)?.[1] ?? assert.fail(`no id in: ${text}`);
  const click = (port: BrowserPort, id: string): Promise<unknown> =>
    port.run({ kind: "actions", actions: [{ kind: "click", id }] });
  return [
    test("an element of the snapshot can be clicked", async (port) => {
      const snapshot = await port.snapshot();
      await click(port, firstId(snapshot.text));
    }),
    test("ids are those of the latest snapshot alone", async (port) => {
      const old = firstId((await port.snapshot()).text);
      await port.snapshot();
      await refuses(click(port, old), "not_found");
      await refuses(click(port, "no-such-id"), "not_found");
    }),
    test("a snapshot is capped and says so", async (port) => {
      const { text, truncated } = await port.snapshot({ maxBytes: 1 });
      assert.equal(truncated, true);
      assert.ok(Buffer.byteLength(text) <= 1);
    }),
    test("a screenshot is an image", async (port) => {
      const { data, width, height } = await port.screenshot();
      assert.ok(data.length > 0 && width > 0 && height > 0);
    }),
    test("an aborted call rejects with the reason", (port) =>
      honoursAbort({
        run: (options) => port.run({ kind: "code", code: "1" }, options),
        snapshot: (options) => port.snapshot(options),
        screenshot: (options) => port.screenshot(options),
      })),
  ];
};

/** The promises of `PreviewPort`. */
export const previewConformance = ({
  create,
}: {
  create: () => Promise<Subject<PreviewPort>> | Subject<PreviewPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: PreviewPort) => Promise<void>): ConformanceCase =>
    caseOf(`preview: ${name}`, create, ({ port }) => run(port));
  return [
    test("what is opened is listed until it is closed", async (port) => {
      const preview = await port.open("http://localhost:3000/", { title: "App" });
      assert.deepEqual(await port.list(), [preview]);
      assert.deepEqual([preview.url, preview.title], ["http://localhost:3000/", "App"]);
      await port.close(preview.id);
      assert.deepEqual(await port.list(), []);
      await refuses(port.close(preview.id), "not_found");
    }),
    test("only http and https are opened", async (port) => {
      for (const url of ["file:///etc/passwd", "javascript:alert(1)", "command:x", "no url"])
        await refuses(port.open(url), "invalid_argument");
    }),
    test("an aborted call rejects with the reason", (port) =>
      honoursAbort({
        open: (options) => port.open("http://localhost/", options),
        list: (options) => port.list(options),
        close: (options) => port.close("x", options),
      })),
  ];
};
