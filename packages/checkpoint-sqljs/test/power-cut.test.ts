import { describe, expect, it } from "vitest";
import { SqlJsSaverError, type SqlJsSaver, type Durability, type StorageEvent } from "../src/index.js";
import { systemProcesses } from "../src/process-identity.js";
import { FileStorage } from "../src/file-storage.js";
import { dependencies, on, putAll, saverOn } from "./support/helpers.js";
import { History } from "./support/history.js";
import { inFolder, RecordingFileSystem, type DiskImage, type Loss } from "./support/recording-file-system.js";

/** Every step in the long version. */
const STEP = process.env["SOAK"] ? 1 : 4;

const FILE = inFolder("t.sqlite");

/** After a restart the process of the lock is gone, whatever its pid. */
const restarted = { ...systemProcesses(), judge: () => "dead" as const };

const openOn = async (
  disk: RecordingFileSystem,
  durability: Durability = "grouped",
  onEvent: (event: StorageEvent) => void = () => {},
): Promise<SqlJsSaver> => {
  const deps = await dependencies({
    fs: disk.fs,
    processes: restarted,
    durability,
    onEvent,
    // Several folds within a few puts.
    foldFromBytes: 6_000,
  });
  return saverOn(await FileStorage.open(FILE, deps));
};

/** Runs until the power is cut; what happens to calls after it is nobody's business. */
const runUntilCut = async (
  cutAt: number,
  durability: Durability,
  image: DiskImage = new Map(),
): Promise<{ disk: RecordingFileSystem; history: History; cut: boolean }> => {
  const disk = new RecordingFileSystem(image, cutAt);
  const history = new History();
  try {
    const saver = await openOn(disk, durability);
    for (let index = 0; index < 12; index += 1) await history.put(saver);
    await saver.close();
    return { disk, history, cut: disk.steps > cutAt };
  } catch (error) {
    if (!(error instanceof SqlJsSaverError) || disk.steps <= cutAt) throw error;
    return { disk, history, cut: true };
  }
};

const random = (seed: number): ((choices: number) => number) => {
  let state = seed;
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * choices);
  };
};

const expectWhole = async (history: History, image: DiskImage, label: string): Promise<void> => {
  const events: StorageEvent[] = [];
  const saver = await openOn(new RecordingFileSystem(image), "grouped", (event) => events.push(event));
  expect([label, await history.check(saver)]).toEqual([label, { wrong: [], missing: [] }]);
  // And goes on.
  await putAll(saver, on("after"), { big: "x".repeat(10_000) });
  expect([label, await history.check(saver)]).toEqual([label, { wrong: [], missing: [] }]);
  await saver.close();
  const again = await openOn(new RecordingFileSystem(image), "grouped", (event) => events.push(event));
  expect([label, await history.check(again)]).toEqual([label, { wrong: [], missing: [] }]);
  const harmless = new Set(["folded", "journal-tail-dropped"]);
  expect([label, events.filter(({ type }) => !harmless.has(type))]).toEqual([label, []]);
};

describe("a power cut at any step of a run with folds", () => {
  it(
    "loses nothing that was acknowledged, whatever of the unsynced is on the disk",
    { timeout: 600_000 },
    async () => {
      let points = 0;
      for (let cutAt = 1; ; cutAt += STEP) {
        const { disk, history, cut } = await runUntilCut(
          cutAt,
          Math.floor(cutAt / STEP) % 2 === 0 ? "grouped" : "sync",
        );
        const losses: Loss[] = ["everything", "nothing", random(cutAt), random(cutAt + 1_000)];
        for (const [index, loss] of losses.entries())
          await expectWhole(history, disk.image(loss), `cut at step ${cutAt}, loss ${index}`);
        points += 1;
        if (!cut) break;
      }
      // Otherwise nothing was shown.
      expect(points * STEP).toBeGreaterThan(120);
    },
  );

  it(
    "loses nothing either when it comes during the repair of an earlier one",
    { timeout: 60_000 },
    async () => {
      const first = await runUntilCut(70, "grouped");
      const image = first.disk.image(random(5));
      for (let cutAt = 1; cutAt < 40; cutAt += STEP) {
        const disk = new RecordingFileSystem(image, cutAt);
        await (async () => {
          const saver = await openOn(disk);
          await putAll(saver, on("after"), { big: "x".repeat(10_000) });
          await putAll(saver, on("after"));
        })().catch((error: unknown) => expect(error).toBeInstanceOf(SqlJsSaverError));
        for (const loss of ["everything", random(cutAt)] as const)
          await expectWhole(first.history, disk.image(loss), `second cut at ${cutAt}`);
      }
    },
  );

  it("in relaxed durability loses at most the end, in order", { timeout: 60_000 }, async () => {
    for (let cutAt = 5; cutAt < 140; cutAt += 4 * STEP) {
      const { disk, history } = await runUntilCut(cutAt, "relaxed");
      for (const loss of ["everything", random(cutAt)] as const) {
        const saver = await openOn(new RecordingFileSystem(disk.image(loss)));
        const { wrong, missing } = await history.check(saver);
        const ids = Array.from(history.acknowledged.keys());
        // A checkpoint whose writes were lost has none, and is then "wrong" only if it is the last one.
        expect(wrong.length).toBeLessThanOrEqual(1);
        expect(missing).toEqual(ids.slice(ids.length - missing.length));
      }
    }
  });
});
