import { chmod, mkdir, symlink } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import {
  createJsSearch,
  createRipgrepSearch,
  createTextSearch,
  type TextSearchPort,
  type TextSearchQuery,
  type TextSearchResult,
} from "../src/index.js";
import { withTree } from "./support/search-trees.js";

const engines: [string, (root: string) => TextSearchPort][] = [
  ["javascript", (root) => createJsSearch({ root })],
  ["ripgrep", (root) => createRipgrepSearch({ root, rgPath })],
];

const repository = path.resolve(import.meta.dirname, "../../..");

type Files = Record<string, string | Buffer>;

/** "path:line:text" of every match. */
const lines = (result: TextSearchResult): string[] =>
  result.files.flatMap((file) =>
    file.lines.map(
      (line) => `${file.path}${line.kind === "match" ? ":" : "-"}${line.lineNumber}:${line.text}`,
    ),
  );

describe.each(engines)("a search by %s", (_, create) => {
  const search = <T>(files: Files, use: (port: TextSearchPort, root: string) => Promise<T>): Promise<T> =>
    withTree(
      {
        files: Object.entries(files).map(([name, content]) => [name, Buffer.from(content)] as const),
        links: [],
      },
      (root) => use(create(root), root),
    );
  const find = (files: Files, query: TextSearchQuery): Promise<string[]> =>
    search(files, async (port) => lines(await port.search(query)));

  it("takes a pattern literally unless it is said to be a regular expression", async () => {
    const files = { "a.ts": "f(a.b)\nfXaYb\n--files\n" };
    expect(await find(files, { pattern: "(a.b" })).toEqual(["a.ts:1:f(a.b)"]);
    expect(await find(files, { pattern: "a.b", regex: true })).toEqual(["a.ts:1:f(a.b)", "a.ts:2:fXaYb"]);
    expect(await find(files, { pattern: "--files" })).toEqual(["a.ts:3:--files"]);
    expect(await find(files, { pattern: "--pre=touch x" })).toEqual([]);
  });

  it("heeds case unless told not to, and whole words when asked", async () => {
    const files = { a: "Word\nword\nwords\nßword\n" };
    expect(await find(files, { pattern: "word", word: true })).toEqual(["a:2:word"]);
    expect(await find(files, { pattern: "WORD", caseSensitive: false, word: true })).toEqual([
      "a:1:Word",
      "a:2:word",
    ]);
    expect(await find(files, { pattern: "(?i)^WORD$", regex: true })).toEqual(["a:1:Word", "a:2:word"]);
  });

  it("gives lines, columns, spans and context, each line once", async () => {
    await search({ "d/a.ts": "one\ntwo x x\nthree\nx\nfive\nsix\n" }, async (port) => {
      const result = await port.search({ pattern: "x", beforeContext: 1, afterContext: 1 });
      expect(lines(result)).toEqual([
        "d/a.ts-1:one",
        "d/a.ts:2:two x x",
        "d/a.ts-3:three",
        "d/a.ts:4:x",
        "d/a.ts-5:five",
        "d/a.ts:6:six",
      ]);
      expect(result.files[0]?.lines[1]).toEqual({
        kind: "match",
        lineNumber: 2,
        column: 5,
        text: "two x x",
        textStart: 0,
        lineLength: 7,
        spans: [
          { start: 4, end: 5 },
          { start: 6, end: 7 },
        ],
      });
      expect(result).toMatchObject({ matchCount: 3, truncated: false, limits: [], binaryFileCount: 0 });
    });
  });

  it("orders by path, component by component", async () => {
    const files = { "a.ts": "x", "a/z.ts": "x", "B.ts": "x", "a-b/c.ts": "x", "é.ts": "x" };
    expect(await find(files, { pattern: "x" })).toEqual([
      "B.ts:1:x",
      "a/z.ts:1:x",
      "a-b/c.ts:1:x",
      "a.ts:1:x",
      "é.ts:1:x",
    ]);
  });

  it("reads any encoding it can tell, and shows what is none as U+FFFD", async () => {
    const files = {
      bom: "\uFEFFfoo\r\nbar\r\n",
      broken: Buffer.from([0x66, 0xff, 0x6f, 0xe2, 0x82, 0x0a]),
      utf16: Buffer.from("\uFEFFa foo\n", "utf16le"),
      utf16be: Buffer.from("\uFEFFa foo\n", "utf16le").swap16(),
      last: "no end foo",
      marks: Buffer.from("\uFEFF\uFEFF", "utf16le"),
      more: "\uFEFF\uFEFF=",
    };
    expect(await find(files, { pattern: "^[\\uFEFF=]$", regex: true })).toEqual(["more:1:="]);
    expect(await find(files, { pattern: "foo" })).toEqual([
      "bom:1:foo",
      "last:1:no end foo",
      "utf16:1:a foo",
      "utf16be:1:a foo",
    ]);
    expect(await find(files, { pattern: "^f.o.$", regex: true })).toEqual(["broken:1:f\uFFFDo\uFFFD"]);
    expect(await find(files, { pattern: "^(foo|bar)$", regex: true })).toEqual(["bom:1:foo", "bom:2:bar"]);
  });

  it("shows nothing of binary files and counts those that match", async () => {
    await search({ a: "foo\0", b: "foo", c: "\0bar" }, async (port) => {
      const result = await port.search({ pattern: "foo" });
      expect(lines(result)).toEqual(["b:1:foo"]);
      expect(result.binaryFileCount).toBe(1);
    });
  });

  it("honours .gitignore at every depth, also outside of a repository, and never opens .git", async () => {
    const files = {
      ".gitignore": "*.log\n/dist/\n!keep.log\n",
      "a.log": "x",
      "keep.log": "x",
      "dist/a": "x",
      "src/dist/a": "x",
      "src/.gitignore": "!b.log\nlocal\n",
      "src/b.log": "x",
      "src/local": "x",
      local: "x",
      ".git/config": "x",
      "src/.git": "x",
      ".hidden": "x",
    };
    expect(await find(files, { pattern: "x" })).toEqual([
      "keep.log:1:x",
      "local:1:x",
      "src/b.log:1:x",
      "src/dist/a:1:x",
    ]);
    expect(await find(files, { pattern: "x", hidden: true })).toContain(".hidden:1:x");
    const all = await find(files, { pattern: "x", hidden: true, ignore: false });
    expect(all).toHaveLength(8);
    expect(all.some((line) => line.includes(".git/") || line.includes("src/.git"))).toBe(false);
  });

  it("honours the ignore files above the root, up to the top of its repository", async () => {
    await withTree(
      {
        files: [
          ["outer/.git/HEAD", Buffer.from("x")],
          ["outer/.gitignore", Buffer.from("node_modules\n/in/a\n")],
          ["outer/in/a", Buffer.from("x")],
          ["outer/in/b", Buffer.from("x")],
          ["outer/in/node_modules/c", Buffer.from("x")],
          [".gitignore", Buffer.from("*\n")],
        ],
        links: [],
      },
      async (folder) => {
        const port = create(path.join(folder, "outer/in"));
        expect(lines(await port.search({ pattern: "x" }))).toEqual(["b:1:x"]);
      },
    );
  });

  it("searches an ignored or hidden path that is named", async () => {
    const files = {
      ".gitignore": "node_modules\n",
      "node_modules/m/a.js": "x",
      ".github/w.yml": "x",
      b: "x",
    };
    expect(await find(files, { pattern: "x", paths: ["node_modules/m"] })).toEqual([
      "node_modules/m/a.js:1:x",
    ]);
    expect(await find(files, { pattern: "x", paths: [".github"] })).toEqual([".github/w.yml:1:x"]);
    expect(await find(files, { pattern: "x", paths: ["node_modules/m/a.js", "b"] })).toEqual([
      "b:1:x",
      "node_modules/m/a.js:1:x",
    ]);
  });

  it("takes globs as .gitignore does, those at the root included", async () => {
    const files = { "a.ts": "x", "b.js": "x", "src/a.ts": "x", "src/deep/a.test.ts": "x", "src/c.tsx": "x" };
    const byGlobs = async (...globs: string[]) =>
      (await find(files, { pattern: "x", globs })).map((line) => line.split(":")[0]);
    expect(await byGlobs("**/*.ts")).toEqual(["a.ts", "src/a.ts", "src/deep/a.test.ts"]);
    expect(await byGlobs("*.ts", "!*.test.ts")).toEqual(["a.ts", "src/a.ts"]);
    expect(await byGlobs("/*.{ts,js}")).toEqual(["a.ts", "b.js"]);
    expect(await byGlobs("src/")).toEqual(["src/a.ts", "src/c.tsx", "src/deep/a.test.ts"]);
    expect(await byGlobs("src/*.ts")).toEqual(["src/a.ts"]);
    expect(await byGlobs("!src")).toEqual(["a.ts", "b.js"]);
    expect(await byGlobs("*.ts", "!src")).toEqual(["a.ts"]);
    expect(await byGlobs("!src", "src/deep/")).toEqual(["src/deep/a.test.ts"]);
    expect(await byGlobs("[ab].[tj]s", "!/a*")).toEqual(["b.js", "src/a.ts"]);
  });

  it("caps matches, matches of a file and columns, and says which", async () => {
    const long = `${"-".repeat(1_000)}x${"-".repeat(1_000)}x`;
    await search({ a: "x\nx\nx\n", b: "x\n", c: long }, async (port) => {
      expect(await port.search({ pattern: "x", maxMatches: 5 })).toMatchObject({
        matchCount: 5,
        limits: ["maxColumns"],
      });
      const few = await port.search({ pattern: "x", maxMatches: 2 });
      expect(few).toMatchObject({ matchCount: 2, truncated: true, limits: ["maxMatches"] });
      expect(few.files).toMatchObject([{ path: "a", matchCount: 3 }]);
      expect(await port.search({ pattern: "x", maxMatches: 4, globs: ["a", "b"] })).toMatchObject({
        truncated: false,
      });
      const each = await port.search({ pattern: "x", maxMatchesPerFile: 1, globs: ["a", "b"] });
      expect(lines(each)).toEqual(["a:1:x", "b:1:x"]);
      expect(each.limits).toEqual(["maxMatchesPerFile"]);
      const cut = await port.search({ pattern: "x", paths: ["c"], maxColumns: 100 });
      expect(cut.limits).toEqual(["maxColumns"]);
      expect(cut.files[0]?.lines[0]).toMatchObject({
        column: 1_001,
        textStart: 975,
        lineLength: 2_002,
        text: `${"-".repeat(25)}x${"-".repeat(74)}`,
        spans: [{ start: 25, end: 26 }],
      });
      expect(await port.search({ pattern: "x", maxFileBytes: 100 })).toMatchObject({ matchCount: 4 });
    });
  });

  it("follows no symbolic link, and refuses paths that lead out of the root", async () => {
    await search({ "in/a": "x", "out/secret": "x" }, async (_port, folder) => {
      const root = path.join(folder, "in");
      const port = create(root);
      await symlink(path.join(folder, "out"), path.join(root, "link"));
      await symlink("a", path.join(root, "alias"));
      execFileSync("mkfifo", [path.join(root, "pipe")]);
      expect(lines(await port.search({ pattern: "x" }))).toEqual(["a:1:x"]);
      expect(lines(await port.search({ pattern: "x", paths: ["alias"] }))).toEqual(["a:1:x"]);
      const refused = (paths: string[]) => port.search({ pattern: "x", paths });
      for (const out of ["..", "../out", "link", "link/secret", "/etc", "../missing"])
        await expect(refused([out])).rejects.toMatchObject({ code: "outside_root" });
      await expect(refused(["missing"])).rejects.toMatchObject({ code: "not_found" });
      await expect(refused(["pipe"])).rejects.toMatchObject({ code: "invalid_argument" });
      await mkdir(path.join(root, ".git"));
      await expect(refused([".git"])).rejects.toMatchObject({ code: "denied" });
    });
  });

  it("passes over what it may not read", async ({ skip }) => {
    if (process.getuid?.() === 0) skip("requires: not root");
    await search({ a: "x", b: "x" }, async (port, root) => {
      await chmod(path.join(root, "a"), 0);
      expect(lines(await port.search({ pattern: "x" }))).toEqual(["b:1:x"]);
    });
  });

  it("refuses what makes no sense, and says what does", async () => {
    await search({ a: "x" }, async (port) => {
      const refused: [Partial<TextSearchQuery>, RegExp][] = [
        [{ pattern: "" }, /empty/],
        [{ pattern: "a\nb" }, /one line/],
        [{ pattern: "\ud800" }, /surrogate/],
        [{ pattern: "(a", regex: true }, /never closed; write \\\(/],
        [{ pattern: "a)", regex: true }, /write \\\)/],
        [{ pattern: "*a", regex: true }, /nothing to repeat/],
        [{ pattern: "a++", regex: true }, /possessive/],
        [{ pattern: "\\Afoo", regex: true }, /use \^/],
        [{ pattern: "a\\nb", regex: true }, /one line/],
        [{ pattern: "a(?i)b", regex: true }, /\(\?i\) in front/],
        [{ pattern: "(?>a)", regex: true }, /not supported/],
        [{ pattern: "\\p{Nonsense}", regex: true }, /Unicode property/],
        [{ pattern: "(a)\\2", regex: true }, /no group 2/],
        [{ pattern: "[a", regex: true }, /write \\\[/],
        [{ globs: ["[a"] }, /glob/],
        [{ maxMatches: 0 }, /maxMatches/],
        [{ maxColumns: 1.5 }, /maxColumns/],
      ];
      for (const [query, message] of refused) {
        const call = port.search({ pattern: "x", ...query });
        await expect(call).rejects.toMatchObject({
          code: "invalid_argument",
          message,
        });
      }
    });
  });

  it("reads what models write out of habit", async () => {
    const files = { a: 'interface Foo {\n  "a-b": 1 }\nimport x from "y"\n' };
    const matched = async (pattern: string) => (await find(files, { pattern, regex: true })).length;
    expect(await matched("interface\\s+\\w+ {")).toBe(1);
    expect(await matched('\\"a\\-b\\"')).toBe(1);
    expect(await matched("(?P<word>\\w+) x")).toBe(1);
    expect(await matched("[[:upper:]][[:lower:]]+")).toBe(1);
    expect(await matched("1 }|from\\b")).toBe(2);
    expect(await matched("(?<=import )x(?! y)")).toBe(1);
  });

  it("stops a pattern that would run for ever, at its time limit or when the caller gives up", async () => {
    await search({ a: `${"a".repeat(60)}\nab\n` }, async (port) => {
      const endless: TextSearchQuery = { pattern: "(a+)+(?=c)", regex: true };
      await expect(port.search(endless, { timeoutMs: 300 })).rejects.toMatchObject({ code: "timeout" });
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error("enough")), 200);
      await expect(port.search(endless, { signal: abort.signal })).rejects.toThrow("enough");
      await expect(port.search({ pattern: "a" }, { signal: abort.signal })).rejects.toThrow("enough");
      await expect(port.files({}, { signal: abort.signal })).rejects.toThrow("enough");
      expect((await port.search({ pattern: "ab" })).matchCount).toBe(1);
    });
  });

  it("lists the files that it would search", async () => {
    await search({ ".gitignore": "*.log", "a.log": "", "b.ts": "", "c/d.ts": "\0" }, async (port) => {
      expect(await port.files()).toMatchObject({ files: ["b.ts", "c/d.ts"], truncated: false });
      expect(await port.files({ maxFiles: 1 })).toMatchObject({ files: ["b.ts"], truncated: true });
      expect(await port.files({ globs: ["c/**"] })).toMatchObject({ files: ["c/d.ts"] });
    });
  });
});

describe("ripgrep and JavaScript", () => {
  it("give one answer on this repository", { timeout: 120_000 }, async () => {
    const [js, ripgrep] = engines.map(([, create]) => create(repository)) as [TextSearchPort, TextSearchPort];
    const queries: TextSearchQuery[] = [
      { pattern: "createHost" },
      { pattern: "export const", globs: ["*.ts", "!*.test.ts"], maxMatches: 50, beforeContext: 2 },
      { pattern: "\\bHost\\w*Error\\b", regex: true, maxMatchesPerFile: 2 },
      { pattern: "^import .* from", regex: true, paths: ["packages/host", "docs"], afterContext: 1 },
      { pattern: "todo", caseSensitive: false, word: true, hidden: true },
    ];
    for (const query of queries) {
      const { engine: _, ...expected } = await js.search(query);
      const { engine: __, ...found } = await ripgrep.search(query);
      expect(found).toEqual(expected);
    }
    expect((await ripgrep.files()).files).toEqual((await js.files()).files);
  });
});

describe("a search that chooses for itself", () => {
  const withPath = async <T>(value: string, use: () => Promise<T>): Promise<T> => {
    const before = process.env["PATH"];
    process.env["PATH"] = value;
    try {
      return await use();
    } finally {
      process.env["PATH"] = before;
    }
  };

  it("takes the ripgrep on the path, else an installed package's, and no program of the workspace", async () => {
    await withTree(
      {
        files: [
          ["bin/rg", Buffer.from("#!/bin/sh\necho ripgrep 99.0\ntouch ran\n")],
          ["a", Buffer.from("x")],
        ],
        links: [],
      },
      async (root) => {
        await chmod(path.join(root, "bin/rg"), 0o755);
        const engine = await withPath(path.join(root, "bin"), async () => {
          const { engine: chosen, files } = await createTextSearch({ root }).search({ pattern: "x" });
          expect(files.map((file) => file.path)).toEqual(["a"]);
          return chosen;
        });
        expect(engine).toBe("ripgrep");
        expect((await createJsSearch({ root }).files()).files).toEqual(["a", "bin/rg"]);
      },
    );
  });

  it("takes none that is broken or too old", async () => {
    await withTree(
      {
        files: [
          ["bin/rg", Buffer.from("#!/bin/sh\necho ripgrep 11.0.2\n")],
          ["w/a", Buffer.from("x")],
        ],
        links: [],
      },
      async (root) => {
        await chmod(path.join(root, "bin/rg"), 0o755);
        const { files } = await withPath(path.join(root, "bin"), () =>
          createTextSearch({ root: path.join(root, "w") }).search({ pattern: "x" }),
        );
        expect(files).toHaveLength(1);
      },
    );
  });

  it("works from a minified CommonJS bundle, regular expressions and all", { timeout: 60_000 }, async () => {
    await withTree({ files: [["w/a", Buffer.from("foo\n")]], links: [] }, async (root) => {
      const bundle = path.join(root, "bundle.cjs");
      await build({
        stdin: {
          contents: `import { createTextSearch } from ${JSON.stringify(path.resolve(import.meta.dirname, "../src/text-search.ts"))};
            createTextSearch({ root: ${JSON.stringify(path.join(root, "w"))} }).search({ pattern: "^fo+$", regex: true })
              .then((result) => console.log(result.engine, result.matchCount));`,
          resolveDir: root,
        },
        outfile: bundle,
        bundle: true,
        minify: true,
        format: "cjs",
        platform: "node",
        target: "node20",
      });
      const run = (env: Record<string, string>) =>
        execFileSync(process.execPath, [bundle], { encoding: "utf8", env, cwd: root });
      expect(run({ PATH: path.dirname(rgPath) })).toBe("ripgrep 1\n");
      expect(run({ PATH: "/no/such/directory" })).toBe("javascript 1\n");
    });
  });

  it("says that a ripgrep that was named is not there", async () => {
    const port = createRipgrepSearch({ root: import.meta.dirname, rgPath: "/no/such/rg" });
    await expect(port.search({ pattern: "x" })).rejects.toMatchObject({ code: "unavailable" });
  });
});
