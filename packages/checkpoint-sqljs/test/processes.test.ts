import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SqlJsSaver } from "../src/index.js";
import { lockPathOf } from "../src/lock.js";
import { threadFileName } from "../src/thread-file-name.js";
import { bundleFixture, start } from "./support/child.js";
import { collect, on, putAll, scratch } from "./support/helpers.js";

let script: string;
beforeAll(async () => {
  ({ script } = await bundleFixture("process.ts"));
});

const idsIn = async (saver: SqlJsSaver): Promise<Set<string>> =>
  new Set((await collect(saver.list(on("t")))).map((tuple) => tuple.checkpoint.id));

const hasTemporary = (folder: string): boolean => readdirSync(folder).some((name) => name.endsWith(".tmp"));

describe("two processes", () => {
  it("work on two threads of one directory side by side, and each reads what the other writes", async () => {
    const directory = scratch();
    const child = start(script, ["hold", directory, "theirs"]);
    await child.line("ack");
    await using saver = await SqlJsSaver.open({ directory });
    await putAll(saver, on("mine"));
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["mine", "theirs"]);
    expect((await saver.getTuple(on("theirs")))?.checkpoint.channel_values).toEqual({ value: "held" });
    await expect(putAll(saver, on("theirs"))).rejects.toMatchObject({
      code: "DATABASE_LOCKED",
      file: join(directory, threadFileName("theirs")),
      holder: { pid: child.process.pid },
    });
    await expect(saver.deleteThread("theirs")).rejects.toMatchObject({ code: "DATABASE_LOCKED" });
    child.process.stdin!.end();
    expect(await child.ended).toBe(0);
    await putAll(saver, on("theirs"));
    expect(await collect(saver.list(on("theirs")))).toHaveLength(2);
  });

  it("cannot both write one file, and the second takes over with the first one's data once it closes", async () => {
    const file = join(scratch(), "t.sqlite");
    // Opened and read before the other writes: taking the lock has to notice that the file is another one since.
    await using saver = await SqlJsSaver.open({ file });
    await putAll(saver, on("t"));
    const refused = start(script, ["once", file]);
    expect(await refused.line("DATABASE_LOCKED")).toBe("DATABASE_LOCKED");
    await saver.close();

    const again = await SqlJsSaver.open({ file });
    expect((await idsIn(again)).size).toBe(1);
    const child = start(script, ["hold", file]);
    const id = (await child.line("ack")).slice(4);
    await expect(putAll(again, on("t"))).rejects.toMatchObject({ code: "DATABASE_LOCKED" });
    expect(await idsIn(again)).toContain(id);
    child.process.stdin!.end();
    await child.ended;
    await putAll(again, on("t"));
    expect((await idsIn(again)).size).toBe(3);
    await again.close();
  });

  it("an open saver keeps no process alive, prints nothing, and its lock goes at exit", async () => {
    const file = join(scratch(), "t.sqlite");
    const child = start(script, ["leave", file]);
    expect(await child.ended).toBe(0);
    expect(child.lines.map((line) => line.slice(0, 3))).toEqual(["ack"]);
    expect(child.stderr()).toBe("");
    expect(existsSync(file)).toBe(true);
    expect(existsSync(lockPathOf(file))).toBe(false);
  });

  it(
    "kill -9 during saves, thirty times: the file opens and has every acknowledged checkpoint",
    { timeout: 120_000 },
    async () => {
      const folder = scratch();
      const file = join(folder, "t.sqlite");
      const acknowledged: string[] = [];
      let interrupted = 0;
      const seed = await SqlJsSaver.open({ file });
      // Makes a save long enough to be hit.
      await putAll(seed, on("big"), { x: "x".repeat(4_000_000) });
      await seed.close();
      for (let kill = 0; kill < 30; kill += 1) {
        const child = start(script, ["flood", file]);
        await child.line("ack");
        // Half of them at any moment, half as soon as a temporary file is seen.
        if (kill % 2 === 0) await new Promise((wake) => setTimeout(wake, kill * 1.3));
        else while (!hasTemporary(folder)) await new Promise((wake) => setImmediate(wake));
        child.process.kill("SIGKILL");
        expect(await child.ended).toBe("SIGKILL");
        acknowledged.push(...child.lines.map((line) => line.slice(4)));
        expect(existsSync(lockPathOf(file))).toBe(true);
        if (hasTemporary(folder)) interrupted += 1;

        const saver = await SqlJsSaver.open({ file });
        const found = await idsIn(saver);
        expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
        // The first writer afterwards breaks the dead one's lock at once and clears what it left behind.
        await putAll(saver, on("parent"));
        await saver.close();
        expect(readdirSync(folder)).toEqual(["t.sqlite"]);
      }
      expect(statSync(file).size).toBeGreaterThan(4_000_000);
      // Otherwise the kills missed the saves, and nothing was shown.
      expect(interrupted).toBeGreaterThan(3);
    },
  );
});
