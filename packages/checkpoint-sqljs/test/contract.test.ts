import { join } from "node:path";
import { ERROR, INTERRUPT, TASKS, type PendingWrite } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { InvalidConfigError, SaverClosedError, SqlJsSaver } from "../src/index.js";
import { MemoryStorage } from "../src/memory-storage.js";
import { checkpoint, collect, idOf, metadata, on, putAll, saverOn, scratch } from "./support/helpers.js";

const places = {
  memory: () => SqlJsSaver.open(":memory:"),
  file: () => SqlJsSaver.open({ file: join(scratch(), "threads.sqlite") }),
  directory: () => SqlJsSaver.open({ directory: scratch() }),
};

describe.each(Object.entries(places))("what the validation suite leaves out, in %s", (_place, open) => {
  it("returns pending writes by task path, then task id, then index, whatever the order of arrival", async () => {
    await using saver = await open();
    const at = await putAll(saver, on("t"));
    await saver.putWrites(
      at,
      [
        ["x", "b0"],
        ["x", "b1"],
      ],
      "task-b",
      "~1",
    );
    await saver.putWrites(at, [["x", "z0"]], "task-z", "~0");
    await saver.putWrites(at, [["x", "a0"]], "task-a", "~1");
    await saver.putWrites(at, [["x", "none"]], "task-zz");
    // A private-use character sorts before an emoji by code point, and after it by UTF-16 unit.
    await saver.putWrites(at, [["x", "emoji"]], "task-c", "~\u{1f600}");
    await saver.putWrites(at, [["x", "private"]], "task-c2", "~\ue000");
    const values = (await saver.getTuple(at))?.pendingWrites?.map((write) => write[2]);
    expect(values).toEqual(["none", "z0", "a0", "b0", "b1", "private", "emoji"]);
  });

  it("ignores an ordinary write that is already there and replaces a special one", async () => {
    await using saver = await open();
    const at = await putAll(saver, on("t"));
    const first: PendingWrite[] = [
      ["x", 1],
      [ERROR, "first"],
      ["y", 2],
    ];
    await saver.putWrites(at, first, "task");
    await saver.putWrites(
      at,
      [
        ["x", 9],
        [ERROR, "second"],
        ["y", 9],
        ["z", 3],
        [INTERRUPT, "i"],
      ],
      "task",
    );
    const writes = (await saver.getTuple(at))?.pendingWrites?.map(([, channel, value]) => [channel, value]);
    // An error at position 1 has index -1, so it neither takes nor loses the place of a real write.
    expect(writes).toEqual([
      [INTERRUPT, "i"],
      [ERROR, "second"],
      ["x", 1],
      ["y", 2],
      ["z", 3],
    ]);
  });

  it("keeps bytes exactly, in channels and in writes", async () => {
    await using saver = await open();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const at = await putAll(saver, on("t"), { bytes, none: new Uint8Array(0), nested: { bytes } });
    await saver.putWrites(at, [["bytes", bytes.subarray(250)]], "task");
    const tuple = await saver.getTuple(at);
    expect(Array.from(tuple?.checkpoint.channel_values["bytes"] as Uint8Array)).toEqual(Array.from(bytes));
    expect(tuple?.checkpoint.channel_values["none"]).toHaveLength(0);
    expect(tuple?.checkpoint.channel_values["nested"]).toEqual({ bytes });
    expect(Array.from(tuple?.pendingWrites?.[0]?.[2] as Uint8Array)).toEqual([250, 251, 252, 253, 254, 255]);
  });

  it("lists newest first over namespaces, and nothing for a limit of 0", async () => {
    await using saver = await open();
    const ids: string[] = [];
    for (const namespace of ["", "child", "", "child"])
      ids.unshift(idOf(await putAll(saver, on("t", namespace))));
    const listed = async (options?: { limit?: number }): Promise<string[]> =>
      (await collect(saver.list(on("t"), options))).map((tuple) => tuple.checkpoint.id);
    expect(await listed()).toEqual(ids);
    expect(await listed({ limit: 3 })).toEqual(ids.slice(0, 3));
    expect(await listed({ limit: 0 })).toEqual([]);
    expect(await listed({ limit: -1 })).toEqual([]);
  });

  it("lists all threads together, newest first, when the config names none", async () => {
    await using saver = await open();
    const ids: string[] = [];
    for (const thread of ["a", "b", "a", "c"]) ids.unshift(idOf(await putAll(saver, on(thread))));
    expect((await collect(saver.list({}))).map((tuple) => tuple.checkpoint.id)).toEqual(ids);
    const before = { configurable: { checkpoint_id: ids[1] } };
    expect((await collect(saver.list({}, { before, limit: 1 }))).map((tuple) => tuple.checkpoint.id)).toEqual(
      [ids[2]],
    );
  });

  it("filters metadata by JSON value, not by its text", async () => {
    await using saver = await open();
    await putAll(
      saver,
      on("t"),
      {},
      { n: 1, s: "1", yes: true, nil: null, deep: { a: 1, b: [2] }, quote: `it's "q"` },
    );
    const count = async (filter: Record<string, unknown>): Promise<number> =>
      (await collect(saver.list(on("t"), { filter }))).length;
    const matching: Record<string, unknown>[] = [
      { n: 1 },
      { s: "1" },
      { yes: true },
      { nil: null },
      { deep: { b: [2], a: 1 } },
      { quote: `it's "q"` },
      { absent: undefined },
    ];
    const other: Record<string, unknown>[] = [
      { n: "1" },
      { s: 1 },
      { yes: "true" },
      { yes: 1 },
      { nil: "null" },
      { deep: { a: 1 } },
      { absent: null },
      { n: 1, s: "2" },
      { toString: "x" },
    ];
    for (const filter of matching) expect([filter, await count(filter)]).toEqual([filter, 1]);
    for (const filter of other) expect([filter, await count(filter)]).toEqual([filter, 0]);
  });

  it("leaves nothing of a deleted thread and everything of the others", async () => {
    await using saver = await open();
    for (const thread of ["gone", "kept"]) {
      const at = await putAll(saver, on(thread, "ns"), { big: "x".repeat(100_000) });
      await saver.putWrites(at, [["big", "y".repeat(100_000)]], "task");
    }
    const before = await saver.listThreads();
    await saver.deleteThread("gone");
    await saver.deleteThread("never there");
    expect(await collect(saver.list(on("gone")))).toEqual([]);
    expect(await saver.getTuple(on("gone", "ns"))).toBeUndefined();
    const after = await saver.listThreads();
    expect(after).toEqual(before.filter(({ threadId }) => threadId === "kept"));
    expect(after[0]!.bytes).toBeGreaterThan(200_000);
    // The same id again begins empty: no old blob or write comes back.
    const again = checkpoint({ big: "old version number" });
    await saver.put(on("gone", "ns"), again, metadata(), {});
    expect((await saver.getTuple(on("gone", "ns")))?.checkpoint.channel_values).toEqual({});
    expect((await saver.getTuple(on("gone", "ns")))?.pendingWrites).toEqual([]);
  });

  it("takes any string as an id and keeps them apart", async () => {
    await using saver = await open();
    const threads = [
      "../x",
      "..\\x",
      "/etc/passwd",
      ".",
      "..",
      " ",
      "  ",
      "",
      "a",
      "A",
      "é",
      "e\u0301",
      "a\0b",
      "a\0c",
      "\ud800",
      "\ud801",
      "\u001a0000",
      "\0",
      "日本語",
      "🙂",
      "CON",
      "x".repeat(300),
      "x".repeat(301),
      "__proto__",
      "constructor",
      "'; DROP TABLE writes; --",
      "%00",
    ];
    for (const [index, thread] of threads.entries()) {
      const at = await putAll(saver, on(thread, thread), { [thread]: index, __proto__x: 1 });
      await saver.putWrites(at, [[thread, index]], thread, thread);
    }
    for (const [index, thread] of threads.entries()) {
      const tuple = await saver.getTuple(on(thread, thread));
      expect(tuple?.config.configurable).toMatchObject({ thread_id: thread, checkpoint_ns: thread });
      expect(Object.entries(tuple!.checkpoint.channel_values)).toContainEqual([thread, index]);
      expect(tuple?.pendingWrites).toEqual([[thread, thread, index]]);
      expect(await collect(saver.list(on(thread)))).toHaveLength(1);
    }
    expect((await saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual([...threads].sort());
    for (const thread of threads) await saver.deleteThread(thread);
    expect(await saver.listThreads()).toEqual([]);
  });

  it("stores a value as it was at the time of the call", async () => {
    await using saver = await open();
    const message = { id: undefined as string | undefined, text: "before" };
    const putting = putAll(saver, on("t"), { message });
    message.text = "after";
    await putting;
    expect((await saver.getTuple(on("t")))?.checkpoint.channel_values["message"]).toMatchObject({
      text: "before",
    });
  });

  it("forgets a channel's value when a new version has none", async () => {
    await using saver = await open();
    const first = await putAll(saver, on("t"), { x: 1, y: 2 });
    const emptied = { ...checkpoint({ y: 2 }), channel_versions: { x: 2, y: 1 } };
    await saver.put(first, emptied, metadata(), { x: 2 });
    expect((await saver.getTuple(on("t")))?.checkpoint.channel_values).toEqual({ y: 2 });
    expect((await saver.getTuple(first))?.checkpoint.channel_values).toEqual({ x: 1, y: 2 });
  });

  it("gives old checkpoints their pending sends in the order of the writes", async () => {
    await using saver = await open();
    const parent = await putAll(saver, on("t"));
    await saver.putWrites(parent, [[TASKS, "b"]], "task-b");
    await saver.putWrites(parent, [[TASKS, "a"]], "task-a");
    await saver.put(parent, { ...checkpoint(), v: 3 }, metadata(), {});
    expect((await saver.getTuple(on("t")))?.checkpoint.channel_values).toEqual({ [TASKS]: ["a", "b"] });
  });

  it("rejects a config without ids, or with ids that are no strings, with a typed error", async () => {
    await using saver = await open();
    const put = (configurable: Record<string, unknown>): Promise<unknown> =>
      saver.put({ configurable }, checkpoint(), metadata(), {});
    await expect(put({})).rejects.toMatchObject({ code: "INVALID_CONFIG", key: "thread_id" });
    await expect(put({ thread_id: 7 })).rejects.toThrow(InvalidConfigError);
    await expect(put({ thread_id: "t", checkpoint_ns: null })).rejects.toThrow(
      /checkpoint_ns must be a string/,
    );
    await expect(saver.putWrites(on("t"), [], "task")).rejects.toMatchObject({ key: "checkpoint_id" });
    await expect(saver.deleteThread(undefined as never)).rejects.toThrow(InvalidConfigError);
    expect(await saver.listThreads()).toEqual([]);
  });

  it("rejects every call after close, and closes twice without harm", async () => {
    const saver = await open();
    const at = await putAll(saver, on("t"));
    await putAll(saver, at);
    const started = saver.list(on("t"));
    await started.next();
    await saver.close();
    await saver.close();
    const calls = [
      () => saver.getTuple(on("t")),
      () => putAll(saver, on("t")),
      () => saver.putWrites(at, [["x", 1]], "task"),
      () => saver.deleteThread("t"),
      () => saver.listThreads(),
      () => saver.flush(),
      () => collect(saver.list(on("t"))),
      () => started.next(),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(SaverClosedError);
  });

  it("waits in flush and in close for the calls under way", async () => {
    const saver = await open();
    let settled = 0;
    const calls = Array.from({ length: 5 }, () => putAll(saver, on("t")).then(() => (settled += 1)));
    await saver.flush();
    expect(settled).toBe(5);
    const last = putAll(saver, on("t"));
    await saver.close();
    expect(await Promise.race([last, Promise.resolve("unsettled")])).not.toBe("unsettled");
    expect(await Promise.all(calls)).toHaveLength(5);
  });
});

describe("thread list", () => {
  it("is sorted by the last write, with counts over all namespaces", async () => {
    let now = 1_000;
    const saver = saverOn(new MemoryStorage(), () => now++);
    const a = await putAll(saver, on("a"), { x: "12345" });
    await putAll(saver, on("b"));
    await putAll(saver, on("a", "child"));
    expect((await saver.listThreads()).map(({ threadId, checkpoints }) => [threadId, checkpoints])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    await putAll(saver, on("c"));
    await saver.putWrites(a, [["x", 1]], "task");
    const list = await saver.listThreads();
    expect(list.map(({ threadId, updatedAt }) => [threadId, updatedAt.getTime()])).toEqual([
      ["a", 1_004],
      ["c", 1_003],
      ["b", 1_001],
    ]);
  });
});
