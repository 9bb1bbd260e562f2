import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SqlJsSaver, SqlJsStore, type SqlJsStoreOptions, type StorageEvent } from "../src/index.js";
import { journalPathOf } from "../src/journal.js";
import { lockPathOf } from "../src/lock.js";
import { threadFileName } from "../src/thread-file-name.js";
import { collect, on, putAll, scratch } from "./support/helpers.js";

const newFile = (): string => join(scratch(), "t.sqlite");

describe("arguments of the wrong kind", () => {
  const file = "never made.sqlite";
  it.each<[string, () => Promise<unknown>]>([
    ["where", () => SqlJsSaver.open(undefined as never)],
    ["where", () => SqlJsSaver.open("x.sqlite" as never)],
    ["where", () => SqlJsSaver.open({ file: "" })],
    ["where", () => SqlJsStore.open({ directory: "x" } as never)],
    ["options", () => SqlJsSaver.open(":memory:", null as never)],
    ["durability", () => SqlJsSaver.open({ file }, { durability: "bogus" as never })],
    ["lock", () => SqlJsSaver.open({ file }, { lock: "no" as never })],
    ["maxBytes", () => SqlJsSaver.open({ file }, { maxBytes: Number.NaN })],
    ["wasmBinary", () => SqlJsSaver.open({ file }, { wasmBinary: "x" as never })],
    ["serde", () => SqlJsSaver.open({ file }, { serde: {} as never })],
    ["onEvent", () => SqlJsSaver.open({ file }, { onEvent: "x" as never })],
    ["ttlMs", () => SqlJsStore.open({ file }, { ttlMs: Number.POSITIVE_INFINITY })],
    ["ttlMs", () => SqlJsStore.open({ file }, { ttlMs: -1 })],
    ["lockWaitMs", () => SqlJsStore.open({ file }, { lockWaitMs: Number.NaN } as SqlJsStoreOptions)],
  ])("%s: a typed error, and nothing is made", async (option, open) => {
    await expect(open()).rejects.toMatchObject({ code: "INVALID_OPTION", option });
    expect(existsSync(file)).toBe(false);
  });

  it("of prune remove nothing", async () => {
    await using saver = await SqlJsSaver.open(":memory:");
    await putAll(saver, on("t"));
    for (const wrong of [
      { keepLast: Number.NaN },
      { keepLast: 0 },
      { olderThanMs: -1 },
      { threadId: 3 as never },
    ])
      await expect(saver.prune(wrong)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(await collect(saver.list(on("t")))).toHaveLength(1);
  });

  it("of a store's put are refused, and what JSON cannot hold", async () => {
    await using store = await SqlJsStore.open(":memory:");
    await expect(store.put(["a"], 5 as never, { x: 1 })).rejects.toMatchObject({ option: "key" });
    await expect(store.put(["a"], "k", { big: 1n })).rejects.toMatchObject({ option: "value" });
    expect(await store.get(["a"], "k")).toBeNull();
  });

  it("a path below a file is an error of this package", async () => {
    const below = newFile();
    writeFileSync(below, "");
    for (const where of [{ file: join(below, "x") }, { directory: join(below, "x") }])
      await expect(SqlJsSaver.open(where)).rejects.toMatchObject({ code: "READ_FAILED" });
    await using saver = await SqlJsSaver.open(":memory:");
    await expect(saver.exportTo(join(below, "x"))).rejects.toMatchObject({ name: /FailedError/ });
  });
});

describe("a store and a saver on one file", () => {
  it("do not mix: the second is refused, and the first goes on", async () => {
    const file = newFile();
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    await expect(SqlJsStore.open({ file })).rejects.toMatchObject({
      code: "DATABASE_CORRUPT",
      reason: "foreign",
    });
    await putAll(saver, on("t"));
    expect(await collect(saver.list(on("t")))).toHaveLength(2);
  });
});

describe("calls made at once", () => {
  it("a copy does not undo a put to its target that was called before it", async () => {
    const file = newFile();
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("a"));
    const [, copy] = await Promise.allSettled([putAll(saver, on("d")), saver.copyThread("a", "d")]);
    expect(copy).toMatchObject({ status: "rejected", reason: { code: "THREAD_EXISTS" } });
    const copies = await Promise.allSettled([saver.copyThread("a", "e"), saver.copyThread("a", "e")]);
    expect(copies.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("each prune removes what is still there, and the counts stay right", async () => {
    await using saver = await SqlJsSaver.open({ directory: scratch() });
    for (let count = 0; count < 5; count += 1) await putAll(saver, on("t"));
    const removed = await Promise.all([1, 2, 3].map(() => saver.prune({ keepLast: 1 })));
    expect(removed.map(({ checkpoints }) => checkpoints)).toEqual([4, 0, 0]);
    expect((await saver.listThreads())[0]?.checkpoints).toBe(1);
    expect((await saver.stats()).checkpoints).toBe(1);
  });

  it("a batch that reads sees what was put before it", async () => {
    await using store = await SqlJsStore.open({ file: newFile() });
    const put = store.put(["a"], "k", { is: "there" });
    const [got] = await store.batch([
      { namespace: ["a"], key: "k" },
      { namespace: ["a"], key: "other", value: { x: 1 } },
    ]);
    await put;
    expect(got).toMatchObject({ value: { is: "there" } });
  });

  it("maxBytes counts what is under way", async () => {
    await using saver = await SqlJsSaver.open({ file: newFile() }, { maxBytes: 200_000 });
    const puts = Array.from({ length: 40 }, (_, at) =>
      putAll(saver, on("t"), { text: String(at).padStart(100_000, "x") }),
    );
    const stored = (await Promise.allSettled(puts)).filter(({ status }) => status === "fulfilled");
    expect(stored.length).toBeLessThan(5);
  });
});

describe("what goes wrong around a file", () => {
  it("a listener that throws costs nothing", async () => {
    const throwing = (): never => {
      throw new Error("the listener's own");
    };
    await using saver = await SqlJsSaver.open({ file: newFile() }, { onEvent: throwing });
    await putAll(saver, on("t"));
    await saver.compact();
    await putAll(saver, on("t"));
    expect(await collect(saver.list(on("t")))).toHaveLength(2);
  });

  it("a deletion that a crash broke off is finished by the next one", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    await putAll(saver, on("t"), { secret: "s3cret" });
    await saver.compact();
    await putAll(saver, on("t"), { secret: "s3cret" });
    const file = join(directory, threadFileName("t"));
    const kept = readdirSync(directory).filter((name) => name.endsWith(".log"));
    const contents = kept.map((name) => readFileSync(join(directory, name)));
    await saver.deleteThread("t");
    for (const [at, name] of kept.entries()) writeFileSync(join(directory, name), contents[at]!);
    expect(existsSync(file)).toBe(false);
    await saver.deleteThread("t");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("an export to the path of an older database is alone there, and one to an open file is refused", async () => {
    const old = newFile();
    const before = await SqlJsSaver.open({ file: old });
    await putAll(before, on("old"));
    await before.compact();
    await putAll(before, on("old"));
    await before.compact();
    await using saver = await SqlJsSaver.open({ file: newFile() });
    await putAll(saver, on("new"));
    await expect(saver.exportTo(old)).rejects.toMatchObject({ code: "INVALID_OPTION", option: "path" });
    await before.close();
    await saver.exportTo(old);
    expect(readdirSync(join(old, ".."))).toEqual(["t.sqlite"]);
    await using exported = await SqlJsSaver.open({ file: old });
    expect((await exported.listThreads()).map(({ threadId }) => threadId)).toEqual(["new"]);
  });

  it("integrityCheck says when the journal does not end in a whole record", async () => {
    const file = newFile();
    const saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    await putAll(saver, on("t"));
    await saver.close();
    const log = readFileSync(journalPathOf(file, 1));
    log[log.length - 1]! ^= 1;
    writeFileSync(journalPathOf(file, 1), log);
    const events: StorageEvent[] = [];
    await using again = await SqlJsSaver.open({ file }, { onEvent: (event) => events.push(event) });
    expect(await again.integrityCheck()).toMatchObject([{ message: /no whole record/ }]);
    expect(await collect(again.list(on("t")))).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("a FIFO in a file's place is an error, not a wait", async () => {
    const directory = scratch();
    execFileSync("mkfifo", [join(directory, threadFileName("t"))]);
    await using saver = await SqlJsSaver.open({ directory });
    await expect(saver.getTuple(on("t"))).rejects.toMatchObject({ code: "READ_FAILED" });
  });

  it("what a crash left beside a lock is removed when that lock is broken", async () => {
    const file = newFile();
    const old = new Date(Date.now() - 3_600_000);
    const left = [`${lockPathOf(file)}.17.x.draft`, `${file}.0123456789abcdef.tmp.prev`];
    for (const path of left) {
      writeFileSync(path, "");
      utimesSync(path, old, old);
    }
    writeFileSync(lockPathOf(file), "");
    utimesSync(lockPathOf(file), old, old);
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    expect(left.filter((path) => existsSync(path))).toEqual([]);
  });

  it("a database of many megabytes is read in pages that fit a string", async () => {
    const file = newFile();
    const saver = await SqlJsSaver.open({ file });
    for (let at = 0; at < 12; at += 1)
      await putAll(saver, on(`t${at}`), { text: `${at} "quoted" `.padEnd(5_000_000, String(at)) });
    await saver.compact();
    await saver.close();
    await using again = await SqlJsSaver.open({ file });
    const tuple = await again.getTuple(on("t11"));
    expect(tuple?.checkpoint.channel_values["text"]).toHaveLength(5_000_000);
    expect(await again.listThreads()).toHaveLength(12);
  });

  it("a deeply nested item does not break the search over its neighbours", async () => {
    await using store = await SqlJsStore.open(":memory:");
    let deep: Record<string, unknown> = { word: "bottom" };
    for (let depth = 0; depth < 3_000; depth += 1) deep = { deep };
    await store.put(["a"], "deep", deep);
    await store.put(["a"], "flat", { word: "needle" });
    expect((await store.search(["a"], { query: "needle" })).map(({ key }) => key)).toEqual(["flat"]);
  });

  it("the wasm is found from a program given on the command line", () => {
    const program = `import(${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)})
      .then(({ SqlJsSaver }) => SqlJsSaver.open(":memory:")).then(() => console.log("opened"))`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    expect(stdout + stderr).toBe("opened\n");
  });
});
