import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../src/file-storage.js";
import { nodeFileSystem, type FileSystem } from "../src/file-system.js";
import type { StorageEvent } from "../src/index.js";
import { lockPathOf } from "../src/lock.js";
import { systemProcesses } from "../src/process-identity.js";
import { collect, dependencies, on, putAll, saverOn, scratch } from "./support/helpers.js";

// A holder that stands still between looking at its lock and writing, for so long that another process, which cannot see
// whether it lives, breaks the lock and goes on.

const stranger = {
  self: { ...systemProcesses().self, host: "elsewhere" },
  judge: () => "unknown" as const,
};

const setUp = async (stall: Partial<FileSystem> & { before?: () => void }) => {
  const file = join(scratch(), "t.sqlite");
  const events: StorageEvent[] = [];
  const first = saverOn(
    await FileStorage.open(file, await dependencies({ fs: { ...nodeFileSystem, ...stall } })),
  );
  const takeOver = async (): Promise<void> => {
    const old = new Date(Date.now() - 60_000);
    utimesSync(lockPathOf(file), old, old);
    const second = saverOn(
      await FileStorage.open(
        file,
        await dependencies({
          fs: { ...nodeFileSystem },
          processes: stranger,
          beats: { silentMs: 1_000, watchMs: 20 },
          onEvent: (event) => events.push(event),
        }),
      ),
    );
    await putAll(second, on("t"), {}, { by: "second" });
    await second.close();
  };
  const stored = async (): Promise<unknown[]> => {
    await using third = saverOn(
      await FileStorage.open(file, await dependencies({ fs: { ...nodeFileSystem } })),
    );
    expect(await third.integrityCheck()).toEqual([]);
    const tuples = await collect(third.list(on("t")));
    return tuples.map(({ metadata }) => (metadata as { by?: unknown }).by).toSorted();
  };
  return { first, takeOver, stored, events };
};

describe("a holder that stood still while its lock was broken", () => {
  it("before its write: the call does not count, and what the other one stored stays", async () => {
    let stall: (() => Promise<void>) | undefined;
    const { first, takeOver, stored, events } = await setUp({
      async openLog(path) {
        const log = await nodeFileSystem.openLog(path);
        return {
          ...log,
          async write(bytes, at) {
            const now = stall;
            stall = undefined;
            await now?.();
            return log.write(bytes, at);
          },
        };
      },
    });
    await putAll(first, on("t"), {}, { by: "first" });
    stall = takeOver;
    await expect(putAll(first, on("t"), {}, { by: "late" })).rejects.toMatchObject({ code: "LOCK_LOST" });
    expect(events.map(({ type }) => type)).toContain("lock-broken");
    expect(await stored()).toEqual(["first", "second"]);
    await first.close();
    expect(await stored()).toEqual(["first", "second"]);
  });

  it.each([1, 2, 3])("before rename %i of a fold: the other one's file is not replaced", async (which) => {
    let renames = 0;
    let stall: (() => Promise<void>) | undefined;
    const { first, takeOver, stored } = await setUp({
      async rename(from, to) {
        renames += 1;
        if (stall && renames === which) {
          const now = stall;
          stall = undefined;
          await now();
        }
        return nodeFileSystem.rename(from, to);
      },
    });
    await putAll(first, on("t"), {}, { by: "first" });
    renames = 0;
    stall = takeOver;
    await first.compact().catch((error: unknown) => error);
    expect(stall).toBeUndefined();
    expect(await stored()).toEqual(["first", "second"]);
    await putAll(first, on("t"), {}, { by: "late" }).catch((error: unknown) => error);
    expect(await stored()).toEqual(expect.arrayContaining(["first", "second"]));
    await first.close();
  });
});
