import { existsSync } from "node:fs";
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
});
