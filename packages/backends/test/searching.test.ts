import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { WorkspaceBackend } from "../src/index.js";
import { wantedOf } from "../src/workspace/grep-file.js";
import { scanHere } from "../src/workspace/scan-files.js";
import { askHelper, startHelpers } from "../src/workspace/scan-helpers.js";

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
  work: (backend: WorkspaceBackend, root: string) => Promise<T>,
): Promise<T> => {
  const root = mkdtempSync(path.join(tmpdir(), "searching-"));
  try {
    for (const [file, bytes] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(root, file), bytes);
    }
    return await work(new WorkspaceBackend({ root }), root);
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

  it("answers the same whichever threads take part, in whatever state they are", async () => {
    const files: Record<string, Buffer> = {};
    for (let n = 0; n < 3_000; n += 1)
      files[`d${n % 40}/f${n}.txt`] = Buffer.from(n % 150 === 0 ? `x\nneedle ${n}\n` : `nee\ndle ${n}\n`);
    await inTree(files, async (backend) => {
      const expected = Object.keys(files)
        .filter((file) => files[file]?.includes("needle"))
        .map((file) => `/${file}`)
        .sort();
      // Before the helpers have started, while they start, when they are there, and several at once.
      for (let round = 0; round < 8; round += 1) {
        const results = await Promise.all([
          backend.grep("needle", "/"),
          backend.grep("needle", "/", "*.txt", 5),
        ]);
        const [all, some] = results.map(({ matches = [] }) => matches.map(({ path: file }) => file));
        expect(all).toEqual(expected);
        expect(some).toEqual(expected.slice(0, 5));
        expect(results[1].truncated).toBe(true);
      }
    });
  });

  it("is helped by threads that find what this one finds", async () => {
    if (availableParallelism() < 2) return;
    const files = { a: "needle", b: "nee", c: "other", d: "", e: "x needle x", f: "\ufeffneedle" };
    await inTree(
      Object.fromEntries(Object.entries(files).map(([file, each]) => [file, Buffer.from(each)])),
      async (_, root) => {
        const wanted = wantedOf("needle");
        const names = [...Object.keys(files), "missing"];
        startHelpers();
        const { bytes, ascii } = wanted;
        const found = await vi.waitFor(
          async () => {
            const answer = askHelper({ directory: root, names, bytes, ascii });
            expect(answer).toBeDefined();
            return answer;
          },
          { timeout: 20_000 },
        );
        expect(found).toEqual([0, 4, 5, 6]);
        expect(scanHere(wanted)(root, names)).toEqual(found);
      },
    );
  });
});
