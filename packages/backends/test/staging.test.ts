import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FreshnessLedger,
  withFreshness,
  withRights,
  withStaging,
  withUndo,
  WorkspaceBackend,
  type GuardedBackend,
} from "../src/index.js";
import { rootWith, snapshot, temporary } from "./support.js";

const TEXT = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join("");
const FILES = { "a.txt": TEXT, "b.txt": "b\n", "d/c.txt": "c\n" };

const setUp = async (
  files: Record<string, string | Uint8Array> = FILES,
  around: (base: GuardedBackend) => GuardedBackend = (base) => base,
) => {
  const root = await rootWith(files);
  const directory = await temporary();
  const told: string[] = [];
  const make = () =>
    withStaging(around(new WorkspaceBackend({ root, fsync: false, mount: "/w" })), {
      directory,
      mount: "/w",
      onStaged: (file) => told.push(file),
    });
  const text = (name: string) => readFile(path.join(root, name), "utf8").catch(() => undefined);
  const put = (name: string, content: string) => writeFile(path.join(root, name), content);
  return { root, directory, told, make, staged: make(), text, put, before: await snapshot(root) };
};

const read = async (files: GuardedBackend, at: string) => {
  const { content, error } = await files.read(at, 0, 1_000);
  return error ?? content;
};

describe("staged changes", () => {
  it("are what the agent reads, and not on the disk until they are accepted", async () => {
    const { root, staged, told, text, before } = await setUp();
    expect(await staged.edit("/a.txt", "line 3\n", "LINE 3\n")).toMatchObject({
      occurrences: 1,
      path: "/a.txt",
    });
    await staged.write("/new/n.txt", "new\n");
    await staged.delete("/d");
    await staged.uploadFiles?.([["/bin", Uint8Array.of(0, 1, 2)]]);
    await staged.commit?.([{ kind: "rename", path: "/b.txt", to: "/moved.txt" }]);
    expect(await snapshot(root)).toEqual(before);
    expect(await read(staged, "/a.txt")).toContain("LINE 3");
    expect(await read(staged, "/new/n.txt")).toBe("new");
    expect(await staged.read("/d/c.txt")).toMatchObject({ errorKind: "not_found" });
    expect((await staged.ls("/")).files?.map((file) => file.path)).toEqual([
      "/a.txt",
      "/bin",
      "/d/",
      "/moved.txt",
      "/new/",
    ]);
    expect((await staged.glob("**/*.txt")).files?.map((file) => file.path)).toEqual([
      "/a.txt",
      "/moved.txt",
      "/new/n.txt",
    ]);
    expect((await staged.grep("LINE")).matches).toMatchObject([{ path: "/a.txt", line: 4 }]);
    expect(
      (await staged.grep("line 3\n".trim())).matches?.some(({ text: found }) => found === "line 3"),
    ).toBe(false);
    expect(told).toContain("/w/a.txt");
    expect((await staged.staged()).map(({ file, kind }) => `${kind} ${file}`)).toEqual([
      "change /w/a.txt",
      "delete /w/b.txt",
      "create /w/bin",
      "delete /w/d/c.txt",
      "create /w/moved.txt",
      "create /w/new/n.txt",
    ]);
    expect(staged.pending()).toBe(6);
    const { accepted, refused } = await staged.accept();
    expect(refused).toEqual([]);
    expect(accepted).toHaveLength(6);
    expect(await text("a.txt")).toBe(TEXT.replace("line 3\n", "LINE 3\n"));
    expect([
      await text("moved.txt"),
      await text("b.txt"),
      await text("d/c.txt"),
      await text("new/n.txt"),
    ]).toEqual(["b\n", undefined, undefined, "new\n"]);
    expect(staged.pending()).toBe(0);
    expect(await staged.staged()).toEqual([]);
  });

  it("are dropped when they are rejected, or have become what was there", async () => {
    const { root, staged, before } = await setUp();
    await staged.write("/a.txt", "x\n");
    await staged.write("/n.txt", "n\n");
    await staged.delete("/b.txt");
    expect(await staged.reject(["/w/a.txt", "/n.txt", "/nothing"])).toEqual({
      rejected: ["/w/a.txt", "/w/n.txt"],
      refused: [{ file: "/nothing", why: expect.any(String) }],
    });
    expect(await read(staged, "/a.txt")).toContain("line 3");
    expect(await staged.read("/n.txt")).toMatchObject({ errorKind: "not_found" });
    await staged.write("/b.txt", "b\n");
    expect(staged.pending()).toBe(0);
    expect(await snapshot(root)).toEqual(before);
  });

  it("survive the process, and are shared by those that have the directory", async () => {
    const { staged, make, text } = await setUp();
    await staged.edit("/a.txt", "line 3\n", "LINE 3\n");
    const other = make();
    expect(await read(other, "/a.txt")).toContain("LINE 3");
    await other.edit("/a.txt", "line 4\n", "LINE 4\n");
    await staged.accept();
    expect(await text("a.txt")).toContain("LINE 3\nLINE 4\n");
    expect(other.pending()).toBe(0);
  });

  it("are merged with what the user typed meanwhile, or stay when both changed the same lines", async () => {
    const { staged, text, put } = await setUp();
    await staged.edit("/a.txt", "line 3\n", "agent 3\n");
    await put("a.txt", TEXT.replace("line 30\n", "user 30\n"));
    expect(await staged.accept()).toEqual({ accepted: [{ file: "/w/a.txt", merged: true }], refused: [] });
    expect(await text("a.txt")).toBe(TEXT.replace("line 3\n", "agent 3\n").replace("line 30\n", "user 30\n"));

    await staged.edit("/a.txt", "line 5\n", "agent 5\n");
    await staged.write("/n.txt", "agent's\n");
    await staged.delete("/b.txt");
    await staged.edit("/d/c.txt", "c", "agent");
    const typed = ((await text("a.txt")) ?? "").replace("line 5\n", "user 5\n");
    await put("a.txt", typed);
    await put("n.txt", "user's\n");
    await put("b.txt", "user's\n");
    const { accepted, refused } = await staged.accept();
    expect(accepted).toEqual([{ file: "/w/d/c.txt", merged: false }]);
    expect(refused.map(({ file }) => file)).toEqual(["/w/a.txt", "/w/n.txt", "/w/b.txt"]);
    expect([await text("a.txt"), await text("n.txt"), await text("b.txt")]).toEqual([
      typed,
      "user's\n",
      "user's\n",
    ]);
    expect(staged.pending()).toBe(3);
  });

  it("are accepted and rejected by hunk", async () => {
    const { staged, text, put } = await setUp();
    for (const n of [2, 20, 38]) await staged.edit("/a.txt", `line ${n}\n`, `LINE ${n}\n`);
    const [change] = await staged.staged();
    expect(change?.hunks.map(({ header }) => header)).toEqual([
      "@@ -1,6 +1,6 @@",
      "@@ -18,7 +18,7 @@",
      "@@ -36,5 +36,5 @@",
    ]);
    const [one = "", two = ""] = change?.hunks.map(({ id }) => id) ?? [];
    expect(await staged.accept([{ file: "/a.txt", hunks: [two] }])).toMatchObject({ refused: [] });
    // Clicked twice: it is none of those that are left.
    expect(await staged.accept([{ file: "/a.txt", hunks: [two] }])).toMatchObject({
      accepted: [],
      refused: [{ file: "/w/a.txt" }],
    });
    expect(await text("a.txt")).toBe(TEXT.replace("line 20\n", "LINE 20\n"));
    expect((await staged.staged())[0]?.hunks).toHaveLength(2);
    await put("a.txt", `user\n${(await text("a.txt")) ?? ""}`);
    expect(await staged.reject([{ file: "/a.txt", hunks: [one] }])).toMatchObject({ rejected: ["/w/a.txt"] });
    expect(await read(staged, "/a.txt")).toContain("line 2\n");
    expect(await staged.accept()).toMatchObject({ accepted: [{ merged: true }] });
    expect(await text("a.txt")).toBe(
      `user\n${TEXT.replace("line 20\n", "LINE 20\n").replace("line 38\n", "LINE 38\n")}`,
    );
    await staged.write("/n.txt", "n\n");
    expect(await staged.accept([{ file: "/n.txt", hunks: ["1"] }])).toMatchObject({
      accepted: [],
      refused: [{ file: "/w/n.txt" }],
    });
  });

  it("are accepted only as they were shown, when the selection says so", async () => {
    const { staged, text } = await setUp();
    await staged.write("/b.txt", "harmless\n");
    const [shown] = await staged.staged();
    await staged.write("/b.txt", "another\n");
    const selection = [{ file: "/w/b.txt", hashAfter: shown?.hashAfter ?? "" }];
    expect(await staged.accept(selection)).toMatchObject({ accepted: [], refused: [{ file: "/w/b.txt" }] });
    expect(await text("b.txt")).toBe("b\n");
    await expect(staged.accept("/b.txt" as never)).rejects.toMatchObject({ code: "invalid_option" });
    expect(await staged.accept([{ file: "/b.txt", hunks: [] }])).toMatchObject({ accepted: [] });
    expect(await staged.accept(["/b.txt", { file: "/b.txt", hunks: ["1"] }])).toMatchObject({
      accepted: [{ file: "/w/b.txt" }],
      refused: [{ file: "/b.txt" }],
    });
  });

  it("of very long files are a conflict rather than a long wait", async () => {
    const many = Array.from({ length: 30_000 }, (_, n) => `line ${n % 7}\n`).join("");
    const { staged, put } = await setUp({ "m.txt": many });
    await staged.write("/m.txt", `agent\n${many}`);
    await put("m.txt", `${many}user\n`);
    const started = performance.now();
    expect(await staged.accept()).toMatchObject({ refused: [{ file: "/w/m.txt" }] });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("keep encodings, line endings and mode bits", async () => {
    const latin = Buffer.from(
      "caf\xe9 cr\xe8me br\xfbl\xe9e\r\nd\xe9j\xe0 vu, na\xefve fa\xe7ade\r\n",
      "latin1",
    );
    const { root, staged } = await setUp({ "l.txt": latin, "run.sh": "#!/bin/sh\n" });
    await chmod(path.join(root, "run.sh"), 0o755);
    await staged.edit("/l.txt", "déjà vu", "jamais vu");
    await staged.edit("/run.sh", "/bin/sh", "/bin/bash");
    await staged.commit?.([{ kind: "rename", path: "/run.sh", to: "/go.sh" }]);
    await staged.accept();
    expect((await readFile(path.join(root, "l.txt"))).toString("latin1")).toBe(
      latin.toString("latin1").replace("d\xe9j\xe0", "jamais"),
    );
    expect((await stat(path.join(root, "go.sh"))).mode & 0o777).toBe(0o755);
  });

  it("are refused where the disk would refuse the change, and a failed one leaves nothing staged", async () => {
    const { root, staged, before } = await setUp();
    await symlink("/etc", path.join(root, "out"));
    await symlink("b.txt", path.join(root, "link.txt"));
    for (const at of ["/.git/config", "/../x", "/out/x", "/d", "/x\0"])
      expect(await staged.write(at, "x"), at).toHaveProperty("errorKind");
    expect(await staged.edit("/a.txt", "nothing like it", "x")).toMatchObject({ errorKind: "not_found" });
    expect(await staged.delete("/gone")).toMatchObject({ errorKind: "not_found" });
    expect(
      await staged.commit?.([
        { kind: "write", path: "/n.txt", content: "n" },
        { kind: "edit", path: "/a.txt", oldString: "nothing like it", newString: "x" },
      ]),
    ).toMatchObject({ errorKind: "not_found", failedAt: 1 });
    expect(await staged.commit?.([{ kind: "delete", path: "/link.txt" }])).toMatchObject({
      errorKind: "denied",
    });
    expect(staged.pending()).toBe(0);
    const { "link.txt": _, ...now } = await snapshot(root);
    expect(now).toEqual(before);
    await staged.write("/link.txt", "through the link\n");
    expect((await staged.staged()).map(({ file }) => file)).toEqual(["/w/b.txt"]);
    expect(await read(staged, "/link.txt")).toBe("through the link");
  });

  it("can be made again where one was deleted, and deleted where one was made", async () => {
    const { staged, text } = await setUp();
    await staged.delete("/b.txt");
    expect(await staged.delete("/b.txt")).toMatchObject({ errorKind: "not_found" });
    expect(await staged.edit("/b.txt", "b", "x")).toMatchObject({ errorKind: "not_found" });
    await staged.write("/b.txt", "again\n");
    await staged.write("/x/n.txt", "n");
    expect(await staged.delete("/x")).not.toHaveProperty("error");
    await staged.edit("/d/c.txt", "c", "C");
    await staged.write("/d/n.txt", "n");
    expect(await staged.delete("/d")).not.toHaveProperty("error");
    expect(await staged.delete("/d")).toMatchObject({ errorKind: "not_found" });
    expect(await staged.reject(["/d/c.txt"])).toMatchObject({ rejected: ["/w/d/c.txt"] });
    expect((await staged.staged()).map(({ file, kind }) => [file, kind])).toEqual([["/w/b.txt", "change"]]);
    await staged.accept();
    expect(await text("b.txt")).toBe("again\n");
  });

  it("stand with rights and freshness around, and undo inside", async () => {
    const undoDirectory = await temporary();
    let undo = async (): Promise<unknown> => undefined;
    const { staged, text } = await setUp(FILES, (base) => {
      const undoable = withUndo(base, { directory: undoDirectory, runId: "r" });
      undo = () => undoable.undo({ run: "r" });
      return undoable;
    });
    const ledger = new FreshnessLedger();
    const one = withFreshness(staged, { ledger, agent: "one" });
    const two = withFreshness(staged, { ledger, agent: "two" });
    await one.read("/a.txt");
    await two.edit("/a.txt", "line 3\n", "two\n");
    expect(await one.edit("/a.txt", "line 4\n", "one\n")).toMatchObject({
      errorKind: "stale",
      error: expect.stringContaining("two has changed"),
    });
    const reader = withRights(one, { covers: (access) => "read" in access && access.read !== "/b.txt" });
    await staged.write("/b.txt", "secret\n");
    await staged.write("/n.txt", "n\n");
    expect(await reader.write("/a.txt", "x")).toMatchObject({ errorKind: "denied" });
    expect(await reader.read("/b.txt")).toMatchObject({ errorKind: "denied" });
    expect(await read(reader, "/n.txt")).toBe("n");
    expect((await reader.ls("/")).files?.map((file) => file.path)).toEqual(["/a.txt", "/d/", "/n.txt"]);
    expect((await reader.grep("secret")).matches).toEqual([]);
    await staged.accept();
    expect(await text("n.txt")).toBe("n\n");
    expect(await undo()).toMatchObject({ refused: [] });
    expect([await text("n.txt"), await text("b.txt"), await text("a.txt")]).toEqual([undefined, "b\n", TEXT]);
  });

  it("come, whatever was staged, to what the same changes would have made at once", async () => {
    const name = fc.constantFrom("/a.txt", "/b.txt", "/d/c.txt", "/n/m.txt");
    const step = fc.oneof(
      fc.record({ do: fc.constant("write" as const), at: name, text: fc.string({ maxLength: 5 }) }),
      fc.record({ do: fc.constant("edit" as const), at: name, text: fc.constantFrom("line 1\n", "b", "c") }),
      fc.record({
        do: fc.constant("delete" as const),
        at: name,
        text: fc.constant(""),
      }),
      fc.record({ do: fc.constant("rename" as const), at: name, text: name }),
    );
    const apply = async (
      files: GuardedBackend,
      { do: what, at, text }: { do: string; at: string; text: string },
    ) => {
      const result =
        what === "write"
          ? await files.write(at, text)
          : what === "edit"
            ? await files.edit(at, text, "edited")
            : what === "delete"
              ? await files.delete(at)
              : await files.commit?.([{ kind: "rename", path: at, to: text }]);
      return (result as { error?: string }).error === undefined;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { root, staged } = await setUp();
        const plainRoot = await rootWith(FILES);
        const plain = new WorkspaceBackend({ root: plainRoot, fsync: false });
        for (const each of steps) expect(await apply(staged, each)).toBe(await apply(plain, each));
        const names = async (files: GuardedBackend) =>
          (await files.glob("**/*")).files?.map((file) => file.path);
        expect(await names(staged)).toEqual(await names(plain));
        expect((await staged.accept()).refused).toEqual([]);
        expect(await snapshot(root)).toEqual(await snapshot(plainRoot));
      }),
      { numRuns: 40 },
    );
  });

  it("refuses to go on with an index that is damaged, and a backend that cannot be held", async () => {
    const { staged, directory } = await setUp();
    await staged.write("/a.txt", "x");
    await writeFile(path.join(directory, "index.json"), "{");
    await expect(staged.write("/b.txt", "x")).rejects.toMatchObject({ code: "damaged" });
    await rm(path.join(directory, "index.json"));
    expect(await read(staged, "/a.txt")).toContain("line 1");
    expect(() => withStaging({ guarded: true } as never, { directory })).toThrow(/guarded/);
    expect(() => withStaging(new WorkspaceBackend({ root: directory }), { directory: "" })).toThrow(
      /directory/,
    );
  });

  it("are not what a command sees", async () => {
    const { root, staged } = await setUp();
    await staged.write("/b.txt", "staged\n");
    await mkdir(path.join(root, "k"));
    const { stdout } = await promisify(execFile)("cat", ["b.txt"], { cwd: root });
    expect(stdout).toBe("b\n");
  });
});
