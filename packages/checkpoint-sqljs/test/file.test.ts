import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  DatabaseCorruptError,
  DatabaseVersionError,
  ReadFailedError,
  SaveFailedError,
  SqlJsSaver,
  type StorageEvent,
} from "../src/index.js";
import { nodeFileSystem, type FileSystem, type LogHandle } from "../src/file-system.js";
import { crc32 } from "../src/crc32.js";
import { decodeHeader, encodeHeader } from "../src/journal.js";
import { FileStorage } from "../src/file-storage.js";
import { loadSqlJs } from "../src/wasm.js";
import {
  collect,
  countOnDisk,
  dependencies,
  errno,
  idOf,
  namesIn,
  on,
  putAll,
  saverOn,
  scratch,
} from "./support/helpers.js";

describe("one file", () => {
  it("is there, complete, when put resolves, and is read back by a new saver", async () => {
    const file = join(scratch(), "not", "yet", "threads.sqlite");
    const saver = await SqlJsSaver.open({ file });
    expect(existsSync(file)).toBe(false);
    const at = await putAll(saver, on("t"), { x: 1 });
    expect(await countOnDisk(file)).toBe(1);
    await saver.putWrites(at, [["x", 2]], "task", "~0");
    await saver.close();
    await using again = await SqlJsSaver.open({ file });
    const tuple = await again.getTuple(on("t"));
    expect(tuple?.checkpoint.channel_values).toEqual({ x: 1 });
    expect(tuple?.pendingWrites).toEqual([["task", "x", 2]]);
    expect(readdirSync(join(file, "..")).sort()).toEqual(["threads.sqlite", "threads.sqlite.1.log"]);
  });

  it("is private to its owner, keeps a mode that was set, and is replaced behind a link", async () => {
    const folder = scratch();
    const file = join(folder, "real.sqlite");
    symlinkSync(file, join(folder, "link.sqlite"));
    writeFileSync(join(folder, "unrelated.sqlite"), "");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}.1.log`).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    await using linked = await SqlJsSaver.open({ file: join(folder, "link.sqlite") });
    await putAll(linked, on("t"));
    await linked.compact();
    expect(statSync(`${file}.2.log`).mode & 0o777).toBe(0o640);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(await countOnDisk(file)).toBe(2);
  });

  const appends = (): { fs: FileSystem; counts: { writes: number; syncs: number }; open: () => void } => {
    const counts = { writes: 0, syncs: 0 };
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const fs: FileSystem = {
      ...nodeFileSystem,
      async openLog(path) {
        const log = await nodeFileSystem.openLog(path);
        return {
          ...log,
          async write(bytes, at) {
            counts.writes += 1;
            if (counts.writes === 1) await gate;
            await log.write(bytes, at);
          },
          sync: () => ((counts.syncs += 1), log.sync()),
        };
      },
    };
    return { fs, counts, open };
  };

  it.each([
    ["grouped", 2, 2],
    ["sync", 51, 51],
    ["relaxed", 2, 0],
  ] as const)(
    "in durability %s appends %i times and syncs %i times for 51 calls",
    async (durability, writes, syncs) => {
      const { fs, counts, open } = appends();
      const file = join(scratch(), "t.sqlite");
      await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs, durability })));
      const acknowledged: number[] = [];
      const calls = [putAll(saver, on("t")).then(() => acknowledged.push(0))];
      while (counts.writes === 0) await new Promise((wake) => setImmediate(wake));
      for (let index = 1; index <= 50; index += 1)
        calls.push(putAll(saver, on(`t${index}`)).then(() => acknowledged.push(index)));
      await new Promise((wake) => setTimeout(wake, 20));
      expect(acknowledged).toEqual([]);
      open();
      await Promise.all(calls);
      expect(acknowledged).toHaveLength(51);
      expect(counts).toEqual({ writes, syncs });
      expect(await countOnDisk(file)).toBe(51);
      await saver.flush();
      expect(counts.syncs).toBe(Math.max(1, syncs));
    },
  );

  it("reads what was put before without being told to wait, and never what is not on disk yet", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await SqlJsSaver.open({ file });
    const order: string[] = [];
    const at = await putAll(saver, on("t"), { x: 1 });
    const second = putAll(saver, at, { x: 2 }).then((config) => (order.push("put"), config));
    // JsonPlus needs a few turns before the put is queued.
    await new Promise((wake) => setImmediate(wake));
    const read = saver.getTuple(on("t")).then((tuple) => (order.push("read"), tuple));
    expect(idOf((await read)!.config)).toBe(idOf(await second));
    expect(order).toEqual(["put", "read"]);
  });

  const failingLog =
    (fail: (log: LogHandle) => Partial<LogHandle>) =>
    (fs: FileSystem): Partial<FileSystem> => ({
      async openLog(path) {
        const log = await fs.openLog(path);
        return new Proxy(log, {
          get: (target, key: keyof LogHandle) => (failing.now ? { ...target, ...fail(target) } : target)[key],
        });
      },
    });
  const failing = { now: false };
  const faults: [step: string, code: string, fail: (fs: FileSystem) => Partial<FileSystem>][] = [
    [
      "half of the write",
      "ENOSPC",
      failingLog((log) => ({
        write: async (bytes, at) => {
          await log.write(bytes.subarray(0, bytes.length / 2), at);
          throw errno("ENOSPC");
        },
      })),
    ],
    ["the fsync", "EIO", failingLog(() => ({ sync: () => Promise.reject(errno("EIO")) }))],
    [
      "the fsync and then the truncation",
      "EIO",
      failingLog(() => ({
        sync: () => Promise.reject(errno("EIO")),
        truncate: () => Promise.reject(errno("EIO")),
      })),
    ],
    ["the lock", "EROFS", () => ({ createExclusive: () => Promise.reject(errno("EROFS")) })],
  ];

  it.each(faults)(
    "rejects exactly the calls of an append when %s fails with %s",
    async (step, code, fail) => {
      const folder = scratch();
      const file = join(folder, "t.sqlite");
      await (await putOnce(file)).close();
      const before = readFileSync(file);
      failing.now = true;
      const whole = fail(nodeFileSystem);
      const fs = new Proxy(nodeFileSystem, {
        get: (target, key: keyof FileSystem) =>
          (failing.now || key === "openLog" ? { ...target, ...whole } : target)[key],
      });
      await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
      const results = await Promise.allSettled([
        putAll(saver, on("lost"), { x: "of the first".repeat(100) }),
        putAll(saver, on("lost"), { x: 2 }),
      ]);
      for (const result of results) {
        const reason = (result as PromiseRejectedResult).reason as SaveFailedError;
        expect(reason).toBeInstanceOf(SaveFailedError);
        expect(reason).toMatchObject({ code: "SAVE_FAILED", file, cause: { code } });
        expect(reason.message).toContain(code);
      }
      expect(readFileSync(file).equals(before)).toBe(true);
      const lock = step === "the lock" ? [] : ["t.sqlite.lock"];
      expect(namesIn(folder)).toEqual(["t.sqlite", ...lock]);
      expect(await saver.getTuple(on("lost"))).toBeUndefined();

      failing.now = false;
      // Holds content that the rejected call was the first to have.
      await putAll(saver, on("later"), { x: "of the first".repeat(100) });
      // A rejected write must not ride along with the next append.
      expect((await saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual(["first", "later"]);
      expect(await countOnDisk(file)).toBe(2);
      await saver.close();
      await using again = await SqlJsSaver.open({ file });
      expect((await again.getTuple(on("later")))?.checkpoint.channel_values).toEqual({
        x: "of the first".repeat(100),
      });
    },
  );

  it.each(["writeTemporary", "rename", "link", "syncDirectory"] as const)(
    "goes on with the old snapshot when a fold fails in %s, and folds later",
    async (step) => {
      const file = join(scratch(), "t.sqlite");
      let now = false;
      const events: StorageEvent[] = [];
      const fs = new Proxy(nodeFileSystem, {
        get: (target, key: keyof FileSystem) =>
          now && key === step ? () => Promise.reject(errno("EIO")) : target[key],
      });
      const onEvent = (event: StorageEvent): void => void events.push(event);
      const deps = await dependencies({ fs, onEvent, foldFromBytes: 10_000 });
      await using saver = saverOn(await FileStorage.open(file, deps));
      await putAll(saver, on("t"));
      now = true;
      const big = "x".repeat(100_000);
      // Acknowledged, for the journal has it.
      await putAll(saver, on("a"), { big });
      await expect.poll(() => events.map(({ type }) => type)).toEqual(["fold-failed"]);
      expect(await countOnDisk(file)).toBe(2);
      now = false;
      await putAll(saver, on("b"), { big: big + big });
      await putAll(saver, on("c"), { big });
      await expect.poll(() => events.map(({ type }) => type)).toContain("folded");
      expect(await countOnDisk(file)).toBe(4);
      expect((await saver.getTuple(on("a")))?.checkpoint.channel_values).toEqual({ big });
    },
  );

  it("acknowledges nothing on top of a snapshot whose folder could not be synced", async () => {
    const file = join(scratch(), "t.sqlite");
    let failing = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      syncDirectory: (path) => (failing ? Promise.reject(errno("EIO")) : nodeFileSystem.syncDirectory(path)),
    };
    await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
    await putAll(saver, on("a"));
    failing = true;
    await expect(saver.compact()).rejects.toMatchObject({ code: "SAVE_FAILED", cause: { code: "EIO" } });
    await expect(putAll(saver, on("b"))).rejects.toMatchObject({ code: "SAVE_FAILED" });
    failing = false;
    await putAll(saver, on("c"));
    expect((await saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual(["a", "c"]);
    expect(await countOnDisk(file)).toBe(2);
  });

  it("rejects a call whose change cannot be made without harming those that share its append", async () => {
    const file = join(scratch(), "t.sqlite");
    const storage = await FileStorage.open(file, await dependencies());
    await using saver = saverOn(storage);
    const bad = storage.write("t", (state) => {
      state.content.intern("a part that no record holds yet");
      throw new Error("nowhere");
    });
    const good = storage.write("t", () => ({ payload: undefined, apply: () => "good", undo: () => {} }));
    await expect(bad).rejects.toThrow(/nowhere/);
    expect(await good).toBe("good");
    await putAll(saver, on("t"));
    expect(await countOnDisk(file)).toBe(1);
  });

  it("gets smaller when a thread is deleted", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("small"));
    await saver.compact();
    const small = statSync(file).size;
    await putAll(saver, on("big"), { x: "x".repeat(1_000_000) });
    await saver.compact();
    expect(statSync(file).size).toBeGreaterThan(1_000_000);
    await saver.deleteThread("big");
    await saver.compact();
    expect(statSync(file).size).toBe(small);
  });

  it("shares its state between two savers of one process, by whatever path", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "sub"));
    const one = await SqlJsSaver.open({ file: join(folder, "t.sqlite") });
    const two = await SqlJsSaver.open({ file: join(folder, "sub", "..", "t.sqlite") }, { lock: false });
    const puts = Array.from({ length: 20 }, (_, index) => putAll(index % 2 ? one : two, on(`t${index}`)));
    await Promise.all(puts);
    expect(await one.listThreads()).toHaveLength(20);
    await one.close();
    expect(await collect(two.list({}))).toHaveLength(20);
    await putAll(two, on("after"));
    // Opening while the last user is still closing waits for its lock instead of meeting it.
    const closing = two.close();
    await using three = await SqlJsSaver.open({ file: join(folder, "t.sqlite") });
    await putAll(three, on("again"));
    await closing;
    expect(await countOnDisk(join(folder, "t.sqlite"))).toBe(22);
  });
});

const putOnce = async (file: string): Promise<SqlJsSaver> => {
  const saver = await SqlJsSaver.open({ file });
  await putAll(saver, on("first"));
  return saver;
};

describe("a file that is not a good database", () => {
  const damages: [what: string, reason: string, make: (good: Buffer) => Buffer | Promise<Buffer>][] = [
    ["of text", "not-sqlite", () => Buffer.from("hello, this is not a database ".repeat(10))],
    ["that is empty", "truncated", () => Buffer.alloc(0)],
    ["cut within the header", "truncated", (good) => good.subarray(0, 50)],
    ["cut in half", "truncated", (good) => good.subarray(0, good.length / 2)],
    [
      "with a page of noise",
      "damaged",
      (good) => Buffer.concat([good.subarray(0, 4096), Buffer.alloc(good.length - 4096, 0xa5)]),
    ],
    [
      "of another program",
      "foreign",
      async () => {
        const db = new (await loadSqlJs()).Database();
        db.run("CREATE TABLE theirs (x)");
        return Buffer.from(db.export());
      },
    ],
  ];

  it.each(damages)("(one %s) is refused as %s and left as it is", async (_what, reason, make) => {
    const folder = scratch();
    const good = join(folder, "good.sqlite");
    await (await putOnce(good)).close();
    const file = join(folder, "bad.sqlite");
    const bytes = await make(readFileSync(good));
    writeFileSync(file, bytes);
    const opening = SqlJsSaver.open({ file });
    await expect(opening).rejects.toThrow(DatabaseCorruptError);
    await expect(opening).rejects.toMatchObject({ code: "DATABASE_CORRUPT", file, reason });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(namesIn(folder)).toEqual(["bad.sqlite", "good.sqlite"]);
  });

  it("is noticed too when it turns bad while a saver is open; without its journal, writes are refused", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await putOnce(file);
    writeFileSync(file, "garbage");
    rmSync(`${file}.1.log`);
    await expect(saver.getTuple(on("first"))).rejects.toThrow(DatabaseCorruptError);
    await expect(putAll(saver, on("second"))).rejects.toThrow(DatabaseCorruptError);
    expect(readFileSync(file, "utf8")).toBe("garbage");
  });

  it("of a newer schema is refused by version", async () => {
    const file = join(scratch(), "t.sqlite");
    await (await putOnce(file)).close();
    const db = new (await loadSqlJs()).Database(readFileSync(file));
    db.run(`PRAGMA user_version = ${99 * 2 ** 24 + 1}`);
    const bytes = db.export();
    writeFileSync(file, bytes);
    // As that release would have written it.
    const header = decodeHeader(readFileSync(`${file}.1.log`))!.header;
    const fitting = { ...header, snapshotBytes: bytes.length, snapshotCrc: crc32(bytes) };
    writeFileSync(`${file}.1.log`, encodeHeader(fitting));
    const opening = SqlJsSaver.open({ file });
    await expect(opening).rejects.toThrow(DatabaseVersionError);
    await expect(opening).rejects.toMatchObject({ code: "DATABASE_VERSION", found: 99, supported: 2 });
    expect(readFileSync(file).equals(Buffer.from(bytes))).toBe(true);
  });

  it("is a folder, or lies under a file: a read error with its cause", async () => {
    const folder = scratch();
    await expect(SqlJsSaver.open({ file: folder })).rejects.toMatchObject({
      code: "READ_FAILED",
      cause: { code: "EISDIR" },
    });
    writeFileSync(join(folder, "plain"), "");
    await expect(SqlJsSaver.open({ directory: join(folder, "plain") })).rejects.toThrow(ReadFailedError);
  });
});
