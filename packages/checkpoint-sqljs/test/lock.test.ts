import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeFileSystem, type FileSystem } from "../src/file-system.js";
import {
  DatabaseLockedError,
  LockLostError,
  SqlJsSaver,
  type LockHolder,
  type StorageEvent,
} from "../src/index.js";
import { journalPathOf } from "../src/journal.js";
import { acquireLock, lockPathOf, newNonce, type HeldLock } from "../src/lock.js";
import { JournaledFile } from "../src/journaled-file.js";
import { systemProcesses, type ProcessTable } from "../src/process-identity.js";
import { summarizeThreads } from "../src/queries.js";
import { saverModel } from "../src/saver-model.js";
import { FileStorage } from "../src/file-storage.js";
import type { SaverState } from "../src/thread-state.js";
import { bundleFixture, wasmPath } from "./support/child.js";
import { collect, dependencies, errno, namesIn, on, putAll, saverOn, scratch } from "./support/helpers.js";

const { self } = systemProcesses();
/** Only root may make a pid namespace, and not in every container. */
const canUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;
const holder = (over: Partial<LockHolder> = {}): LockHolder => ({ ...self, nonce: newNonce(), ...over });

/** A process table in which only these pids live. */
const living = (...pids: number[]): ProcessTable => ({
  self: { pid: pids[0]!, host: "h" },
  judge: ({ pid }) => (pids.includes(pid) ? "alive" : "dead"),
});

const plant = (file: string, content: LockHolder | string): void =>
  writeFileSync(lockPathOf(file), typeof content === "string" ? content : JSON.stringify(content));

const newFile = (): string => join(scratch(), "t.sqlite");

describe("the lock of a file", () => {
  it("is taken at the first write, not by opening or reading, and names its holder", async () => {
    const file = newFile();
    const saver = await SqlJsSaver.open({ file });
    await saver.getTuple(on("t"));
    expect(existsSync(lockPathOf(file))).toBe(false);
    await putAll(saver, on("t"));
    expect(JSON.parse(readFileSync(lockPathOf(file), "utf8"))).toMatchObject({
      pid: process.pid,
      host: self.host,
    });
    await saver.close();
    expect(existsSync(lockPathOf(file))).toBe(false);
  });

  it("is not taken with lock: false", async () => {
    const file = newFile();
    plant(file, holder());
    await using saver = await SqlJsSaver.open({ file }, { lock: false });
    await putAll(saver, on("t"));
    expect(await collect(saver.list(on("t")))).toHaveLength(1);
  });

  it("keeps a second copy of this package in the same process out, and lets it read", async () => {
    const file = newFile();
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    // Not through the registry: as if loaded twice, once as ESM and once as CJS.
    const other = new JournaledFile(file, saverModel, await dependencies());
    const countIn = (state: SaverState): number => summarizeThreads(state)[0]!.checkpoints;
    const count = (): Promise<number | undefined> => other.read(countIn);
    expect(await count()).toBe(1);
    await putAll(saver, on("t"));
    expect(await count()).toBe(2);
    const writing = other.write(() => ({ payload: undefined, apply: () => "never", undo: () => {} }));
    await expect(writing).rejects.toThrow(DatabaseLockedError);
    await expect(writing).rejects.toMatchObject({
      code: "DATABASE_LOCKED",
      file,
      holder: { pid: process.pid },
    });
    expect(await count()).toBe(2);
    await putAll(saver, on("t"));
    await saver.close();
    // It takes the lock now, and sees what was written since it last looked.
    const counted = other.write((state) => ({
      payload: undefined,
      apply: () => countIn(state),
      undo: () => {},
    }));
    expect(await counted).toBe(3);
    await other.close();
  });

  it("does not mislead a reader who saw a record that its writer then took back", async () => {
    const file = newFile();
    let failing = false;
    let read: () => Promise<void> = async () => {};
    const fs: FileSystem = {
      ...nodeFileSystem,
      async openLog(path) {
        const log = await nodeFileSystem.openLog(path);
        const sync = async (): Promise<void> => {
          if (!failing) return log.sync();
          failing = false;
          // Between the write and the fsync that fails.
          await read();
          throw errno("EIO");
        };
        return { ...log, sync };
      },
    };
    await using saver = saverOn(await FileStorage.open(file, await dependencies({ fs })));
    await putAll(saver, on("t"), { x: 1 });
    const reader = new JournaledFile(file, saverModel, await dependencies());
    const threads = async (): Promise<string[]> =>
      Array.from((await reader.read((state) => state.threads))!.keys());
    read = async () => expect(await threads()).toEqual(["t", "taken back"]);
    failing = true;
    await expect(putAll(saver, on("taken back"), { x: 2 })).rejects.toMatchObject({ code: "SAVE_FAILED" });
    await putAll(saver, on("longer than what was taken back"), { x: "x".repeat(5_000) });
    expect(await threads()).toEqual(["t", "longer than what was taken back"]);
    await reader.close();
  });

  it("of a dead process is broken at once, and its half-written file removed", async () => {
    const file = newFile();
    const dead = holder({ pid: 2 ** 22 + 1 });
    plant(file, dead);
    writeFileSync(`${file}.${dead.nonce}.tmp`, "half");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    expect(namesIn(join(file, ".."))).toEqual(["t.sqlite", "t.sqlite.lock"]);
  });

  it.runIf(process.platform === "linux")("of a recycled pid is recognised by the start time", async () => {
    const file = newFile();
    plant(file, holder({ pid: process.pid, started: `${self.started!}9` }));
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    expect(await saver.listThreads()).toHaveLength(1);
  });

  it.each([
    ["a live process", holder({ pid: process.ppid, started: undefined })],
    ["another host, whatever the pid", holder({ host: "elsewhere", pid: 2 ** 22 + 1 })],
    ["a lock file that cannot be read, as long as it is fresh", "{ half"],
  ])("of %s is respected", async (_who, content) => {
    const file = newFile();
    plant(file, content);
    const before = readFileSync(lockPathOf(file), "utf8");
    await using saver = await SqlJsSaver.open({ file });
    await expect(putAll(saver, on("t"))).rejects.toThrow(DatabaseLockedError);
    await expect(putAll(saver, on("t"))).rejects.toThrow(new RegExp(`delete .*t\\.sqlite\\.lock`));
    expect(readFileSync(lockPathOf(file), "utf8")).toBe(before);
    expect(existsSync(file)).toBe(false);
  });

  it("that cannot be read is broken once it is old", async () => {
    const file = newFile();
    plant(file, "");
    const fs = { ...nodeFileSystem, lastWrite: () => Promise.resolve({ atMs: 0, ageMs: 60_000 }) };
    const lock = await acquireLock(file, { fs, processes: systemProcesses() });
    await lock.verify();
    await lock.release();
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  describe("of a process that cannot be seen", () => {
    const beats = { silentMs: 200, watchMs: 100 };
    const elsewhere = holder({ host: "elsewhere" });
    const inContainer = holder({ pid: 2 ** 22 + 1, pidNamespace: "pid:[1]" });
    const aMinuteAgo = new Date(Date.now() - 60_000);

    it.each([
      ["on another machine", elsewhere],
      ["in another container of the same name", inContainer],
    ])("%s is broken after long silence, and an event says so", async (_where, gone) => {
      const file = newFile();
      plant(file, gone);
      utimesSync(lockPathOf(file), aMinuteAgo, aMinuteAgo);
      const events: StorageEvent[] = [];
      const lock = await acquireLock(file, {
        fs: nodeFileSystem,
        processes: systemProcesses(),
        beats,
        onEvent: (event) => events.push(event),
      });
      await lock.verify();
      expect(events).toEqual([{ type: "lock-broken", file, holder: gone }]);
      expect(readdirSync(join(file, ".."))).toEqual(["t.sqlite.lock"]);
      await lock.release();
    });

    it("is respected while it beats, also when a clock that jumped makes the beat look old", async () => {
      const file = newFile();
      plant(file, elsewhere);
      utimesSync(lockPathOf(file), aMinuteAgo, aMinuteAgo);
      const beat = setTimeout(
        () => void nodeFileSystem.touch(lockPathOf(file), JSON.stringify(elsewhere)),
        50,
      );
      const acquiring = acquireLock(file, { fs: nodeFileSystem, processes: systemProcesses(), beats });
      await expect(acquiring).rejects.toThrow(DatabaseLockedError);
      clearTimeout(beat);
      await expect(
        acquireLock(file, { fs: nodeFileSystem, processes: systemProcesses() }),
      ).rejects.toMatchObject({ holder: { host: "elsewhere" } });
    });

    it("beats as long as it holds the lock, and does not touch another's", async () => {
      const file = newFile();
      await using saver = await SqlJsSaver.open({ file });
      await putAll(saver, on("t"));
      const lock = lockPathOf(file);
      utimesSync(lock, aMinuteAgo, aMinuteAgo);
      await expect
        .poll(() => statSync(lock).mtimeMs, { timeout: 5_000 })
        .toBeGreaterThan(aMinuteAgo.getTime());
      plant(file, elsewhere);
      utimesSync(lock, aMinuteAgo, aMinuteAgo);
      await new Promise((wake) => setTimeout(wake, 2_500));
      expect(statSync(lock).mtimeMs).toBeCloseTo(aMinuteAgo.getTime(), 0);
    });

    it.skipIf(!canUnshare)(
      "is respected in a pid namespace where its number means nothing (requires: unshare)",
      async () => {
        const { script } = await bundleFixture("process.ts");
        const file = newFile();
        await using saver = await SqlJsSaver.open({ file });
        await putAll(saver, on("t"));
        const inside = spawnSync(
          "unshare",
          ["--pid", "--fork", "--mount-proc", process.execPath, script, "leave", file],
          { env: { ...process.env, WASM: wasmPath }, encoding: "utf8" },
        );
        expect(inside.stderr + inside.stdout).toContain("DATABASE_LOCKED");
        await putAll(saver, on("t"));
      },
    );
  });

  it("is won by exactly one of many breakers", async () => {
    for (let round = 0; round < 20; round += 1) {
      const file = newFile();
      plant(file, { pid: 1_000, host: "h", nonce: newNonce() });
      const processes = living(1, 2, 3, 4, 5, 6, 7, 8);
      const tries = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6, 7, 8].map((pid) =>
          acquireLock(file, { fs: nodeFileSystem, processes: { ...processes, self: { pid, host: "h" } } }),
        ),
      );
      const won = tries.filter(
        (result): result is PromiseFulfilledResult<HeldLock> => result.status === "fulfilled",
      );
      expect(won).toHaveLength(1);
      for (const result of tries)
        if (result.status === "rejected") expect(result.reason).toBeInstanceOf(DatabaseLockedError);
      await won[0]!.value.verify();
      expect(readdirSync(join(file, ".."))).toEqual(["t.sqlite.lock"]);
      await won[0]!.value.release();
    }
  });

  it("is not broken by one who judged it stale before another replaced it", async () => {
    const file = newFile();
    const stale: LockHolder = { pid: 1_000, host: "h", nonce: newNonce() };
    plant(file, stale);
    const processes = living(1, 2);
    let winner: HeldLock | undefined;
    // The slow breaker has read the stale lock; before it can claim it, the quick one breaks it and finishes.
    const slow: ProcessTable = { self: { pid: 2, host: "h" }, judge: processes.judge };
    const fs = {
      ...nodeFileSystem,
      async createExclusive(path: string, text: string): Promise<boolean> {
        if (path.endsWith(stale.nonce) && !winner)
          winner = await acquireLock(file, { fs: nodeFileSystem, processes });
        return nodeFileSystem.createExclusive(path, text);
      },
    };
    await expect(acquireLock(file, { fs, processes: slow })).rejects.toMatchObject({ holder: { pid: 1 } });
    await winner!.verify();
    await winner!.release();
  });

  it("can still be broken when a breaker died in the middle", async () => {
    const file = newFile();
    const stale: LockHolder = { pid: 1_000, host: "h", nonce: newNonce() };
    plant(file, stale);
    writeFileSync(
      `${lockPathOf(file)}.${stale.nonce}`,
      JSON.stringify({ pid: 1_001, host: "h", nonce: newNonce() }),
    );
    const lock = await acquireLock(file, { fs: nodeFileSystem, processes: living(1) });
    await lock.verify();
    expect(readdirSync(join(file, ".."))).toEqual(["t.sqlite.lock"]);
    await lock.release();
  });

  it("that was stolen stops the holder before it overwrites the thief's data", async () => {
    const file = newFile();
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("mine"));
    const thief = holder({ pid: process.ppid, started: undefined });
    plant(file, thief);
    const bytes = readFileSync(journalPathOf(file, 1));
    const writing = putAll(saver, on("late"));
    await expect(writing).rejects.toThrow(LockLostError);
    await expect(writing).rejects.toMatchObject({ code: "LOCK_LOST", file });
    expect(readFileSync(journalPathOf(file, 1)).equals(bytes)).toBe(true);
    expect(namesIn(join(file, ".."))).toEqual(["t.sqlite", "t.sqlite.lock"]);
    // From now on it is somebody else's lock, also when closing.
    await expect(putAll(saver, on("late"))).rejects.toThrow(DatabaseLockedError);
    await saver.close();
    expect(JSON.parse(readFileSync(lockPathOf(file), "utf8"))).toEqual(thief);
  });

  it("that was removed by hand costs one save and is then taken again", async () => {
    const file = newFile();
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    rmSync(lockPathOf(file));
    await expect(putAll(saver, on("t"))).rejects.toThrow(LockLostError);
    await putAll(saver, on("t"));
    expect(await collect(saver.list(on("t")))).toHaveLength(2);
  });

  it("is created with its content or not at all", async () => {
    const file = newFile();
    const made = await Promise.all(
      ["a", "b", "c"].map((text) => nodeFileSystem.createExclusive(lockPathOf(file), text)),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(lockPathOf(file), "utf8")).toBe(["a", "b", "c"][made.indexOf(true)]);
    expect(readdirSync(join(file, ".."))).toEqual(["t.sqlite.lock"]);
  });

  it("leaves one exit handler while any is held and none afterwards", async () => {
    const before = process.listenerCount("exit");
    const savers = await Promise.all(
      [newFile(), newFile(), newFile()].map((file) => SqlJsSaver.open({ file })),
    );
    for (const saver of savers) await putAll(saver, on("t"));
    expect(process.listenerCount("exit")).toBe(before + 1);
    for (const saver of savers) await saver.close();
    expect(process.listenerCount("exit")).toBe(before);
  });
});
