import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SqlJsSaver, type StorageEvent } from "../src/index.js";
import { loadFile } from "../src/loading.js";
import { lockPathOf } from "../src/lock.js";
import { saverModel } from "../src/saver-model.js";
import { bundleFixture, start } from "./support/child.js";
import { dependencies, namesIn, on, putAll, scratch } from "./support/helpers.js";

/** 40 in `npm test`; `npm run soak -- 2000` for more. */
const KILLS = Number(process.env["SOAK"] ?? 25);
/** After so many the file is begun anew, or checking it would take longer than the killing. */
const PER_FILE = 8;

let script: string;
beforeAll(async () => {
  ({ script } = await bundleFixture("process.ts"));
});

describe("a process that is killed while it writes and folds", () => {
  it(
    `leaves a file with every acknowledged checkpoint, ${KILLS} times`,
    { timeout: KILLS * 5_000 },
    async () => {
      let folder = "";
      let acknowledged: string[] = [];
      const seen = { torn: 0, temporary: 0, generations: 0 };
      for (let kill = 0; kill < KILLS; kill += 1) {
        if (kill % PER_FILE === 0) {
          folder = scratch();
          acknowledged = [];
        }
        const file = join(folder, "t.sqlite");
        const child = start(script, ["flood", file]);
        await child.line("ack");
        const hasTemporary = (): boolean => readdirSync(folder).some((name) => name.endsWith(".tmp"));
        // Half of them at any moment, half during a fold.
        const until = Date.now() + 500;
        if (kill % 2 === 0) await new Promise((wake) => setTimeout(wake, (kill * 37) % 120));
        else while (!hasTemporary() && Date.now() < until) await new Promise((wake) => setTimeout(wake, 1));
        child.process.kill("SIGKILL");
        expect(await child.ended).toBe("SIGKILL");
        acknowledged.push(...child.lines.map((line) => line.slice(4)));
        expect(existsSync(lockPathOf(file))).toBe(true);
        if (hasTemporary()) seen.temporary += 1;

        const events: StorageEvent[] = [];
        const saver = await SqlJsSaver.open({ file }, { onEvent: (event) => events.push(event) });
        const loaded = await loadFile(file, saverModel, await dependencies());
        const stored = loaded?.state.threads.get("t")?.namespaces.get("")?.checkpoints;
        expect(acknowledged.filter((line) => !stored?.has(line.split(" ")[0]!))).toEqual([]);
        // Reading them all back takes longer than the killing: the newest, and one in five of the others.
        const newest = acknowledged.length - child.lines.length;
        for (const [index, line] of acknowledged.entries()) {
          if (index < newest && index % 5 !== kill % 5) continue;
          const [id, value] = line.split(" ");
          const tuple = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_id: id } });
          const found = tuple?.checkpoint.channel_values["value"] as string | undefined;
          expect(found?.slice(0, value!.length)).toBe(value);
        }
        // The first writer afterwards breaks the dead one's lock at once and clears what it left behind.
        await putAll(saver, on("parent"));
        await saver.close();
        expect(namesIn(folder)).toEqual(["t.sqlite"]);
        for (const { type } of events) {
          expect(["journal-tail-dropped", "folded"]).toContain(type);
          if (type === "journal-tail-dropped") seen.torn += 1;
        }
        const generation = Math.max(
          ...readdirSync(folder).map((name) => Number(/\.(\d+)\.log$/.exec(name)?.[1] ?? 0)),
        );
        seen.generations = Math.max(seen.generations, generation);
      }
      // Otherwise the kills missed what they were for.
      expect(seen.temporary + seen.torn).toBeGreaterThan(0);
      expect(seen.generations).toBeGreaterThan(2);
    },
  );
});
