import assert from "node:assert/strict";
import { seed, type Draft } from "./conformance-case.js";

const TREE = {
  "/a.ts": "first\nfind me(\n",
  "/src/b.ts": "find me(\nfind meX\n",
  "/src/deep/c.ts": "x\n",
  "/src/deep/d.md": "find me( here\n",
  "/srcs/e.ts": "x\n",
} as const;

const paths = (list: readonly { path: string }[] | undefined): string[] =>
  (list ?? []).map(({ path }) => path).sort();

/** Listing and searching. */
export const searchDrafts: readonly Draft[] = [
  {
    name: "ls tells what is directly in a directory, and which of it are directories",
    async test(backend) {
      await seed(backend, TREE);
      const { files, error } = await backend.ls("/");
      assert.equal(error, undefined);
      assert.deepEqual(
        (files ?? [])
          .map(({ path, is_dir }) => `${path.replace(/\/$/, "")}${is_dir === true ? "/" : ""}`)
          .sort(),
        ["/a.ts", "/src/", "/srcs/"],
      );
      const below = (await backend.ls("/src")).files ?? [];
      assert.deepEqual(below.map(({ path }) => path.replace(/\/$/, "")).sort(), ["/src/b.ts", "/src/deep"]);
    },
  },
  {
    name: "a directory that is not there has nothing in it, and is no exception",
    async test(backend) {
      const result = await backend.ls("/missing");
      assert.deepEqual(result.files ?? [], []);
    },
  },
  {
    name: "glob: ** spans directories and also none, * stays within a name",
    async test(backend) {
      await seed(backend, TREE);
      const found = async (pattern: string, path?: string): Promise<string[]> =>
        paths((await backend.glob(pattern, path)).files);
      assert.deepEqual(await found("**/*.ts"), ["/a.ts", "/src/b.ts", "/src/deep/c.ts", "/srcs/e.ts"]);
      assert.deepEqual(await found("*.ts"), ["/a.ts"]);
      assert.deepEqual(await found("src/*.ts"), ["/src/b.ts"]);
      assert.deepEqual(await found("**/*.ts", "/src"), ["/src/b.ts", "/src/deep/c.ts"]);
      assert.deepEqual(await found("**/*.{md,txt}"), ["/src/deep/d.md"]);
    },
  },
  {
    name: "grep is literal, and tells the path, the line counted from 1 and its text",
    async test(backend) {
      await seed(backend, TREE);
      const { matches = [], error } = await backend.grep("find me(");
      assert.equal(error, undefined);
      assert.deepEqual(matches.map(({ path, line, text }) => `${path}:${line}:${text.trimEnd()}`).sort(), [
        "/a.ts:2:find me(",
        "/src/b.ts:1:find me(",
        "/src/deep/d.md:1:find me( here",
      ]);
      assert.deepEqual((await backend.grep(".*")).matches, []);
    },
  },
  {
    name: "grep keeps to a directory and to the names of files that it is given",
    async test(backend) {
      await seed(backend, TREE);
      assert.deepEqual(paths((await backend.grep("find me(", "/src")).matches), [
        "/src/b.ts",
        "/src/deep/d.md",
      ]);
      assert.deepEqual(paths((await backend.grep("find me(", "/", "*.md")).matches), ["/src/deep/d.md"]);
      assert.deepEqual(paths((await backend.grep("x", "/src", "*.ts")).matches), ["/src/deep/c.ts"]);
    },
  },
  {
    name: "a directory is not the one whose name it begins",
    async test(backend) {
      await seed(backend, TREE);
      assert.deepEqual(paths((await backend.glob("**/*.ts", "/srcs")).files), ["/srcs/e.ts"]);
      assert.deepEqual(paths((await backend.grep("x", "/src/deep")).matches), ["/src/deep/c.ts"]);
    },
  },
  {
    name: "whatever ls, glob and grep name can be read under that name",
    async test(backend) {
      await seed(backend, {
        "/odd names/a b.txt": "find\n",
        "/odd names/ü$&.txt": "find\n",
        "/..x": "find\n",
      });
      const named = [
        ...((await backend.ls("/odd names")).files ?? []),
        ...((await backend.glob("**/*.txt")).files ?? []),
        ...((await backend.grep("find")).matches ?? []),
      ].map(({ path }) => path);
      assert.equal(new Set(named).size, 3, `named: ${[...new Set(named)].join(", ")}`);
      for (const path of named) {
        const { error, content } = await backend.read(path);
        assert.equal(error, undefined, `${path}: ${error}`);
        assert.equal(String(content).trimEnd(), "find");
      }
    },
  },
];
