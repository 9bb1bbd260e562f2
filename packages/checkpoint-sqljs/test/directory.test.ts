import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DirectoryStorage } from "../src/directory-storage.js";
import { nodeFileSystem, type FileSystem } from "../src/file-system.js";
import { DatabaseCorruptError, SqlJsSaver } from "../src/index.js";
import { threadFileName } from "../src/thread-file-name.js";
import { collect, dependencies, on, putAll, saverOn, scratch } from "./support/helpers.js";

describe("a folder with a file for each thread", () => {
  it("makes nothing until the first write", async () => {
    const directory = join(scratch(), "later");
    await using saver = await SqlJsSaver.open({ directory });
    expect(await saver.getTuple(on("t"))).toBeUndefined();
    expect(await saver.listThreads()).toEqual([]);
    expect(await collect(saver.list({}))).toEqual([]);
    await saver.deleteThread("t");
    expect(existsSync(directory)).toBe(false);
  });

  it("names files safely for every platform and tells ids apart that differ in case only", () => {
    for (const id of ["../x", "CON", "", "a".repeat(300), "日本", "-x-", "A b"]) {
      expect(threadFileName(id)).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{32}\.sqlite$/);
      expect(threadFileName(id).length).toBeLessThan(90);
    }
    expect(threadFileName("A").toLowerCase()).not.toBe(threadFileName("a"));
    expect(threadFileName("Fix login")).toMatch(/^fix-login-/);
  });

  it("removes file and lock with the thread", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    await putAll(saver, on("a"));
    await putAll(saver, on("b"));
    // Snapshot, journal and lock.
    expect(readdirSync(directory)).toHaveLength(6);
    await saver.deleteThread("a");
    const b = threadFileName("b");
    expect(readdirSync(directory).sort()).toEqual([b, `${b}.1.log`, `${b}.lock`]);
    await putAll(saver, on("a"));
    expect(await collect(saver.list(on("a")))).toHaveLength(1);
  });

  it("keeps the order of writes and a deletion made without waiting", async () => {
    const storage = await DirectoryStorage.open(scratch(), await dependencies());
    const seen: string[] = [];
    const note = (what: string) => () => ({
      payload: undefined,
      apply: () => seen.push(what),
      undo: () => {},
    });
    await Promise.all([
      storage.write("t", note("write")),
      storage.deleteThread("t").then(() => seen.push("deleted")),
      storage.write("t", note("write again")),
    ]);
    expect(seen).toEqual(["write", "deleted", "write again"]);
    expect(await storage.read("t", () => "there")).toBe("there");
    await storage.close();
  });

  it("drops idle threads and their locks, and reads them again when asked", async () => {
    const directory = scratch();
    let reads = 0;
    const fs: FileSystem = { ...nodeFileSystem, read: (path) => ((reads += 1), nodeFileSystem.read(path)) };
    const storage = await DirectoryStorage.open(directory, await dependencies({ fs }), 2);
    await using saver = saverOn(storage);
    await Promise.all(["a", "b", "c", "d"].map((thread) => putAll(saver, on(thread), { thread })));
    await putAll(saver, on("d"));
    await expect.poll(() => readdirSync(directory).filter((name) => name.endsWith(".lock"))).toHaveLength(2);
    for (const thread of ["a", "b", "c", "d"]) expect(await collect(saver.list(on(thread)))).not.toEqual([]);
    const before = reads;
    await saver.getTuple(on("d"));
    expect(reads).toBe(before);
    await saver.getTuple(on("a"));
    expect(reads).toBe(before + 1);
  });

  it("lists threads from heads and journals, of those files only that changed since", async () => {
    const directory = scratch();
    await using writer = await SqlJsSaver.open({ directory });
    let reads = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      read: () => Promise.reject(new Error("a snapshot was read")),
      readFrom: (path, offset, length) => {
        if (path.endsWith(".log")) reads += 1;
        return nodeFileSystem.readFrom(path, offset, length);
      },
    };
    await using saver = saverOn(await DirectoryStorage.open(directory, await dependencies({ fs })));
    for (const thread of ["a", "b", "c"]) await putAll(writer, on(thread), { x: "x".repeat(10_000) });
    const first = await saver.listThreads();
    expect(first.map(({ threadId }) => threadId)).toEqual(["c", "b", "a"]);
    expect(first[0]!.bytes).toBeGreaterThan(10_000);
    expect(reads).toBe(3);
    await putAll(writer, on("a"));
    await writer.deleteThread("b");
    expect((await saver.listThreads()).map(({ threadId, checkpoints }) => [threadId, checkpoints])).toEqual([
      ["a", 2],
      ["c", 1],
    ]);
    expect(reads).toBe(4);
  });

  it("reports a damaged thread, and lists the others when asked to", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    await putAll(saver, on("good"));
    const bad = join(directory, threadFileName("bad"));
    writeFileSync(bad, "garbage");
    writeFileSync(join(directory, "notes.sqlite"), "not ours, not looked at");
    await expect(saver.listThreads()).rejects.toMatchObject({ code: "DATABASE_CORRUPT", file: bad });
    const damaged: DatabaseCorruptError[] = [];
    const list = await saver.listThreads({ onDamaged: (error) => damaged.push(error) });
    expect(list.map(({ threadId }) => threadId)).toEqual(["good"]);
    expect(damaged.map(({ file }) => file)).toEqual([bad]);
    await expect(putAll(saver, on("bad"))).rejects.toThrow(DatabaseCorruptError);
    expect(await saver.getTuple(on("good"))).toBeDefined();
    await saver.deleteThread("bad");
    expect(await saver.listThreads()).toHaveLength(1);
  });
});
