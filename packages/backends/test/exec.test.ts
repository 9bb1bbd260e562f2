import { execFile } from "node:child_process";
import { appendFile, chmod, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  bracketExec,
  FreshnessLedger,
  withFreshness,
  withReview,
  withUndo,
  WorkspaceBackend,
  type BracketOptions,
} from "../src/index.js";
import { rootWith, temporary } from "./support.js";

const FILES = { "a.txt": "a\n", "b.txt": "b\n", "d/c.txt": "c\n", ".gitignore": "out/\n", "out/old.js": "1" };

const setUp = async (options: BracketOptions = {}, files: Record<string, string | Uint8Array> = FILES) => {
  const root = await rootWith(files);
  const ledger = new FreshnessLedger();
  const plain = new WorkspaceBackend({ root, fsync: false, mount: "/w" });
  const undoable = withUndo(withFreshness(plain, { ledger, agent: "tester" }), {
    directory: await temporary(),
    runId: "r",
  });
  const bracket = bracketExec(undoable, options);
  const shell = (command: string) => bracket(() => promisify(execFile)("sh", ["-c", command], { cwd: root }));
  const text = (name: string) => readFile(path.join(root, name), "utf8").catch(() => undefined);
  return { root, plain, undoable, bracket, shell, text };
};

const NONE = { created: [], changed: [], deleted: [], unkept: [], incomplete: false };

describe("bracketExec", () => {
  it("finds what a command made, changed, deleted and moved, and undo takes it back", async () => {
    const { root, shell, undoable, text } = await setUp();
    await chmod(path.join(root, "b.txt"), 0o755);
    const { changes } = await shell(
      "echo more >> a.txt; rm -r d; mkdir n; echo n > n/new.txt; mv b.txt moved.txt; mkdir -p out; echo x > out/x.js",
    );
    expect(changes).toEqual({
      created: ["/w/moved.txt", "/w/n/new.txt"],
      changed: ["/w/a.txt"],
      deleted: ["/w/b.txt", "/w/d/c.txt"],
      unkept: [],
      incomplete: false,
    });
    const { restored, refused } = await undoable.undo({ run: "r" });
    expect(refused).toEqual([]);
    expect(restored).toHaveLength(5);
    expect([
      await text("a.txt"),
      await text("b.txt"),
      await text("d/c.txt"),
      await text("n/new.txt"),
    ]).toEqual(["a\n", "b\n", "c\n", undefined]);
    expect((await stat(path.join(root, "b.txt"))).mode & 0o777).toBe(0o755);
    // Ignored: neither kept nor touched.
    expect(await text("out/x.js")).toBe("x\n");
  });

  it("says nothing of a command that changes nothing, or only times, or what is ignored", async () => {
    const { root, shell, bracket } = await setUp();
    expect((await shell("cat a.txt; echo 2 > out/old.js")).changes).toEqual(NONE);
    const touched = await bracket(() => utimes(path.join(root, "a.txt"), new Date(), new Date(0)));
    expect(touched.changes).toEqual(NONE);
    expect((await shell("chmod +x a.txt")).changes.changed).toEqual(["/w/a.txt"]);
  });

  it("lets a stale change be refused, naming the command", async () => {
    const { undoable, shell } = await setUp();
    await undoable.read("/a.txt");
    await shell("echo changed > a.txt");
    expect(await undoable.edit("/a.txt", "changed", "x")).toMatchObject({
      errorKind: "stale",
      error: expect.stringContaining("a command of tester"),
    });
  });

  it("does not write down twice what was changed through the backend while the command ran", async () => {
    const { undoable, bracket, text } = await setUp();
    const { changes } = await bracket(async () => {
      await undoable.edit("/a.txt", "a", "one");
      await undoable.edit("/a.txt", "one", "two");
    });
    expect(changes.changed).toEqual(["/w/a.txt"]);
    expect(await undoable.undo({ run: "r" })).toMatchObject({ restored: ["/w/a.txt"], refused: [] });
    expect(await text("a.txt")).toBe("a\n");
  });

  it("takes nothing that was there before for new when .gitignore changes, nor what is ignored now for deleted", async () => {
    const { root, bracket, undoable, text } = await setUp();
    const old = new Date(Date.now() - 60_000);
    await utimes(path.join(root, "out/old.js"), old, old);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const { changes } = await bracket(() => writeFile(path.join(root, ".gitignore"), "d/\n"));
    expect(changes).toEqual({ ...NONE, changed: ["/w/.gitignore"] });
    await undoable.undo({ run: "r" });
    expect(await text("out/old.js")).toBe("1");
    expect(await text("d/c.txt")).toBe("c\n");
  });

  it("takes nothing away that was moved in from where it did not look", async () => {
    const { root, shell, undoable, text } = await setUp();
    await writeFile(path.join(root, "../thesis.txt"), "years\n");
    await new Promise((resolve) => setTimeout(resolve, 120));
    const { changes } = await shell("mv ../thesis.txt . && mv out/old.js shared.js");
    expect(changes).toMatchObject({
      created: ["/w/shared.js", "/w/thesis.txt"],
      unkept: ["/w/shared.js", "/w/thesis.txt"],
    });
    await undoable.undo({ run: "r" });
    expect([await text("thesis.txt"), await text("shared.js")]).toEqual(["years\n", "1"]);
  });

  it("keeps what the user had written over the agent's change, and a command then overwrote", async () => {
    const { root, shell, undoable, text } = await setUp();
    await undoable.write("/a.txt", "agent\n");
    await writeFile(path.join(root, "a.txt"), "user\n");
    await shell("echo agent > a.txt");
    await undoable.undo({ lastStep: true });
    expect(await text("a.txt")).toBe("user\n");
  });

  it("says what was too large to be kept, and refuses to undo it", async () => {
    const { shell, undoable } = await setUp(
      { maxFileBytes: 10 },
      { "big.txt": "0123456789abcdef", "a.txt": "a" },
    );
    const { changes } = await shell("echo x > big.txt; echo x > a.txt");
    expect(changes).toMatchObject({ changed: ["/w/a.txt", "/w/big.txt"], unkept: ["/w/big.txt"] });
    expect(await undoable.undo({ run: "r" })).toMatchObject({
      restored: ["/w/a.txt"],
      refused: [{ file: "/w/big.txt" }],
    });
  });

  it("keeps no more in memory than it may, and says when it could not look at all", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, "12345"]));
    const small = await setUp({ maxBytes: 50 }, many);
    const { changes } = await small.shell("for f in *.txt; do echo x > $f; done");
    expect(changes.changed).toHaveLength(30);
    expect(changes.unkept).toHaveLength(20);
    const few = await setUp({ maxFiles: 10 }, many);
    const result = await few.shell("rm *.txt; echo x > 0.txt");
    expect(result.changes.incomplete).toBe(true);
    expect(result.changes.created).toEqual([]);
  });

  it("reads again only what has changed from one command to the next", async () => {
    const { root, shell, undoable, text } = await setUp();
    await shell("true");
    await appendFile(path.join(root, "a.txt"), "by the user\n");
    const { changes } = await shell("echo x > b.txt");
    expect(changes.changed).toEqual(["/w/b.txt"]);
    await shell("echo y > a.txt");
    await undoable.undo({ lastStep: true });
    expect(await text("a.txt")).toBe("a\nby the user\n");
    await rename(path.join(root, "a.txt"), path.join(root, "z.txt"));
    await rm(path.join(root, "d"), { recursive: true });
    await mkdir(path.join(root, "e"));
    expect((await shell("true")).changes).toEqual(NONE);
  });

  it("records what a command did before it failed", async () => {
    const { shell, undoable, text } = await setUp();
    await expect(shell("echo x > a.txt; exit 3")).rejects.toThrow("exit 3");
    expect(await undoable.undo({ run: "r" })).toMatchObject({ restored: ["/w/a.txt"] });
    expect(await text("a.txt")).toBe("a\n");
  });

  it("works through a review, and refuses what cannot be looked at", async () => {
    const { undoable, root } = await setUp();
    const bracket = bracketExec(withReview(undoable, { approve: () => ({ type: "reject" }) }));
    const { changes } = await bracket(() => writeFile(path.join(root, "a.txt"), "x"));
    expect(changes.changed).toEqual(["/w/a.txt"]);
    expect(await undoable.undo({ run: "r" })).toMatchObject({ restored: ["/w/a.txt"] });
    expect(() => bracketExec({ guarded: true } as never)).toThrow(/looked at/);
  });
});
