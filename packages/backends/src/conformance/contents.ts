import assert from "node:assert/strict";
import { refuses, seed, textOf, type Draft } from "./conformance-case.js";

const LINES = Array.from({ length: 25 }, (_, n) => `line ${n + 1}`);

/** Writing, reading and editing. */
export const contentDrafts: readonly Draft[] = [
  {
    name: "what is written is read, to the last newline",
    async test(backend) {
      for (const [n, content] of ["a\nb\n", "no newline", "\n\n", "ünïcödé 😀\n", "tab\there\n"].entries()) {
        const path = `/f${n}.txt`;
        await seed(backend, { [path]: content });
        assert.equal(await textOf(backend, path), content);
      }
      const { content, error } = await backend.read("/f0.txt");
      assert.equal(error, undefined);
      assert.equal(String(content).trimEnd(), "a\nb");
    },
  },
  {
    name: "a write makes the directories on the way, and replaces the whole of a file",
    async test(backend) {
      await seed(backend, { "/deep/er/f.txt": "a long first content\n" });
      await seed(backend, { "/deep/er/f.txt": "short" });
      assert.equal(await textOf(backend, "/deep/er/f.txt"), "short");
    },
  },
  {
    name: "an empty file is a file",
    async test(backend) {
      await seed(backend, { "/empty.txt": "" });
      assert.equal(await textOf(backend, "/empty.txt"), "");
      assert.equal((await backend.read("/empty.txt")).error, undefined);
    },
  },
  {
    name: "a file that is not there is an error, and not an exception",
    async test(backend) {
      await refuses("read", () => backend.read("/missing.txt"));
      await refuses("readRaw", () => backend.readRaw("/missing.txt"));
      await refuses("edit", () => backend.edit("/missing.txt", "a", "b"));
      assert.equal((await backend.glob("**/missing.txt")).files?.length, 0);
    },
  },
  {
    name: "pages are the lines that were asked for",
    async test(backend) {
      await seed(backend, { "/f.txt": `${LINES.join("\n")}\n` });
      const page = await backend.read("/f.txt", 10, 5);
      assert.equal(String(page.content).trimEnd(), LINES.slice(10, 15).join("\n"));
      const last = await backend.read("/f.txt", 20, 500);
      assert.equal(String(last.content).trimEnd(), LINES.slice(20).join("\n"));
      const { totalLines, nextOffset } = page as { totalLines?: number; nextOffset?: number };
      if (totalLines !== undefined) assert.ok(totalLines === 25 || totalLines === 26, `${totalLines} lines`);
      if (nextOffset !== undefined) assert.equal(nextOffset, 15);
      await refuses("an offset behind the end", () => backend.read("/f.txt", 1_000, 5));
    },
  },
  {
    name: "an edit replaces the one place, and says how many",
    async test(backend) {
      await seed(backend, { "/f.txt": "one two\nthree\n" });
      const { error, occurrences } = await backend.edit("/f.txt", "two", "2");
      assert.equal(error, undefined);
      assert.equal(occurrences, 1);
      assert.equal(await textOf(backend, "/f.txt"), "one 2\nthree\n");
    },
  },
  {
    name: "an edit that finds nothing, or several places, changes nothing and is an error",
    async test(backend) {
      await seed(backend, { "/f.txt": "same same\n" });
      await refuses("no place", () => backend.edit("/f.txt", "other", "x"));
      await refuses("two places", () => backend.edit("/f.txt", "same", "x"));
      assert.equal(await textOf(backend, "/f.txt"), "same same\n");
      const { error, occurrences } = await backend.edit("/f.txt", "same", "x", true);
      assert.equal(error, undefined);
      assert.equal(occurrences, 2);
      assert.equal(await textOf(backend, "/f.txt"), "x x\n");
    },
  },
  {
    name: "an empty text to replace is an error where the file is not empty",
    async test(backend) {
      await seed(backend, { "/f.txt": "abc" });
      await refuses("edit", () => backend.edit("/f.txt", "", "x"));
      assert.equal(await textOf(backend, "/f.txt"), "abc");
    },
  },
  {
    name: "text is taken as it is: no regular expression in what is looked for, no $& in what is put in",
    async test(backend) {
      await seed(backend, { "/f.txt": "f(x) + axb\n" });
      assert.equal((await backend.edit("/f.txt", "f(x)", "$& $1 $$ \\n")).error, undefined);
      await refuses("a.b", () => backend.edit("/f.txt", "a.b", "y"));
      assert.equal(await textOf(backend, "/f.txt"), "$& $1 $$ \\n + axb\n");
    },
  },
  {
    name: "of two edits of one file at the same time none is lost",
    needs: ["concurrent-edits"],
    async test(backend) {
      await seed(backend, { "/f.txt": "one\ntwo\n" });
      const results = await Promise.all([
        backend.edit("/f.txt", "one", "1"),
        backend.edit("/f.txt", "two", "2"),
      ]);
      const text = (await textOf(backend, "/f.txt")) ?? "";
      assert.equal(text.includes("1"), results[0]?.error === undefined, `the first edit is lost: ${text}`);
      assert.equal(text.includes("2"), results[1]?.error === undefined, `the second edit is lost: ${text}`);
    },
  },
  {
    name: "a path that names nothing here is an error, and makes nothing",
    async test(backend) {
      for (const path of ["/../outside.txt", "/a/../../outside.txt", "/nul\0.txt"]) {
        await refuses(`write ${JSON.stringify(path)}`, () => backend.write(path, "x"));
        await refuses(`read ${JSON.stringify(path)}`, () => backend.read(path));
      }
      assert.deepEqual((await backend.glob("**/*")).files, []);
    },
  },
];
