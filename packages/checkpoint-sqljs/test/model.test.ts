import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  JsonPlusSerializer,
  uuid6,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DirectoryStorage } from "../src/directory-storage.js";
import { SqlJsSaver } from "../src/index.js";
import { FileStorage } from "../src/file-storage.js";
import { collect, dependencies, metadata, saverOn, scratch } from "./support/helpers.js";

// A saver does what a few maps would do: the same random calls on both, compared as far as a caller can see.

const serde = new JsonPlusSerializer();
const roundTrip = async (value: unknown): Promise<unknown> =>
  serde.loadsTyped(...(await serde.dumpsTyped(value)));

interface Entry {
  readonly id: string;
  readonly parent: string | undefined;
  readonly values: Record<string, unknown>;
  readonly metadata: unknown;
  readonly writes: Map<string, [task: string, index: number, channel: string, value: unknown]>;
}
/** Thread, namespace, then checkpoints. */
type Model = Map<string, Map<string, Map<string, Entry>>>;

const seen = (tuples: readonly CheckpointTuple[]): unknown =>
  tuples.map(({ config, checkpoint, metadata: found, parentConfig, pendingWrites }) => ({
    config: config.configurable,
    parent: parentConfig?.configurable?.["checkpoint_id"],
    values: checkpoint.channel_values,
    metadata: found,
    writes: pendingWrites,
  }));

const expected = (thread: string, namespace: string, entries: readonly Entry[]): unknown =>
  entries.map((entry) => ({
    config: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: entry.id },
    parent: entry.parent,
    values: entry.values,
    metadata: entry.metadata,
    writes: Array.from(entry.writes.values())
      .sort((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))
      .map(([task, , channel, value]) => [task, channel, value]),
  }));

const thread = fc.constantFrom("a", "b", "c");
const namespace = fc.constantFrom("", "child");
const pick = fc.nat(1_000);
const value = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom("large ".repeat(200), "other ".repeat(300)),
  fc.array(fc.oneof(fc.integer(), fc.constantFrom("item ".repeat(150))), { maxLength: 60 }),
  fc.constantFrom(new Uint8Array([97, 49, 2, 3]), new Uint8Array(700).fill(1), undefined, new Date(5)),
  fc.dictionary(fc.constantFrom("x", "y", "__proto_", "long key"), fc.string({ maxLength: 600 })),
);
const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      thread,
      namespace,
      pick,
      values: fc.dictionary(fc.constantFrom("m", "n", "files"), value),
      source: fc.constantFrom("loop", "fork"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      thread,
      namespace,
      pick,
      task: fc.constantFrom("t1", "t2"),
      writes: fc.array(fc.tuple(fc.constantFrom("m", "__error__", "__fiveseam_notes"), value), {
        maxLength: 3,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), thread }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("prune" as const), keepLast: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("copy" as const), thread, to: thread }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reopen" as const, "compact" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      thread,
      limit: fc.nat(4),
      source: fc.constantFrom("loop", "fork"),
      pick,
    }),
  },
);

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const newestFirst = (entries: Map<string, Entry> | undefined): Entry[] =>
  Array.from(entries?.values() ?? []).sort((a, b) => (a.id < b.id ? 1 : -1));

class Twins {
  readonly model: Model = new Map();
  #step = 0;

  constructor(
    public saver: SqlJsSaver,
    private readonly reopen: () => Promise<SqlJsSaver>,
  ) {}

  #at(thread: string, namespace: string): Map<string, Entry> {
    const namespaces = this.model.get(thread) ?? new Map<string, Map<string, Entry>>();
    this.model.set(thread, namespaces);
    const entries = namespaces.get(namespace) ?? new Map<string, Entry>();
    namespaces.set(namespace, entries);
    return entries;
  }

  #some(thread: string, namespace: string, pick: number): Entry | undefined {
    const entries = newestFirst(this.model.get(thread)?.get(namespace));
    return entries[pick % Math.max(1, entries.length)];
  }

  async do(call: Call): Promise<void> {
    const config = (thread: string, namespace: string, id?: string): RunnableConfig => ({
      configurable: {
        thread_id: thread,
        checkpoint_ns: namespace,
        ...(id === undefined ? {} : { checkpoint_id: id }),
      },
    });
    switch (call.do) {
      case "put": {
        const parent = this.#some(call.thread, call.namespace, call.pick);
        const step = (this.#step += 1);
        const versions = Object.fromEntries(Object.keys(call.values).map((channel) => [channel, step]));
        const values = { ...parent?.values, ...call.values };
        const made = {
          v: 4,
          id: uuid6(0),
          ts: "now",
          channel_values: values,
          channel_versions: { ...this.#versions.get(parent?.id ?? ""), ...versions },
          versions_seen: {},
        };
        this.#versions.set(made.id, made.channel_versions);
        const info = metadata({ source: call.source, step });
        await this.saver.put(config(call.thread, call.namespace, parent?.id), made, info, versions);
        this.#at(call.thread, call.namespace).set(made.id, {
          id: made.id,
          parent: parent?.id,
          values: (await roundTrip(values)) as Record<string, unknown>,
          metadata: info,
          writes: new Map(),
        });
        return;
      }
      case "write": {
        const entry = this.#some(call.thread, call.namespace, call.pick);
        if (!entry) return;
        await this.saver.putWrites(
          config(call.thread, call.namespace, entry.id),
          call.writes as PendingWrite[],
          call.task,
        );
        for (const [position, [channel, written]] of call.writes.entries()) {
          const index = channel === "__error__" ? -1 : position;
          const key = `${call.task} ${index}`;
          if (index < 0 || !entry.writes.has(key))
            entry.writes.set(key, [call.task, index, channel, await roundTrip(written)]);
        }
        return;
      }
      case "delete":
        await this.saver.deleteThread(call.thread);
        this.model.delete(call.thread);
        return;
      case "prune": {
        const before = Array.from(this.model.values())
          .flatMap((all) => Array.from(all.values()))
          .reduce((sum, { size }) => sum + size, 0);
        const result = await this.saver.prune({ keepLast: call.keepLast });
        for (const namespaces of this.model.values())
          for (const entries of namespaces.values())
            for (const entry of newestFirst(entries).slice(call.keepLast)) entries.delete(entry.id);
        const after = Array.from(this.model.values())
          .flatMap((all) => Array.from(all.values()))
          .reduce((sum, { size }) => sum + size, 0);
        expect(result).toEqual({ checkpoints: before - after, waiting: [] });
        return;
      }
      case "copy": {
        const source = this.model.get(call.thread);
        const copying = this.saver.copyThread(call.thread, call.to);
        if (!source) return copying;
        if (this.model.has(call.to)) return expect(copying).rejects.toMatchObject({ code: "THREAD_EXISTS" });
        await copying;
        this.model.set(
          call.to,
          new Map(
            Array.from(source, ([name, entries]) => [
              name,
              new Map(
                Array.from(entries, ([id, entry]) => [id, { ...entry, writes: new Map(entry.writes) }]),
              ),
            ]),
          ),
        );
        return;
      }
      case "reopen":
        await this.saver.close();
        this.saver = await this.reopen();
        return;
      case "compact":
        return this.saver.compact();
      case "list": {
        const before = this.#some(call.thread, "", call.pick);
        const options = {
          limit: call.limit,
          filter: { source: call.source },
          ...(before ? { before: config(call.thread, "", before.id) } : {}),
        };
        const listed = await collect(this.saver.list(config(call.thread, ""), options));
        const right = newestFirst(this.model.get(call.thread)?.get("")).filter(
          (entry) =>
            (entry.metadata as { source: string }).source === call.source &&
            (!before || entry.id < before.id),
        );
        expect(seen(listed)).toEqual(expected(call.thread, "", right.slice(0, call.limit)));
      }
    }
  }

  readonly #versions = new Map<string, Record<string, number>>();

  async compare(): Promise<void> {
    for (const [threadId, namespaces] of this.model)
      for (const [name, entries] of namespaces) {
        const config = { configurable: { thread_id: threadId, checkpoint_ns: name } };
        const right = newestFirst(entries);
        expect(seen(await collect(this.saver.list(config)))).toEqual(expected(threadId, name, right));
        const latest = await this.saver.getTuple(config);
        expect(seen(latest ? [latest] : [])).toEqual(expected(threadId, name, right.slice(0, 1)));
      }
    const there = Array.from(this.model.keys()).filter((id) =>
      Array.from(this.model.get(id)!.values()).some(({ size }) => size > 0),
    );
    expect((await this.saver.listThreads()).map(({ threadId }) => threadId).sort()).toEqual(there.sort());
    expect(await this.saver.integrityCheck()).toEqual([]);
  }
}

const calls = fc.array(call, { maxLength: 40 });

// Folds every few calls, so that sequences run over generations.
const places = {
  memory: async () => {
    const saver = await SqlJsSaver.open(":memory:");
    return { saver, reopen: async () => saver, reopens: false };
  },
  file: async () => {
    const file = join(scratch(), "t.sqlite");
    const open = async (): Promise<SqlJsSaver> =>
      saverOn(await FileStorage.open(file, await dependencies({ foldFromBytes: 2_000 })));
    return { saver: await open(), reopen: open, reopens: true };
  },
  directory: async () => {
    const directory = scratch();
    const open = async (): Promise<SqlJsSaver> =>
      saverOn(await DirectoryStorage.open(directory, await dependencies({ foldFromBytes: 2_000 }), 2));
    return { saver: await open(), reopen: open, reopens: true };
  },
};

describe.each(Object.entries(places))("in %s", (_place, make) => {
  it("any sequence of calls gives what a few maps would give", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (sequence) => {
        const { saver, reopen, reopens } = await make();
        const twins = new Twins(saver, reopen);
        for (const one of sequence) if (one.do !== "reopen" || reopens) await twins.do(one);
        await twins.compare();
        if (reopens) await twins.do({ do: "reopen" });
        await twins.compare();
        await twins.saver.close();
      }),
      { numRuns: process.env["SOAK"] ? 300 : 25 },
    );
  });
});
