import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkspaceBackend } from "../src/index.js";

const PIECES = ["nee", "dle", "needle", "\n", "\r\n", "é", "日本", "x".repeat(700), "\0", " "];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(""));
const content = fc.oneof(
  text.map((each) => Buffer.from(each)),
  text.map((each) => Buffer.from(`\ufeff${each}`)),
  text.map((each) => Buffer.from(`\ufeff${each}`, "utf16le")),
  text.map((each) => Buffer.from(each, "latin1")),
  fc.constant(Buffer.alloc(0)),
  // More than is read at once.
  text.map((each) => Buffer.from(`${"0".repeat(1_100_000)}${each}`)),
);
const name = fc.constantFrom("a", "b.txt", "dir/a", "dir/b", "dir.txt", "dir/sub/c", "z");
const tree = fc.dictionary(name, content, { maxKeys: 6 });
const pattern = fc.constantFrom("needle", "é", "日本", "dle\nnee", "\n", "dle\r\n", "xxxneedle", "e");

const inTree = async <T>(
  files: Readonly<Record<string, Buffer>>,
  work: (backend: WorkspaceBackend) => Promise<T>,
): Promise<T> => {
  const root = mkdtempSync(path.join(tmpdir(), "searching-"));
  try {
    for (const [file, bytes] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(root, file), bytes);
    }
    return await work(new WorkspaceBackend({ root }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

describe("a search of a tree", () => {
  it("finds what a search of each of its files finds, whatever they hold and however they are stored", async () => {
    await fc.assert(
      fc.asyncProperty(tree, pattern, async (files, wanted) => {
        await inTree(files, async (backend) => {
          const { files: all = [] } = await backend.glob("**/*");
          expect(all).toHaveLength(Object.keys(files).length);
          const byFile = new Map<string, unknown[]>();
          for (const { path: file } of all) {
            const { matches = [] } = await backend.grep(wanted, file);
            if (matches.length > 0) byFile.set(file, matches);
          }
          const { matches = [] } = await backend.grep(wanted, "/");
          const found = new Map<string, unknown[]>();
          for (const match of matches) found.set(match.path, [...(found.get(match.path) ?? []), match]);
          expect([...found.entries()].sort()).toEqual([...byFile.entries()].sort());
        });
      }),
      { numRuns: 150 },
    );
  });

  it("finds a text in no file that only begins in one and ends in the next", async () => {
    const files = { a: "nee", b: "dle", c: "dle needle nee", d: "", e: "dle" };
    const buffers = Object.fromEntries(
      Object.entries(files).map(([file, each]) => [file, Buffer.from(each)]),
    );
    await inTree(buffers, async (backend) => {
      const { matches } = await backend.grep("needle", "/");
      expect(matches?.map(({ path: file }) => file)).toEqual(["/c"]);
    });
  });

  it("takes the files in the order of their names, a directory where its name is", async () => {
    const files = Object.fromEntries(
      ["b/x", "a", "c", "b.txt", "b/a/deep"].map((file) => [file, Buffer.from("needle\n")]),
    );
    await inTree(files, async (backend) => {
      const { matches, truncated } = await backend.grep("needle", "/", null, 4);
      expect(matches?.map(({ path: file }) => file)).toEqual(["/a", "/b/a/deep", "/b/x", "/b.txt"]);
      expect(truncated).toBe(true);
    });
  });
});
