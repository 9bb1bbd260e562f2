import { spawn, spawnSync } from "node:child_process";
import { chmod, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { FilesystemBackend, StoreBackend } from "deepagents";
import type { BackendProtocolV2 } from "deepagents";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  commitChanges,
  createCodingBackend,
  FreshnessLedger,
  withFreshness,
  withRights,
  WorkspaceBackend,
  type FileChange,
} from "../src/index.js";
import { rootWith, snapshot, temporary } from "./support.js";

const WORKER = path.join(import.meta.dirname, "workers/commit.mjs");
const OLD = { "a.txt": "old a\n", "b.txt": "old b\n", "gone.txt": "old gone\n", "from.txt": "old from\n" };
const NEW = { "a.txt": "new a\n", "b.txt": "new b\n", "made/to.txt": "old from\n" };

/** Every file with its content. */

const CHANGES: FileChange[] = [
  { kind: "edit", path: "/a.txt", oldString: "old", newString: "new" },
  { kind: "write", path: "/b.txt", content: "new b\n" },
  { kind: "delete", path: "/gone.txt" },
  { kind: "rename", path: "/from.txt", to: "/made/to.txt" },
];

describe("a change set", () => {
  it("creates, edits, deletes and renames as one, with a receipt for each file", async () => {
    const root = await rootWith(OLD);
    await chmod(path.join(root, "from.txt"), 0o755);
    const result = await new WorkspaceBackend({ root, mount: "/w" }).commit(CHANGES);
    expect(result).toMatchObject({ atomic: true });
    expect(result.error === undefined && result.receipts.map(({ file }) => file)).toEqual([
      "/w/a.txt",
      "/w/b.txt",
      "/w/gone.txt",
      "/w/from.txt",
      "/w/made/to.txt",
    ]);
    expect(await snapshot(root)).toEqual(NEW);
    expect((await stat(path.join(root, "made/to.txt"))).mode & 0o777).toBe(0o755);
  });

  it("lets later changes see what earlier ones did, through whatever name", async () => {
    const root = await rootWith({ "a.txt": "1\n" });
    await symlink("a.txt", path.join(root, "alias"));
    const result = await new WorkspaceBackend({ root }).commit([
      { kind: "edit", path: "/a.txt", oldString: "1", newString: "2" },
      { kind: "edit", path: "/alias", oldString: "2", newString: "3" },
      { kind: "rename", path: "/a.txt", to: "/b.txt" },
      { kind: "write", path: "/a.txt", content: "again\n" },
    ]);
    expect(result.error).toBeUndefined();
    expect(await readFile(path.join(root, "b.txt"), "utf8")).toBe("3\n");
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("again\n");
  });

  it.each<[string, FileChange, string]>([
    ["an edit finds nothing", { kind: "edit", path: "/a.txt", oldString: "zzz", newString: "" }, "not_found"],
    [
      "the content is another",
      { kind: "write", path: "/b.txt", content: "", expect: "0".repeat(64) },
      "stale",
    ],
    ["there should be no file", { kind: "write", path: "/b.txt", content: "", expect: null }, "stale"],
    ["a file is protected", { kind: "write", path: "/.git/hooks/x", content: "" }, "denied"],
    ["a path leads out", { kind: "write", path: "/../x", content: "" }, "outside_workspace"],
    ["a name is taken", { kind: "rename", path: "/from.txt", to: "/b.txt" }, "conflict"],
    ["there is nothing to delete", { kind: "delete", path: "/missing.txt" }, "not_found"],
    ["it is a directory", { kind: "delete", path: "/dir" }, "is_directory"],
  ])("changes nothing when %s, and says which change it was", async (_what, wrong, errorKind) => {
    const before = { ...OLD, "dir/x": "x" };
    const root = await rootWith(before);
    const result = await new WorkspaceBackend({ root }).commit([
      { kind: "write", path: "/deep/new/file.txt", content: "x" },
      ...CHANGES.slice(0, 1),
      wrong,
    ]);
    expect(result).toMatchObject({ errorKind });
    if (errorKind !== "outside_workspace") expect(result).toMatchObject({ failedAt: 2 });
    expect(await snapshot(root)).toEqual(before);
    expect(await readdir(root)).not.toContain("deep");
  });

  it("changes nothing when a file is replaced while the set is prepared", async () => {
    const root = await rootWith({ "a.txt": "old\n", "z/b.txt": "old\n" });
    const files = new WorkspaceBackend({ root });
    const { mkdir, rm } = await import("node:fs/promises");
    const result = await withFreshness(files, { ledger: new FreshnessLedger() }).commit?.(
      [
        { kind: "write", path: "/a.txt", content: "new\n" },
        { kind: "write", path: "/z/b.txt", content: "new\n" },
      ],
      {
        async ready(changes) {
          expect(changes.map(({ target }) => target.path)).toEqual(["/a.txt", "/z/b.txt"]);
          await rm(path.join(root, "z/b.txt"));
          await mkdir(path.join(root, "z/b.txt"));
        },
      },
    );
    expect(result).toMatchObject({ errorKind: "conflict" });
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("old\n");
    expect(await readdir(root)).toEqual(["a.txt", "z"]);
  });

  it("is whole or not there at all after a kill at any step", { timeout: 300_000 }, async () => {
    const seen = { old: 0, new: 0 };
    /** True when the process came to its end undisturbed. */
    const killedAt = async (nth: number): Promise<boolean> => {
      const root = await rootWith(OLD);
      const child = spawn(process.execPath, [WORKER, "kill", root, String(nth)], { stdio: "ignore" });
      const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
      // Whoever comes next only reads.
      await new WorkspaceBackend({ root }).read("/a.txt");
      const { "warm.txt": _, ...found } = await snapshot(root);
      const isNew = found["a.txt"] === NEW["a.txt"];
      expect({ nth, found }).toEqual({ nth, found: isNew ? NEW : OLD });
      if (code === null) seen[isNew ? "new" : "old"] += 1;
      return code === 0;
    };
    const stride = Number(process.env["COMMIT_STRIDE"] ?? 5);
    for (let nth = 1, done = false; !done; nth += 2 * stride)
      done = (await Promise.all([killedAt(nth), killedAt(nth + stride)])).includes(true);
    expect(seen.old).toBeGreaterThan(3);
    expect(seen.new).toBeGreaterThan(1);
  });

  it("is put back, or stays whole, whatever step the system refuses", { timeout: 60_000 }, async () => {
    const run = spawnSync(process.execPath, [WORKER, "fail", await temporary()], { encoding: "utf8" });
    const outcomes = JSON.parse(run.stdout) as { at: number; error?: string; found: object }[];
    expect(outcomes.length).toBeGreaterThan(20);
    for (const { at, error, found } of outcomes) {
      if (error === undefined) expect({ at, found }).toEqual({ at, found: NEW });
      else expect([{ ...OLD }, { ...NEW }]).toContainEqual(found);
    }
    expect(outcomes.filter(({ found }) => "gone.txt" in found).length).toBeGreaterThan(10);
  });

  it("asks rights and the ledger for every file", async () => {
    const root = await rootWith(OLD);
    const files = new WorkspaceBackend({ root });
    const mine = withRights(files, {
      covers: (access) => "read" in access || access.write !== "/gone.txt",
    });
    expect(await commitChanges(mine, CHANGES)).toMatchObject({ errorKind: "denied", failedAt: 2 });
    const ledger = new FreshnessLedger();
    const fresh = withFreshness(files, { ledger, agent: "x" });
    await fresh.read("/b.txt");
    await writeFile(path.join(root, "b.txt"), "typed\n");
    expect(await commitChanges(fresh, CHANGES)).toMatchObject({ errorKind: "stale", failedAt: 1 });
    expect(await snapshot(root)).toEqual({ ...OLD, "b.txt": "typed\n" });
  });

  it("is one for the files of a route, and said to be in order where a backend cannot do better", async () => {
    const root = await rootWith(OLD);
    const backend = createCodingBackend({ workspace: root, docs: new InMemoryStore() });
    const at = (path: string) => `/workspace${path}`;
    const moved = CHANGES.map((change) => ({
      ...change,
      path: at(change.path),
      ...(change.kind === "rename" ? { to: at(change.to) } : {}),
    })) as FileChange[];
    expect(await commitChanges(backend, moved)).toMatchObject({ atomic: true });
    expect(await snapshot(root)).toEqual(NEW);
    const both = await commitChanges(backend, [
      { kind: "write", path: "/workspace/c.txt", content: "c" },
      { kind: "write", path: "/docs/c.md", content: "c" },
    ]);
    expect(both).toMatchObject({ atomic: false });
    expect((await backend.read("/docs/c.md")).content).toBe("c");
    const crossing = await commitChanges(backend, [
      { kind: "rename", path: "/docs/c.md", to: "/workspace/from-docs.md" },
      { kind: "rename", path: "/workspace/c.txt", to: "/docs/from-files.txt" },
    ]);
    expect(crossing).toMatchObject({ atomic: false });
    expect([await readFile(path.join(root, "from-docs.md"), "utf8"), await readdir(root)]).toEqual([
      "c",
      expect.not.arrayContaining(["c.txt"]),
    ]);
    expect((await backend.read("/docs/from-files.txt")).content).toBe("c");
    expect((await backend.read("/docs/c.md")).error).toBeDefined();
    expect(
      await commitChanges(backend, [
        { kind: "write", path: "/docs/late.md", content: "x" },
        { kind: "rename", path: "/docs/from-files.txt", to: "/workspace/from-docs.md" },
      ]),
    ).toMatchObject({ errorKind: "stale", failedAt: 1 });
    expect((await backend.read("/docs/late.md")).error).toBeDefined();
    expect((await backend.read("/docs/from-files.txt")).content).toBe("c");
  });

  it("says in order, too, what kind of failure it was", async () => {
    const root = await rootWith({ "a.txt": "one one\n", "locked.txt": "x\n" });
    const files = new WorkspaceBackend({ root, protectedPaths: ["/locked.txt"], mount: "/workspace" });
    // A backend without change sets of its own.
    const workspace: BackendProtocolV2 = {
      ls: (at) => files.ls(at),
      read: (at, from, limit) => files.read(at, from, limit),
      readRaw: (at) => files.readRaw(at),
      write: (at, content) => files.write(at, content),
      edit: (at, from, to, all) => files.edit(at, from, to, all),
      delete: (at) => files.delete(at),
      grep: (pattern, at) => files.grep(pattern, at),
      glob: (pattern, at) => files.glob(pattern, at),
      uploadFiles: (given) => files.uploadFiles(given),
      downloadFiles: (paths) => files.downloadFiles(paths),
    };
    const backend = createCodingBackend({ workspace, docs: new InMemoryStore() });
    const failing = async (change: FileChange) => {
      const first = { kind: "write", path: "/docs/first.md", content: "x" } as const;
      const result = await commitChanges(backend, [first, change]);
      return result.error === undefined ? "done" : [result.errorKind, result.failedAt, result.error];
    };
    const edit = { kind: "edit", newString: "two", path: "/workspace/a.txt" } as const;
    expect(await failing({ ...edit, oldString: "one" })).toEqual(["ambiguous", 1, expect.any(String)]);
    expect(await failing({ ...edit, oldString: "zzz" })).toEqual(["not_found", 1, expect.any(String)]);
    expect(await failing({ kind: "write", path: "/workspace/locked.txt", content: "y" })).toEqual([
      "denied",
      1,
      expect.any(String),
    ]);
    expect(await failing({ kind: "write", path: "/workspace/a.txt", content: "y", expect: null })).toEqual([
      "stale",
      1,
      expect.stringContaining("/workspace/a.txt is there already"),
    ]);
    expect(await failing({ kind: "rename", path: "/workspace/a.txt", to: "/workspace/locked.txt" })).toEqual([
      "conflict",
      1,
      expect.stringContaining("is there already"),
    ]);
    expect(await failing({ kind: "rename", path: "/workspace/none.txt", to: "/workspace/b.txt" })).toEqual([
      "not_found",
      1,
      expect.any(String),
    ]);
    expect(await snapshot(root)).toEqual({ "a.txt": "one one\n", "locked.txt": "x\n" });
  });

  it.each([
    ["a store", async () => new StoreBackend({ store: new InMemoryStore(), namespace: ["n"] })],
    [
      "deepagents' files",
      async () => new FilesystemBackend({ rootDir: await rootWith(), virtualMode: true }),
    ],
  ])("is taken back on %s when one change fails", async (_name, create) => {
    const backend = await create();
    for (const [name, content] of Object.entries(OLD)) await backend.write(`/${name}`, content);
    const texts = async () => {
      const { matches = [] } = await backend.grep("o", "/");
      return matches.map((match) => `${match.path}: ${match.text}`).sort();
    };
    const before = await texts();
    expect(
      await commitChanges(backend, [
        ...CHANGES,
        { kind: "edit", path: "/a.txt", oldString: "zz", newString: "" },
      ]),
    ).toMatchObject({ failedAt: 4 });
    expect(await texts()).toEqual(before);
    expect(await commitChanges(backend, CHANGES)).toMatchObject({ atomic: false });
    expect((await backend.read("/made/to.txt")).content).toContain("old from");
  });

  it("never loses a change to another one at the same time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }), { minLength: 2, maxLength: 6 }),
        async (sets) => {
          const root = await rootWith(Object.fromEntries([0, 1, 2, 3].map((n) => [`${n}.txt`, "<end>\n"])));
          const results = await Promise.all(
            sets.map((numbers, who) =>
              new WorkspaceBackend({ root, fsync: false }).commit(
                numbers.map((n) => ({
                  kind: "edit",
                  path: `/${n}.txt`,
                  oldString: "<end>",
                  newString: `${who};<end>`,
                })),
              ),
            ),
          );
          for (const result of results) expect(result.error).toBeUndefined();
          for (const n of [0, 1, 2, 3]) {
            const text = await readFile(path.join(root, `${n}.txt`), "utf8");
            const whose = text.split(";").slice(0, -1).map(Number).sort();
            expect(whose).toEqual(sets.flatMap((numbers, who) => (numbers.includes(n) ? [who] : [])));
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});
