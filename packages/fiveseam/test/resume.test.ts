import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runChild } from "./child.js";
import { workspaceWith } from "./support.js";

const CHILD = fileURLToPath(new URL("resume-child.mjs", import.meta.url));
/** With `RESUME_STRIDE=1` a run of its own is killed at every moment, with 2 at every second …; it takes some minutes. */
const STRIDE = Number(process.env["RESUME_STRIDE"] ?? 0);

type Places = Awaited<ReturnType<typeof workspaceWith>>;
interface End {
  moments: Record<string, number>;
  text: string;
}

/** What the process says at its end; undefined when it was killed. */
const child = async (places: Places, begin: boolean, killAt?: string): Promise<End | undefined> => {
  const { lines, killed } = await runChild(CHILD, [JSON.stringify({ ...places, begin, killAt })]);
  if (!killed) expect(lines, "what the process says").toHaveLength(1);
  return killed ? undefined : (lines[0] as End);
};

const begin = () => workspaceWith({ log: "", "doomed.txt": "x\n" });

const FILES = {
  log: "effect-1\neffect-2\neffect-d1\neffect-d2\neffect-3\neffect-4\n",
  "a.txt": "first and third\n",
  "b.txt": "bee\n",
  "c.txt": "sea\n",
  "d.txt": "from the delegate\n",
};
const END = {
  reason: "completed",
  text: expect.stringMatching(/^all done\n[^]*one fact\.\nanother fact\.\n$/) as string,
  next: [],
  orphans: [],
  todos: [{ content: "the work", status: "completed" }],
};

/** Everything that the work left: the files, and how the run ended. How often something was looked at again is no matter. */
const expectTheEnd = async ({ workspace }: Places, end: End, how: string): Promise<void> => {
  const names = (await readdir(workspace)).filter((name) => !name.startsWith("."));
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(path.join(workspace, name), "utf8")] as const),
  );
  const expected = { ...END, moments: end.moments, files: FILES };
  expect({ ...end, files: Object.fromEntries(files) }, how).toEqual(expected);
};

/** Resumes until a process comes to its end, and says how many did not. */
const resumed = async (places: Places, killAt?: string): Promise<{ end: End; killed: number }> => {
  for (let killed = 0; killed < 60; killed += 1) {
    const end = await child(places, false, killAt);
    if (end) return { end, killed };
  }
  throw new Error("The run does not come to an end.");
};

describe("a run that is killed in models, in tools and between steps, each time resumed in a new process", () => {
  it("ends in the same files and the same state, each effect once", async () => {
    // A run has about a hundred moments at which it can be killed; this number falls on others each time.
    const runs = (STRIDE > 0 ? [17, 23] : [23]).map(async (nth) => {
      const places = await begin();
      const killAt = `any:${nth}`;
      expect(await child(places, true, killAt)).toBeUndefined();
      const { end, killed } = await resumed(places, killAt);
      await expectTheEnd(places, end, `killed at every ${nth}th moment`);
      expect(killed).toBeGreaterThan(2);
    });
    await Promise.all(runs);
  }, 180_000);
});

describe.runIf(STRIDE > 0)("a run that is killed once", () => {
  it("ends in the same files and the same state, each effect once, whatever the moment", async () => {
    const undisturbed = await begin();
    const end = await child(undisturbed, true);
    if (!end) throw new Error("The run was killed.");
    await expectTheEnd(undisturbed, end, "not killed");
    const all = Object.entries(end.moments).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, at) => `${kind}:${at + 1}`),
    );
    const left = all.filter((_, at) => at % STRIDE === 0);
    const faults: string[] = [];
    const work = async (): Promise<void> => {
      for (let killAt = left.pop(); killAt !== undefined; killAt = left.pop()) {
        const places = await begin();
        try {
          expect(await child(places, true, killAt), `${killAt}: was not killed`).toBeUndefined();
          await expectTheEnd(places, (await resumed(places)).end, killAt);
        } catch (error) {
          faults.push((error as Error).message);
        }
      }
    };
    // Process starts are slow: as many at a time as the smallest machine has cores.
    await Promise.all([work(), work()]);
    expect(faults).toEqual([]);
  }, 1_800_000);
});
