import assert from "node:assert/strict";
import type { TextSearchPort, TextSearchQuery, TextSearchResult } from "../text-search-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** Contents by path. */
export type SearchTree = Readonly<Record<string, string | Uint8Array>>;

const TREE: SearchTree = {
  ".gitignore": "*.log\n/dist/\n!keep.log\n",
  ".hidden": "needle\n",
  "a.log": "needle\n",
  "keep.log": "needle\n",
  "dist/out.ts": "needle\n",
  "src/.gitignore": "local.ts\n",
  "src/local.ts": "needle\n",
  "src/a.ts": "one\ntwo needle needle\r\nthree\nNeedle\n",
  "src/b.js": "f(a.b)\nfXaYb\n",
  "src-z.ts": "needle",
  "src/binary": "needle\0",
  "src/broken.txt": new Uint8Array([0x6e, 0xff, 0x6e, 0x0a]),
};

const lines = (result: TextSearchResult): string[] =>
  result.files.flatMap((file) =>
    file.lines.map(({ lineNumber, text }) => `${file.path}:${lineNumber}:${text}`),
  );

/** The promises of `TextSearchPort`. `create` gives a port over a directory that holds the tree. */
export const textSearchConformance = ({
  create,
}: {
  create: (tree: SearchTree) => Promise<Subject<TextSearchPort>> | Subject<TextSearchPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: TextSearchPort) => Promise<void>): ConformanceCase =>
    caseOf(
      `text search: ${name}`,
      () => create(TREE),
      ({ port }) => run(port),
    );
  const finds = (name: string, query: TextSearchQuery, expected: string[]): ConformanceCase =>
    test(name, async (port) => assert.deepEqual(lines(await port.search(query)), expected));
  const needle = ["keep.log:1:needle", "src/a.ts:2:two needle needle", "src-z.ts:1:needle"];
  return [
    finds("ignored, hidden and binary files are left out, paths are in order", { pattern: "needle" }, needle),
    finds("hidden files come when asked for", { pattern: "needle", hidden: true }, [
      ".hidden:1:needle",
      ...needle,
    ]),
    finds(
      "ignored files come when asked for",
      { pattern: "needle", ignore: false, globs: ["*.log", "dist/"] },
      ["a.log:1:needle", "dist/out.ts:1:needle", "keep.log:1:needle"],
    ),
    finds("an ignored path that is named is searched", { pattern: "needle", paths: ["dist"] }, [
      "dist/out.ts:1:needle",
    ]),
    finds("globs keep and exclude", { pattern: "needle", globs: ["*.ts", "!src/"] }, ["src-z.ts:1:needle"]),
    finds("a pattern is literal", { pattern: "a.b" }, ["src/b.js:1:f(a.b)"]),
    finds("a regular expression is one when it is said to be", { pattern: "a.b", regex: true }, [
      "src/b.js:1:f(a.b)",
      "src/b.js:2:fXaYb",
    ]),
    finds("invalid UTF-8 is U+FFFD", { pattern: "^n.n$", regex: true }, ["src/broken.txt:1:n\uFFFDn"]),
    test("columns, spans, counts and context are told", async (port) => {
      const result = await port.search({
        pattern: "NEEDLE",
        caseSensitive: false,
        paths: ["src"],
        beforeContext: 1,
        afterContext: 1,
      });
      assert.deepEqual(lines(result), [
        "src/a.ts:1:one",
        "src/a.ts:2:two needle needle",
        "src/a.ts:3:three",
        "src/a.ts:4:Needle",
      ]);
      const [, match] = result.files[0]?.lines ?? [];
      assert.ok(match?.kind === "match");
      assert.equal(match.column, 5);
      assert.deepEqual(match.spans, [
        { start: 4, end: 10 },
        { start: 11, end: 17 },
      ]);
      assert.equal(result.matchCount, 2);
      assert.equal(result.binaryFileCount, 1);
      assert.equal(result.truncated, false);
    }),
    test("a cut is said", async (port) => {
      const few = await port.search({ pattern: "needle", maxMatches: 2 });
      assert.deepEqual(lines(few), needle.slice(0, 2));
      assert.deepEqual([few.truncated, few.limits], [true, ["maxMatches"]]);
      const narrow = await port.search({ pattern: "needle", paths: ["src/a.ts"], maxColumns: 6 });
      assert.deepEqual(narrow.limits, ["maxColumns"]);
      const list = await port.files({ maxFiles: 1 });
      assert.deepEqual([list.files, list.truncated], [["keep.log"], true]);
    }),
    test("files are listed as they are searched", async (port) => {
      const { files, truncated } = await port.files();
      assert.deepEqual(files, [
        "keep.log",
        "src/a.ts",
        "src/b.js",
        "src/binary",
        "src/broken.txt",
        "src-z.ts",
      ]);
      assert.equal(truncated, false);
    }),
    test("what makes no sense is refused", async (port) => {
      await refuses(port.search({ pattern: "" }), "invalid_argument");
      await refuses(port.search({ pattern: "a\nb" }), "invalid_argument");
      await refuses(port.search({ pattern: "(a", regex: true }), "invalid_argument");
      await refuses(port.search({ pattern: "x", maxMatches: -1 }), "invalid_argument");
      await refuses(port.search({ pattern: "x", paths: ["missing"] }), "not_found");
      await refuses(port.search({ pattern: "x", paths: [".."] }), "outside_root");
      await refuses(port.search({ pattern: "x", paths: ["/"] }), "outside_root");
    }),
    test("an abort rejects", (port) =>
      honoursAbort({
        search: (options) => port.search({ pattern: "x" }, options),
        files: (options) => port.files({}, options),
      })),
  ];
};
