import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FreshnessLedger,
  withFreshness,
  withReview,
  withRights,
  withUndo,
  WorkspaceBackend,
  type Proposal,
  type ReviewDecision,
} from "../src/index.js";
import { rootWith, temporary } from "./support.js";

const OLD = { "a.txt": "one\ntwo\nthree\n", "d/x.txt": "x\n", "d/e/y.txt": "y\n" };

const setUp = async (
  decide: (proposal: Proposal) => ReviewDecision | Promise<ReviewDecision> = () => ({ type: "approve" }),
  files: Record<string, string | Uint8Array> = OLD,
) => {
  const root = await rootWith(files);
  const asked: Proposal[] = [];
  const plain = new WorkspaceBackend({ root, fsync: false, mount: "/w" });
  const reviewed = withReview(plain, {
    approve(proposal) {
      asked.push(proposal);
      return decide(proposal);
    },
  });
  const text = (name: string) => readFile(path.join(root, name), "utf8").catch(() => undefined);
  return { root, asked, plain, reviewed, text };
};

const rejected = (): ReviewDecision => ({ type: "reject", reason: "Not today." });

describe("review", () => {
  it("asks before each kind of change with what it would do, and then does it", async () => {
    const { asked, reviewed, text } = await setUp();
    await reviewed.edit("/a.txt", "two", "2");
    await reviewed.write("/new.txt", "n\n");
    await reviewed.delete("/d");
    await reviewed.commit?.([
      { kind: "rename", path: "/a.txt", to: "/b.txt" },
      { kind: "write", path: "/c.txt", content: "c\n" },
    ]);
    await reviewed.uploadFiles?.([
      ["/1.bin", Uint8Array.of(0, 1)],
      ["/2.bin", Uint8Array.of(0, 2)],
    ]);
    expect(asked.map(({ files }) => files.map(({ file, kind }) => `${kind} ${file}`))).toEqual([
      ["change /w/a.txt"],
      ["create /w/new.txt"],
      ["delete /w/d/e/y.txt", "delete /w/d/x.txt"],
      ["delete /w/a.txt", "create /w/b.txt", "create /w/c.txt"],
      ["create /w/1.bin"],
      ["create /w/2.bin"],
    ]);
    expect(asked[0]?.files[0]?.diff).toContain("-two\n+2\n");
    expect(asked[4]?.files[0]?.diff).toBeUndefined();
    expect(await text("b.txt")).toBe("one\n2\nthree\n");
    expect(await text("new.txt")).toBe("n\n");
    expect(await text("d/x.txt")).toBeUndefined();
    expect(await text("2.bin")).toBe("\0\x02");
  });

  it("changes nothing that was rejected, in any way, and tells the reason", async () => {
    const { reviewed, asked, text } = await setUp(rejected);
    const results = [
      await reviewed.edit("/a.txt", "two", "2"),
      await reviewed.write("/a.txt", "n\n"),
      await reviewed.write("/deep/new.txt", "n\n"),
      await reviewed.delete("/d"),
      await reviewed.commit?.([{ kind: "delete", path: "/a.txt" }]),
    ];
    for (const result of results)
      expect(result).toMatchObject({ errorKind: "denied", error: expect.stringContaining("Not today.") });
    expect(await reviewed.uploadFiles?.([["/a.txt", Uint8Array.of(1)]])).toEqual([
      { path: "/a.txt", error: "permission_denied" },
    ]);
    expect(asked).toHaveLength(6);
    for (const [name, content] of Object.entries(OLD)) expect(await text(name)).toBe(content);
    expect((await reviewed.ls("/")).files?.map((file) => file.path)).toEqual(["/a.txt", "/d/"]);
  });

  it("does not ask about what fails anyway, or changes nothing", async () => {
    const { reviewed, asked } = await setUp();
    expect(await reviewed.edit("/a.txt", "four", "4")).toMatchObject({ errorKind: "not_found" });
    expect(await reviewed.write("/.git/config", "")).toMatchObject({ errorKind: "denied" });
    expect(await reviewed.edit("/a.txt", "two", "two")).not.toHaveProperty("error");
    expect(asked).toEqual([]);
  });

  it("asks about some changes only, and makes the others at once", async () => {
    const { plain, text, asked } = await setUp();
    const files = withReview(plain, {
      approve(proposal) {
        asked.push(proposal);
        return rejected();
      },
      when: (change) => change.files.some(({ kind }) => kind === "delete"),
    });
    expect(await files.edit("/a.txt", "two", "2")).not.toHaveProperty("error");
    expect(await files.delete("/d/x.txt")).toMatchObject({ errorKind: "denied" });
    expect(await text("a.txt")).toBe("one\n2\nthree\n");
    expect(asked).toMatchObject([{ files: [{ file: "/w/d/x.txt", diff: expect.stringContaining("-x") }] }]);
  });

  it("asks again when the file has changed while somebody was deciding, and does only what was approved", async () => {
    const { root, asked, reviewed, text } = await setUp(async () => {
      if (asked.length === 1) await writeFile(path.join(root, "a.txt"), "one\ntwo\nTHREE\n");
      return { type: "approve" };
    });
    expect(await reviewed.edit("/a.txt", "two", "2")).not.toHaveProperty("error");
    expect(asked).toHaveLength(2);
    expect(asked[1]?.files[0]?.diff).toContain(" THREE\n");
    expect(await text("a.txt")).toBe("one\n2\nTHREE\n");
  });

  it("gives up on a file that never stands still", async () => {
    let n = 0;
    const { root, asked, reviewed } = await setUp(async () => {
      await writeFile(path.join(root, "a.txt"), `two ${(n += 1)}\n`);
      return { type: "approve" };
    });
    expect(await reviewed.edit("/a.txt", "two", "2")).toMatchObject({ errorKind: "conflict" });
    expect(asked).toHaveLength(3);
  });

  it("hands on what the decision throws, and leaves nothing held", async () => {
    const { reviewed, plain } = await setUp(() => {
      throw new TypeError("interrupted");
    });
    await expect(reviewed.write("/a.txt", "x")).rejects.toThrow("interrupted");
    expect(await plain.write("/a.txt", "x")).not.toHaveProperty("error");
  });

  it("shows what a link leads to, not the link", async () => {
    const { root, reviewed, asked } = await setUp();
    await symlink("d", path.join(root, "link"));
    await reviewed.edit("/link/x.txt", "x", "z");
    expect(asked[0]?.files[0]?.file).toBe("/w/d/x.txt");
  });

  it("asks anew when a link that would go leads elsewhere by then", async () => {
    const { root, asked, reviewed } = await setUp(async () => {
      if (asked.length === 1) {
        await rm(path.join(root, "d/link"));
        await symlink("../a.txt", path.join(root, "d/link"));
      }
      return { type: "approve" };
    });
    await symlink("x.txt", path.join(root, "d/link"));
    expect(await reviewed.delete("/d")).not.toHaveProperty("error");
    expect(asked.map(({ others }) => others)).toEqual([["/w/d/link -> x.txt"], ["/w/d/link -> ../a.txt"]]);
  });

  it("shows no more diffs than anybody reads", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`d/${n}.txt`, "x\n".repeat(2_000)]),
    );
    const { asked, reviewed } = await setUp(rejected, many);
    await reviewed.delete("/d");
    expect(asked[0]?.files).toHaveLength(300);
    expect(JSON.stringify(asked[0]).length).toBeLessThan(500_000);
  });

  it("stands with rights, freshness and undo around it or in it", async () => {
    const { plain, asked, reviewed: _, ...rest } = await setUp();
    const directory = await temporary();
    const ledger = new FreshnessLedger();
    const files = withUndo(
      withReview(withFreshness(plain, { ledger, agent: "1" }), {
        approve(proposal) {
          asked.push(proposal);
          return { type: "approve" };
        },
      }),
      { directory, runId: "r" },
    );
    const narrowed = withRights(files, { covers: (access) => "read" in access || access.write === "/a.txt" });
    expect(await narrowed.write("/d/x.txt", "no")).toMatchObject({ errorKind: "denied" });
    expect(asked).toEqual([]);
    await narrowed.read("/a.txt");
    await narrowed.edit("/a.txt", "two", "2");
    expect(asked).toHaveLength(1);
    expect(await files.undo({ run: "r" })).toMatchObject({ restored: ["/w/a.txt"] });
    expect(await rest.text("a.txt")).toBe(OLD["a.txt"]);
    await writeFile(path.join(rest.root, "a.txt"), "two, by somebody\n");
    expect(await narrowed.edit("/a.txt", "two", "2")).toMatchObject({ errorKind: "stale" });
  });

  it("proposes a diff that makes the one text of the other", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "ü", "-", "+", "\\") });
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        const { asked, reviewed } = await setUp(undefined, { "a.txt": before });
        await reviewed.write("/a.txt", after);
        const [patch] = parsePatch(asked[0]?.files[0]?.diff ?? "");
        expect(patch && applyPatch(before, patch)).toBe(after);
      }),
      { numRuns: 60 },
    );
  });

  it("refuses a backend that cannot be held, and a decision that is none", async () => {
    const { plain } = await setUp();
    expect(() => withReview({} as never, { approve: rejected })).toThrow(/guarded/);
    expect(() => withReview(plain, {} as never)).toThrow(/approve/);
  });
});
