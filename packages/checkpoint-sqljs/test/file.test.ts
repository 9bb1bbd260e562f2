import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
} from "../src/index.js";
import { nodeFileSystem, type FileSystem } from "../src/file-system.js";
import { FileStorage } from "../src/storage.js";
import { loadSqlJs } from "../src/wasm.js";
import { collect, dependencies, errno, idOf, on, putAll, saverOn, scratch } from "./support/helpers.js";

const countOnDisk = async (file: string): Promise<number> => {
  const sql = await loadSqlJs();
  const db = new sql.Database(readFileSync(file));
  const count = db.exec("SELECT count(*) FROM checkpoints")[0]!.values[0]![0] as number;
  db.close();
  return count;
};

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
    expect(readdirSync(join(file, ".."))).toEqual(["threads.sqlite"]);
  });

  it("is private to its owner, keeps a mode that was set, and is replaced behind a link", async () => {
    const folder = scratch();
    const file = join(folder, "real.sqlite");
    symlinkSync(file, join(folder, "link.sqlite"));
    writeFileSync(join(folder, "unrelated.sqlite"), "");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    await using linked = await SqlJsSaver.open({ file: join(folder, "link.sqlite") });
    await putAll(linked, on("t"));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(await countOnDisk(file)).toBe(2);
  });

  it("shares one save among the calls that arrive while another is written", async () => {
    let saves = 0;
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const fs: FileSystem = {
      ...nodeFileSystem,
      async writeTemporary(...args) {
        saves += 1;
        if (saves === 1) await gate;
        return nodeFileSystem.writeTemporary(...args);
      },
    };
    const file = join(scratch(), "t.sqlite");
    await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
    const acknowledged: number[] = [];
    const calls = [putAll(saver, on("t")).then(() => acknowledged.push(0))];
    while (saves === 0) await new Promise((wake) => setImmediate(wake));
    for (let index = 1; index <= 50; index += 1)
      calls.push(putAll(saver, on(`t${index}`)).then(() => acknowledged.push(index)));
    await new Promise((wake) => setTimeout(wake, 20));
    expect(acknowledged).toEqual([]);
    open();
    await Promise.all(calls);
    expect(acknowledged).toHaveLength(51);
    expect(saves).toBe(2);
    expect(await countOnDisk(file)).toBe(51);
  });

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

  const faults: [step: string, code: string, fail: (fs: FileSystem) => Partial<FileSystem>][] = [
    [
      "the write",
      "ENOSPC",
      (fs) => ({
        writeTemporary: async (temporary, bytes, like) => {
          await fs.writeTemporary(temporary, bytes.subarray(0, 100), like);
          throw errno("ENOSPC");
        },
      }),
    ],
    ["the rename", "EIO", () => ({ rename: () => Promise.reject(errno("EIO")) })],
    ["the lock", "EROFS", () => ({ createExclusive: () => Promise.reject(errno("EROFS")) })],
  ];

  it.each(faults)(
    "rejects exactly the calls of a save when %s fails with %s, and keeps the old file",
    async (step, code, fail) => {
      const folder = scratch();
      const file = join(folder, "t.sqlite");
      await (await putOnce(file)).close();
      const before = readFileSync(file);
      let failing = true;
      const fs = new Proxy(nodeFileSystem, {
        get: (target, key: keyof FileSystem) => (failing ? { ...target, ...fail(target) } : target)[key],
      });
      await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
      const results = await Promise.allSettled([
        putAll(saver, on("lost"), { x: 1 }),
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
      expect(readdirSync(folder).sort()).toEqual(["t.sqlite", ...lock]);
      expect(await saver.getTuple(on("lost"))).toBeUndefined();

      failing = false;
      await putAll(saver, on("later"));
      // A rejected write must not ride along with the next save.
      expect((await saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual(["first", "later"]);
      expect(await countOnDisk(file)).toBe(2);
    },
  );

  it("does not promise a save whose folder could not be synced, and goes on from what is on disk", async () => {
    const file = join(scratch(), "t.sqlite");
    let failing = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      syncDirectory: (path) => (failing ? Promise.reject(errno("EIO")) : nodeFileSystem.syncDirectory(path)),
    };
    await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
    await putAll(saver, on("a"));
    failing = true;
    await expect(putAll(saver, on("b"))).rejects.toMatchObject({
      code: "SAVE_FAILED",
      cause: { code: "EIO" },
    });
    failing = false;
    await putAll(saver, on("c"));
    expect(await saver.listThreads()).toHaveLength(await countOnDisk(file));
  });

  it("rejects a call that SQLite refuses without harming those that share its save", async () => {
    const file = join(scratch(), "t.sqlite");
    const storage = await FileStorage.open(file, await dependencies());
    await using saver = saverOn(storage);
    const bad = storage.write("t", (db) => db.run("INSERT INTO nowhere VALUES (1)"));
    const good = storage.write("t", () => "good");
    await expect(bad).rejects.toThrow(/nowhere/);
    expect(await good).toBe("good");
    await putAll(saver, on("t"));
    expect(await countOnDisk(file)).toBe(1);
  });

  it("gets smaller when a thread is deleted", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("small"));
    const small = statSync(file).size;
    await putAll(saver, on("big"), { x: "x".repeat(1_000_000) });
    expect(statSync(file).size).toBeGreaterThan(1_000_000);
    await saver.deleteThread("big");
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
    expect(readdirSync(folder).sort()).toEqual(["bad.sqlite", "good.sqlite"]);
  });

  it("is noticed too when it turns bad while a saver is open; writes are refused then", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await putOnce(file);
    writeFileSync(file, "garbage");
    await expect(saver.getTuple(on("first"))).rejects.toThrow(DatabaseCorruptError);
    await expect(putAll(saver, on("second"))).rejects.toThrow(DatabaseCorruptError);
    expect(readFileSync(file, "utf8")).toBe("garbage");
  });

  it("of a newer schema is refused by version", async () => {
    const file = join(scratch(), "t.sqlite");
    await (await putOnce(file)).close();
    const db = new (await loadSqlJs()).Database(readFileSync(file));
    db.run("PRAGMA user_version = 99");
    const bytes = db.export();
    writeFileSync(file, bytes);
    const opening = SqlJsSaver.open({ file });
    await expect(opening).rejects.toThrow(DatabaseVersionError);
    await expect(opening).rejects.toMatchObject({ code: "DATABASE_VERSION", found: 99, supported: 1 });
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
