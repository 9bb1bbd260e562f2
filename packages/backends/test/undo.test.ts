import { spawn } from "node:child_process";
import { chmod, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FreshnessLedger, withFreshness, withRights, withUndo, WorkspaceBackend } from "../src/index.js";
import { rootWith, snapshot, temporary } from "./support.js";

const OLD = { "a.txt": "old a\n", "d/x.txt": "old x\n", "d/e/y.txt": "old y\n" };

const setUp = async (
  files: Record<string, string | Uint8Array> = OLD,
  options: { maxBytes?: number } = {},
) => {
  const root = await rootWith(files);
  const directory = await temporary();
  const plain = new WorkspaceBackend({ root, fsync: false, mount: "/w" });
  const run = (runId: string) => withUndo(plain, { directory, runId, ...options });
  return { root, directory, plain, run };
};

describe("undo", () => {
  it("restores contents, permission bits, deleted directories and renames of a run", async () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, n) => n % 256);
    const { root, run } = await setUp({ ...OLD, "b.bin": bytes, "tool.sh": "#!/bin/sh\n" });
    await chmod(path.join(root, "tool.sh"), 0o755);
    const before = await snapshot(root);
    const files = run("1");
    await files.edit("/a.txt", "old", "new");
    await files.edit("/a.txt", "new", "newer");
    await files.write("/made/up.txt", "x");
    await files.delete("/d");
    await files.uploadFiles?.([["/b.bin", Buffer.from("other")]]);
    await files.commit?.([
      { kind: "rename", path: "/tool.sh", to: "/bin/tool" },
      { kind: "write", path: "/bin/tool", content: "#!/bin/bash\n", mode: 0o700 },
    ]);
    const result = await files.undo({ run: "1" });
    expect(result.refused).toEqual([]);
    expect([...result.restored].sort()).toEqual(
      [
        "/w/a.txt",
        "/w/b.bin",
        "/w/bin/tool",
        "/w/d/e/y.txt",
        "/w/d/x.txt",
        "/w/made/up.txt",
        "/w/tool.sh",
      ].sort(),
    );
    expect(await snapshot(root)).toEqual(before);
    expect((await stat(path.join(root, "tool.sh"))).mode & 0o777).toBe(0o755);
    expect(await files.undo({ run: "1" })).toEqual({ restored: [], unchanged: [], refused: [] });
  });

  it("takes back the last step, and the one before it the next time", async () => {
    const { root, run } = await setUp();
    const files = run("1");
    await files.edit("/a.txt", "old", "one");
    await files.edit("/a.txt", "one", "two");
    await run("2").write("/other.txt", "of another run");
    expect((await files.undo({ lastStep: true })).restored).toEqual(["/w/a.txt"]);
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("one a\n");
    await files.undo({ lastStep: true });
    expect(await snapshot(root)).toEqual({ ...OLD, "other.txt": "of another run" });
  });

  it("leaves what the user has changed since, says so, and restores the rest", async () => {
    const { root, run } = await setUp();
    const files = run("1");
    await files.edit("/a.txt", "old", "new");
    await files.write("/d/x.txt", "new x\n");
    await writeFile(path.join(root, "a.txt"), "typed by hand\n");
    const result = await files.undo({ run: "1" });
    expect(result).toMatchObject({
      restored: ["/w/d/x.txt"],
      refused: [{ file: "/w/a.txt", why: expect.stringContaining("changed since") }],
    });
    expect(await snapshot(root)).toEqual({ ...OLD, "a.txt": "typed by hand\n" });
  });

  it("leaves what the user has changed between two changes of the agent", async () => {
    const { root, run } = await setUp();
    const files = run("1");
    await files.edit("/a.txt", "old", "new");
    await writeFile(path.join(root, "a.txt"), "new a\nand typed\n");
    await files.edit("/a.txt", "new", "newer");
    expect(await files.undo({ run: "1" })).toMatchObject({
      restored: [],
      refused: [{ file: "/w/a.txt", why: expect.stringContaining("between") }],
    });
    expect((await files.undo({ lastStep: true })).restored).toEqual(["/w/a.txt"]);
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("new a\nand typed\n");
  });

  it("says what it could not keep: links, and contents for which there was no room", async () => {
    const { root, run } = await setUp({ ...OLD, "big.txt": "b".repeat(5_000) }, { maxBytes: 2_000 });
    await symlink("x.txt", path.join(root, "d/link"));
    const files = run("1");
    await files.delete("/d");
    await files.write("/big.txt", "small");
    const { restored, refused } = await files.undo({ run: "1" });
    expect([...restored].sort()).toEqual(["/w/d/e/y.txt", "/w/d/x.txt"]);
    expect(refused).toEqual([
      { file: "/w/big.txt", why: expect.stringContaining("too large") },
      { file: expect.stringContaining("/w/d/"), why: expect.stringContaining("1 links") },
    ]);
  });

  it("drops the oldest runs when there is no room, never the one under way", async () => {
    const { run, directory } = await setUp(
      { "1": "1".repeat(900), "2": "2".repeat(900), "3": "3".repeat(900) },
      { maxBytes: 2_000 },
    );
    for (const name of ["1", "2", "3"]) await run(name).write(`/${name}`, "changed");
    expect((await run("1").undo({ run: "1" })).restored).toEqual([]);
    expect((await run("3").undo({ run: "3" })).restored).toEqual(["/w/3"]);
    expect((await run("2").undo({ run: "2" })).restored).toEqual(["/w/2"]);
    const kept = await readdir(path.join(directory, "contents"));
    // Two of the three, and what the undo has taken away.
    expect(kept).toHaveLength(3);
  });

  it("works under a ledger and under rights, and refuses a backend that cannot be held", async () => {
    const { plain, directory, root } = await setUp();
    const ledger = new FreshnessLedger();
    const files = withUndo(withFreshness(plain, { ledger, agent: "x" }), { directory });
    const docs = withRights(files, {
      covers: (access) => "read" in access || access.write.startsWith("/d/"),
    });
    expect(await docs.write("/a.txt", "x")).toMatchObject({ errorKind: "denied" });
    expect((await docs.write("/d/x.txt", "new")).error).toBeUndefined();
    expect((await files.undo({ run: "" })).restored).toEqual(["/w/d/x.txt"]);
    expect(await snapshot(root)).toEqual(OLD);
    const { guarded: _, ...unguarded } = files;
    expect(() => withUndo(unguarded as never, { directory })).toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
  });

  it("gives back whatever a run of changes has made of the files", { timeout: 60_000 }, async () => {
    const name = fc.constantFrom("/a.txt", "/d/x.txt", "/d/e/y.txt", "/n.txt", "/d/n.txt");
    const step = fc.oneof(
      fc.record({ kind: fc.constant("write" as const), path: name, content: fc.string({ maxLength: 5 }) }),
      fc.record({ kind: fc.constant("delete" as const), path: fc.oneof(name, fc.constant("/d")) }),
      fc.record({ kind: fc.constant("rename" as const), path: name, to: name }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { root, run } = await setUp();
        const files = run("1");
        for (const each of steps) {
          if (each.kind === "delete") await files.delete(each.path);
          else await files.commit?.([each]);
        }
        expect((await files.undo({ run: "1" })).refused).toEqual([]);
        expect(await snapshot(root)).toEqual(OLD);
      }),
      { numRuns: 60 },
    );
  });

  it.each(["change", "undo"])(
    "is right after a kill at any step of a %s",
    { timeout: 300_000 },
    async (what) => {
      const worker = path.join(import.meta.dirname, "workers/undo.mjs");
      const killedAt = async (nth: number): Promise<boolean> => {
        const [root, directory] = [await rootWith(OLD), await temporary()];
        const child = spawn(process.execPath, [worker, what, root, directory, String(nth)], {
          stdio: "ignore",
        });
        const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
        const files = withUndo(new WorkspaceBackend({ root }), { directory });
        await files.read("/a.txt");
        const between = await snapshot(root);
        // Each file is the old one, the new one, or gone: never half of one.
        for (const [file, content] of Object.entries(between))
          if (!file.includes(".fiveseam-"))
            expect([`new a\n`, "new\n", ...Object.values(OLD)]).toContain(content);
        if (what === "undo") expect(["new a\n", "old a\n"]).toContain(between["a.txt"]);
        const { refused } = await files.undo({ run: "run" });
        expect({ nth, refused }).toEqual({ nth, refused: [] });
        // A lock of the process that is gone is broken by the next change.
        await files.write("/after.txt", "x");
        const { "after.txt": _, ...found } = await snapshot(root);
        expect({ nth, found }).toEqual({ nth, found: OLD });
        return code === 0;
      };
      const stride = Number(process.env["UNDO_STRIDE"] ?? 11);
      for (let nth = 1, done = false; !done; nth += 2 * stride)
        done = (await Promise.all([killedAt(nth), killedAt(nth + stride)])).includes(true);
    },
  );

  it("brings back what it can when a file stands in its own way", async () => {
    const { root, run } = await setUp();
    const files = run("1");
    await files.delete("/d");
    await files.delete("/a.txt");
    await writeFile(path.join(root, "d"), "in the way");
    const { restored, refused, error } = await files.undo({ run: "1" });
    expect(error).toBeUndefined();
    expect(restored).toEqual(["/w/a.txt"]);
    expect(refused.map(({ file }) => file).sort()).toEqual(["/w/d/e/y.txt", "/w/d/x.txt"]);
  });

  it("is not final: what it took away is kept, and comes back", async () => {
    const { root, run } = await setUp();
    const files = run("1");
    await files.edit("/a.txt", "old", "new");
    await files.write("/n.txt", "made\n");
    const undone = await files.undo({ run: "1" });
    expect(await snapshot(root)).toEqual(OLD);
    expect(await files.undo({ lastStep: true })).toMatchObject({ restored: [] });
    const again = await files.undo({ run: undone.redo ?? "" });
    expect([...again.restored].sort()).toEqual(["/w/a.txt", "/w/n.txt"]);
    expect(await snapshot(root)).toEqual({ ...OLD, "a.txt": "new a\n", "n.txt": "made\n" });
  });
});
