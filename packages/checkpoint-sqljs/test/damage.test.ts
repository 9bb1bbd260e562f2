import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SqlJsSaver, SqlJsSaverError, type StorageEvent } from "../src/index.js";
import { crc32, crc32InScript } from "../src/crc32.js";
import { journalGenerations } from "../src/loading.js";
import { nodeFileSystem } from "../src/file-system.js";
import { systemProcesses } from "../src/process-identity.js";
import { FileStorage } from "../src/file-storage.js";
import { dependencies, on, putAll, saverOn, scratch } from "./support/helpers.js";
import { History } from "./support/history.js";
import { inFolder, RecordingFileSystem, type DiskImage } from "./support/recording-file-system.js";

/** Every byte in the long version; a prime number of bytes apart in the short one. */
const STEP = process.env["SOAK"] ? 1 : 23;

const FILE = inFolder("t.sqlite");
const PREVIOUS = `${FILE}.prev`;

const openOn = async (
  disk: RecordingFileSystem,
  events: StorageEvent[] = [],
  foldFromBytes = 1e9,
): Promise<SqlJsSaver> =>
  saverOn(
    await FileStorage.open(
      FILE,
      await dependencies({
        fs: disk.fs,
        processes: { ...systemProcesses(), judge: () => "dead" as const },
        onEvent: (event) => events.push(event),
        foldFromBytes,
      }),
    ),
  );

/** Six checkpoints in the previous snapshot's journal, six in the present one's; both snapshots hold something. */
const history = new History((index) => `${index} `.repeat(200));
let whole: DiskImage;
let present: string;
let former: string;
beforeAll(async () => {
  const disk = new RecordingFileSystem();
  const saver = await openOn(disk);
  for (let index = 0; index < 4; index += 1) await history.put(saver);
  await saver.compact();
  for (let index = 0; index < 6; index += 1) await history.put(saver);
  await saver.compact();
  for (let index = 0; index < 6; index += 1) await history.put(saver);
  await saver.close();
  whole = disk.image("nothing");
  [former, present] = (await journalGenerations(FILE, disk.fs)).map((number) => `${FILE}.${number}.log`) as [
    string,
    string,
  ];
  expect(Array.from(whole.keys()).sort()).toEqual([FILE, former, present, PREVIOUS].sort());
});

const damaged = (path: string, change: (bytes: Buffer) => Buffer): DiskImage =>
  new Map(whole).set(path, change(Buffer.from(whole.get(path)!)));

interface Outcome {
  readonly refused: string | undefined;
  readonly wrong: string[];
  readonly missing: string[];
  readonly events: StorageEvent[];
  readonly after: DiskImage;
}

/** Opens, reads and writes. */
const tryOut = async (image: DiskImage): Promise<Outcome> => {
  const disk = new RecordingFileSystem(image);
  const events: StorageEvent[] = [];
  try {
    const saver = await openOn(disk, events);
    const read = await history.check(saver);
    await putAll(saver, on("after"));
    const written = await history.check(saver);
    expect(written).toEqual(read);
    await saver.close();
    return { refused: undefined, ...read, events, after: disk.image("nothing") };
  } catch (error) {
    if (!(error instanceof SqlJsSaverError)) throw error;
    return { refused: error.code, wrong: [], missing: [], events, after: disk.image("nothing") };
  }
};

const types = (outcome: Outcome): string[] => Array.from(new Set(outcome.events.map(({ type }) => type)));

describe("a journal that is cut", () => {
  it(
    "at any byte of its last records keeps what lies before, and says what it dropped",
    { timeout: 600_000 },
    async () => {
      const log = whole.get(present)!;
      const ids = Array.from(history.acknowledged.keys());
      let complete = 0;
      for (let length = log.length - 1; length > log.length - 2_500; length -= STEP) {
        const outcome = await tryOut(damaged(present, (bytes) => bytes.subarray(0, length)));
        expect(outcome.refused).toBeUndefined();
        expect(outcome.missing).toEqual(ids.slice(ids.length - outcome.missing.length));
        // The writes of the last checkpoint that is left may have been in the part that was cut.
        expect(outcome.wrong.length).toBeLessThanOrEqual(1);
        // A cut between two records leaves no trace; any other is reported.
        const torn = outcome.events.filter(({ type }) => type === "journal-tail-dropped");
        if (torn.length === 0) complete += 1;
        expect(torn.length).toBeLessThanOrEqual(1);
      }
      if (STEP === 1) expect(complete).toBeGreaterThan(1);
      expect(complete).toBeLessThan(12);
    },
  );
});

describe("a snapshot that is damaged", () => {
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["cut in half", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["cut to nothing", (bytes) => bytes.subarray(0, 0)],
    ["full of zeros", (bytes) => bytes.fill(0)],
    ["changed in one bit", (bytes) => ((bytes[bytes.length - 5_000]! ^= 1), bytes)],
    ["said to be of another format", (bytes) => ((bytes[60]! ^= 1), bytes)],
  ])("(%s) is set aside and made again from the one before it, without loss", async (_what, change) => {
    const bad = damaged(FILE, change);
    const outcome = await tryOut(bad);
    expect([outcome.refused, outcome.wrong, outcome.missing]).toEqual([undefined, [], []]);
    const [reading, repairing, ...more] = outcome.events.filter(({ type }) => type !== "folded");
    expect(reading).toMatchObject({ type: "snapshot-recovered", complete: true, setAside: undefined });
    expect(repairing).toMatchObject({
      type: "snapshot-recovered",
      complete: true,
      setAside: `${FILE}.damaged-1`,
    });
    expect(more).toEqual([]);
    expect(outcome.after.get(`${FILE}.damaged-1`)).toEqual(bad.get(FILE));
    // Repaired for good, and the good one before is still kept.
    const again = await tryOut(outcome.after);
    expect([again.wrong, again.missing, types(again)]).toEqual([[], [], []]);
    // Damaged once more, before anything was folded since.
    const twice = await tryOut(new Map(outcome.after).set(FILE, Buffer.from("garbage")));
    expect([twice.refused, twice.wrong, twice.missing]).toEqual([undefined, [], []]);
  });

  it("in nothing but the number of its journal is made again too, and cannot be sure that this was all", async () => {
    const outcome = await tryOut(damaged(FILE, (bytes) => ((bytes[63]! ^= 4), bytes)));
    expect([outcome.refused, outcome.wrong, outcome.missing]).toEqual([undefined, [], []]);
    expect(outcome.events[0]).toMatchObject({ type: "snapshot-recovered", complete: false });
  });

  it("with its predecessor gone too is refused and left as it is", async () => {
    const image = damaged(FILE, (bytes) => bytes.subarray(0, 9_000));
    image.delete(PREVIOUS);
    const outcome = await tryOut(image);
    expect(outcome.refused).toBe("DATABASE_CORRUPT");
    expect(outcome.after).toEqual(image);
  });

  it("whose journal is damaged as well gives what is left, and says that it is not all", async () => {
    const image = damaged(FILE, (bytes) => bytes.fill(0));
    image.set(present, Buffer.alloc(100));
    const outcome = await tryOut(image);
    expect([outcome.refused, outcome.wrong]).toEqual([undefined, []]);
    expect(outcome.missing).toHaveLength(6);
    expect(outcome.events.find(({ type }) => type === "snapshot-recovered")).toMatchObject({
      complete: false,
    });
  });
});

describe("a journal that is damaged", () => {
  it("in the middle keeps what lies before, a copy, and says how many records are lost", async () => {
    const bad = damaged(present, (bytes) => ((bytes[Math.floor(bytes.length / 2)]! ^= 1), bytes));
    const outcome = await tryOut(bad);
    expect(outcome.refused).toBeUndefined();
    expect(outcome.missing.length).toBeGreaterThan(0);
    const [reading, repairing] = outcome.events;
    expect(reading).toMatchObject({ type: "journal-damaged", setAside: undefined });
    expect(repairing).toMatchObject({ type: "journal-damaged", setAside: `${present}.damaged-1` });
    expect((repairing as { recordsLost: number }).recordsLost).toBeGreaterThan(2);
    expect(outcome.after.get(`${present}.damaged-1`)).toEqual(bad.get(present));
    expect(types(await tryOut(outcome.after))).toEqual([]);
  });

  it("or gone is reported, whether the snapshot is alone or not", async () => {
    const image = new Map(whole);
    image.delete(present);
    const outcome = await tryOut(image);
    expect(outcome.wrong).toEqual([]);
    expect(outcome.missing).toHaveLength(6);
    expect(outcome.events[0]).toMatchObject({ type: "snapshot-recovered", complete: false });
    const alone = await tryOut(new Map([[FILE, whole.get(FILE)!]]));
    expect(alone.missing).toHaveLength(6);
    expect(alone.events[0]).toMatchObject({ type: "journal-missing" });
    const header = await tryOut(damaged(present, (bytes) => bytes.fill(7, 0, 30)));
    expect(header.missing).toHaveLength(6);
    expect(header.events.length).toBeGreaterThan(0);
  });
});

describe("flipped bits", () => {
  it(
    "anywhere never give wrong data: all is there, or it says what is not",
    { timeout: 600_000 },
    async () => {
      let state = 1;
      const random = (choices: number): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * choices);
      };
      const seen = new Set<string>();
      for (const path of [FILE, present, PREVIOUS, former])
        for (let flip = 0; flip < (STEP === 1 ? 1_000 : 36); flip += 1) {
          const image = damaged(path, (bytes) => {
            // The first kilobyte holds the headers; hit them as often as all the rest.
            const at = random(flip % 2 === 0 ? Math.min(bytes.length, 1_000) : bytes.length);
            bytes[at]! ^= 1 << random(8);
            return bytes;
          });
          const outcome = await tryOut(image);
          const told = outcome.events.length > 0 || outcome.refused !== undefined;
          if (!told) expect([outcome.wrong, outcome.missing]).toEqual([[], []]);
          // Told or not: what is given is right, but for the writes of the checkpoint at which a journal ends.
          expect(outcome.wrong.length).toBeLessThanOrEqual(path === present ? 1 : 0);
          if (path === PREVIOUS || path === former) expect(told).toBe(false);
          if (path === FILE) expect([outcome.refused, outcome.missing]).toEqual([undefined, []]);
          for (const type of types(outcome)) seen.add(type);
        }
      expect(seen).toContain("snapshot-recovered");
      expect(seen).toContain("journal-damaged");
    },
  );
});

describe("the checksum", () => {
  it("is the same with and without Node's own", () => {
    for (const text of ["", "a", "123456789", "x".repeat(10_000)])
      expect(crc32InScript(Buffer.from(text))).toBe(crc32(Buffer.from(text)));
    expect(crc32InScript(Buffer.from("123456789"))).toBe(0xcb_f4_39_26);
  });
});

describe("on a real disk", () => {
  it("a snapshot is an ordinary SQLite file, and the one before it is kept", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("a"), { x: "x".repeat(20_000) });
    await saver.compact();
    await putAll(saver, on("b"));
    await saver.compact();
    expect(readFileSync(`${file}.prev`).subarray(0, 15).toString()).toBe("SQLite format 3");
    expect(await journalGenerations(file, nodeFileSystem)).toEqual([2, 3]);
  });
});
