import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import {
  DeltaSnapshot,
  JsonPlusSerializer,
  uuid6,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { SqlJsSaver, ThreadExistsError, type StorageEvent } from "../src/index.js";
import { threadFileName } from "../src/thread-file-name.js";
import { loadSqlJs } from "../src/wasm.js";
import { checkpoint, collect, metadata, on, putAll, scratch } from "./support/helpers.js";

const places = {
  memory: () => SqlJsSaver.open(":memory:"),
  file: () => SqlJsSaver.open({ file: join(scratch(), "threads.sqlite") }),
  directory: () => SqlJsSaver.open({ directory: scratch() }),
};

const count = async (saver: SqlJsSaver, thread: string): Promise<number> =>
  (await collect(saver.list(on(thread)))).length;

describe.each(Object.entries(places))("pruning in %s", (_place, open) => {
  it("keeps the newest of each namespace and frees what only the others held", async () => {
    await using saver = await open();
    for (const thread of ["a", "b"])
      for (let index = 0; index < 6; index += 1)
        await putAll(saver, on(thread, index % 2 ? "child" : ""), {
          big: `${thread}${index} `.repeat(5_000),
        });
    expect(await saver.prune({ threadId: "a", keepLast: 2 })).toEqual({ checkpoints: 2, waiting: [] });
    expect([await count(saver, "a"), await count(saver, "b")]).toEqual([4, 6]);
    expect(await saver.prune({ keepLast: 1 })).toEqual({ checkpoints: 2 + 4, waiting: [] });
    await saver.compact();
    for (const tuple of await collect(saver.list({})))
      expect(tuple.checkpoint.channel_values["big"]).toHaveLength(15_000);
    const { bytes } = (await saver.listThreads())[0]!;
    if (_place !== "directory") expect(bytes).toBeLessThan(40_000);
    expect(await saver.integrityCheck()).toEqual([]);
  });

  it("keeps what is younger", async () => {
    await using saver = await open();
    for (let index = 0; index < 3; index += 1) await putAll(saver, on("t"));
    await putAll(saver, on("t"));
    expect(await saver.prune({ keepLast: 1, olderThanMs: 60_000 })).toEqual({ checkpoints: 0, waiting: [] });
    await new Promise((wake) => setTimeout(wake, 30));
    expect(await saver.prune({ keepLast: 1, olderThanMs: 20 })).toEqual({ checkpoints: 3, waiting: [] });
  });

  it("leaves a thread alone while it waits for an answer, and resumes it afterwards", async () => {
    await using saver = await open();
    const State = Annotation.Root({
      log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    });
    const child = new StateGraph(State)
      .addNode("ask", () => ({ log: [interrupt<string, string>("go?")] }))
      .addEdge(START, "ask")
      .compile();
    const graph = new StateGraph(State)
      .addNode("plan", () => ({ log: ["planned"] }))
      .addNode("delegate", async () => ({ log: (await child.invoke({ log: [] })).log }))
      .addNode("end", () => ({ log: ["ended"] }))
      .addEdge(START, "plan")
      .addEdge("plan", "delegate")
      .addEdge("delegate", "end")
      .compile({ checkpointer: saver });
    await graph.invoke({}, on("t"));
    const before = await collect(saver.list(on("t")));
    expect(new Set(before.map(({ config }) => config.configurable?.["checkpoint_ns"] as string)).size).toBe(
      2,
    );
    expect(await saver.prune()).toEqual({ checkpoints: 0, waiting: ["t"] });
    expect(await collect(saver.list(on("t")))).toEqual(before);
    const { log } = await graph.invoke(new Command({ resume: "yes" }), on("t"));
    expect(log).toEqual(["planned", "yes", "ended"]);
    // Now the delegate is done, and its namespace goes as a whole.
    expect((await saver.prune()).checkpoints).toBeGreaterThan(3);
    const after = await collect(saver.list(on("t")));
    expect(after.map(({ config }) => config.configurable?.["checkpoint_ns"] as string)).toEqual([""]);
    expect((await graph.getState(on("t"))).values).toEqual({ log });
    expect((await graph.invoke({ log: ["again"] }, { ...on("t") })).log).toContain("again");
  });

  it("keeps the ancestors that a delta channel is made of", async () => {
    await using saver = await open();
    let at = on("t");
    const versions: Record<string, number> = {};
    for (let step = 1; step <= 10; step += 1) {
      versions["messages"] = step;
      const values = step === 4 ? { messages: new DeltaSnapshot(["one", "two", "three"]) } : {};
      at = await saver.put(at, { ...checkpoint(values), channel_versions: { ...versions } }, metadata(), {
        messages: step,
      });
      await saver.putWrites(at, [["messages", `write ${step}`]], "task");
    }
    const history = (): Promise<unknown> =>
      saver.getDeltaChannelHistory({ config: at, channels: ["messages"] });
    const before = await history();
    expect(await saver.prune({ keepLast: 1 })).toEqual({ checkpoints: 3, waiting: [] });
    expect(await history()).toEqual(before);
  });
});

describe.each(Object.entries(places))("a copy of a thread in %s", (_place, open) => {
  it("has everything and goes its own way", async () => {
    await using saver = await open();
    const bytes = new Uint8Array([97, 49]);
    const at = await putAll(saver, on("a"), {
      messages: [new HumanMessage("hello")],
      bytes,
      big: "x".repeat(5_000),
    });
    await saver.putWrites(at, [["__fiveseam_notes", { note: "kept" }]], "a task nobody knows", "~x");
    await saver.copyThread("a", "b");
    await saver.copyThread("nobody", "c");
    await saver.put(on("b"), checkpoint({ big: "y" }, 2), metadata(), { big: 2 });
    const copy = await saver.getTuple({ configurable: { ...at.configurable, thread_id: "b" } });
    const original = await saver.getTuple(at);
    expect(copy?.checkpoint).toEqual(original?.checkpoint);
    expect(copy?.pendingWrites).toEqual([["a task nobody knows", "__fiveseam_notes", { note: "kept" }]]);
    await saver.deleteThread("a");
    await saver.compact();
    expect((await saver.getTuple(copy!.config))?.checkpoint).toEqual(copy?.checkpoint);
    expect(
      (await saver.listThreads()).map(({ threadId, checkpoints, title }) => [threadId, checkpoints, title]),
    ).toEqual([["b", 2, "hello"]]);
    await putAll(saver, on("a"));
    await expect(saver.copyThread("b", "a")).rejects.toThrow(ThreadExistsError);
    expect(await count(saver, "a")).toBe(1);
  });
});

describe("what is known of threads", () => {
  it("is the beginning of the user's first message, also from a journal and after a fold", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("answer", () => ({ messages: [] }))
      .addEdge(START, "answer")
      .compile({ checkpointer: saver });
    await graph.invoke(
      { messages: [new HumanMessage(`  Fix\n the login 🙂 ${"page ".repeat(50)}`)] },
      on("t"),
    );
    await graph.invoke({ messages: [new HumanMessage("and more")] }, on("t"));
    const title = async (): Promise<string | undefined> => (await saver.listThreads())[0]!.title;
    expect(await title()).toMatch(/^Fix the login 🙂 page page/);
    expect(Array.from((await title())!)).toHaveLength(80);
    await saver.compact();
    expect(await title()).toMatch(/^Fix the login 🙂 page page/);
  });

  it("is counted by stats, with what lies on the disk", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    for (const thread of ["a", "b", "a"]) await putAll(saver, on(thread), { x: "x".repeat(10_000) });
    const stats = await saver.stats();
    expect(stats).toMatchObject({ threads: 2, checkpoints: 3, previousBytes: 0 });
    expect(stats.journalBytes).toBeGreaterThan(20_000);
    await saver.compact();
    const after = await saver.stats();
    expect(after.journalBytes).toBeLessThan(2_000);
    expect(after.databaseBytes).toBeGreaterThan(20_000);
    expect(after.previousBytes).toBeGreaterThan(20_000);
    const onDisk = readdirSync(directory)
      .filter((name) => !name.endsWith(".lock"))
      .reduce((sum, name) => sum + readFileSync(join(directory, name)).length, 0);
    expect(after.databaseBytes + after.journalBytes + after.previousBytes).toBe(onDisk);
  });

  it("is checked by integrityCheck, which names the file that is bad", async () => {
    const directory = scratch();
    await using saver = await SqlJsSaver.open({ directory });
    for (const thread of ["good", "bad"]) await putAll(saver, on(thread));
    expect(await saver.integrityCheck()).toEqual([]);
    const file = join(directory, threadFileName("bad"));
    writeFileSync(file, "garbage");
    expect((await saver.integrityCheck()).map((problem) => [problem.file, problem.message])).toEqual([
      [file, "snapshot-recovered"],
    ]);
  });
});

describe.each(Object.entries(places))("an export from %s", (_place, open) => {
  it("is one ordinary SQLite file with everything, which opens again and can be written", async () => {
    await using saver = await open();
    for (const thread of ["a", "b"]) {
      const at = await putAll(saver, on(thread), {
        big: "shared ".repeat(1_000),
        bytes: new Uint8Array([97, 49]),
      });
      await saver.putWrites(at, [["x", thread]], "task");
    }
    const file = join(scratch(), "sub", "all.sqlite");
    await saver.exportTo(file);
    expect(readdirSync(join(file, ".."))).toEqual(["all.sqlite"]);
    const db = new (await loadSqlJs()).Database(readFileSync(file));
    expect(db.exec("PRAGMA integrity_check")[0]!.values).toEqual([["ok"]]);
    expect(db.exec("SELECT thread_id FROM threads ORDER BY 1")[0]!.values).toEqual([["a"], ["b"]]);
    // Both threads hold it, it is stored once.
    expect(db.exec("SELECT count(*) FROM content WHERE data LIKE '%shared shared%'")[0]!.values).toEqual([
      [1],
    ]);
    db.close();
    const events: StorageEvent[] = [];
    await using again = await SqlJsSaver.open({ file }, { onEvent: (event) => events.push(event) });
    expect(await collect(again.list({}))).toEqual(await collect(saver.list({})));
    expect(events).toEqual([]);
    await putAll(again, on("c"));
    await again.close();
    // Its first snapshot was not empty: damage to it must not be repaired as if it had been.
    writeFileSync(file, "garbage");
    await expect(SqlJsSaver.open({ file })).rejects.toMatchObject({ code: "DATABASE_CORRUPT" });
  });
});

const hasSqlite3 = spawnSync("sqlite3", ["--version"]).status === 0;

describe("the sqlite3 program", () => {
  it.runIf(hasSqlite3)("opens snapshots and exports, and finds them whole", async () => {
    const folder = scratch();
    await using saver = await SqlJsSaver.open({ file: join(folder, "t.sqlite") });
    for (let index = 0; index < 40; index += 1)
      await putAll(saver, on(`t${index}`), {
        big: `${index} `.repeat(3_000),
        bytes: new Uint8Array(900).fill(index),
      });
    await saver.compact();
    await saver.exportTo(join(folder, "export.sqlite"));
    for (const name of ["t.sqlite", "export.sqlite"]) {
      const sql = "PRAGMA integrity_check; SELECT count(*) FROM threads; SELECT count(*) FROM checkpoints;";
      const { stdout } = spawnSync("sqlite3", ["-readonly", join(folder, name), sql], { encoding: "utf8" });
      expect(stdout.trim().split("\n")).toEqual(["ok", "40", "40"]);
    }
    expect(await saver.integrityCheck()).toEqual([]);
  });
});

describe("options", () => {
  it("maxBytes refuses to grow further, and lets go of what is deleted", async () => {
    const file = join(scratch(), "t.sqlite");
    await using saver = await SqlJsSaver.open({ file }, { maxBytes: 200_000 });
    await putAll(saver, on("a"), { x: "a".repeat(150_000) });
    await putAll(saver, on("b"), { x: "b".repeat(150_000) });
    await expect(putAll(saver, on("c"))).rejects.toMatchObject({
      code: "DATABASE_FULL",
      file,
      maxBytes: 200_000,
    });
    expect(await count(saver, "b")).toBe(1);
    await saver.deleteThread("b");
    await saver.compact();
    await putAll(saver, on("c"));
  });

  it("a serializer of one's own makes every byte that is stored, and gets it back", async () => {
    const plain = new JsonPlusSerializer();
    const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0x5a);
    const serde: SerializerProtocol = {
      dumpsTyped: async (value: unknown) => {
        const [type, bytes] = await plain.dumpsTyped(value);
        return [`flipped ${type}`, flip(bytes)];
      },
      loadsTyped: (type, data) => plain.loadsTyped(type.slice(8), flip(data as Uint8Array)),
    };
    const file = join(scratch(), "t.sqlite");
    const values = {
      messages: [new HumanMessage("secret words")],
      bytes: new Uint8Array([1, 2]),
      none: undefined,
    };
    const saver = await SqlJsSaver.open({ file }, { serde });
    const at = await putAll(saver, on("t"), values);
    await saver.putWrites(at, [["x", "secret words"]], "task");
    await saver.compact();
    const next = { ...checkpoint({ ...values, more: 1 }), id: uuid6(0) };
    await saver.put(at, next, metadata({ step: 1 }), { more: 1 });
    await saver.close();
    for (const name of readdirSync(join(file, "..")))
      expect(readFileSync(join(file, "..", name)).includes("secret words")).toBe(false);
    await using again = await SqlJsSaver.open({ file }, { serde });
    const tuple = await again.getTuple(on("t"));
    expect(tuple?.checkpoint.channel_values).toEqual({ ...values, more: 1 });
    expect((await again.getTuple(at))?.pendingWrites).toEqual([["task", "x", "secret words"]]);
    expect(await collect(again.list(on("t"), { filter: { step: 1 } }))).toHaveLength(1);
    expect(await again.prune()).toEqual({ checkpoints: 1, waiting: [] });
    expect((await again.getTuple(on("t")))?.checkpoint.channel_values).toEqual({ ...values, more: 1 });
  });
});
