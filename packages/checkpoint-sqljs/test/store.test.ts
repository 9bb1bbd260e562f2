import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import {
  InMemoryStore,
  InvalidNamespaceError,
  type BaseStore,
  type Operation,
} from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SaverClosedError, SqlJsStore } from "../src/index.js";
import { bundleFixture, start } from "./support/child.js";
import { scratch } from "./support/helpers.js";

const places = {
  memory: () => SqlJsStore.open(":memory:"),
  file: () => SqlJsStore.open({ file: join(scratch(), "store.sqlite") }),
};

const withoutTimes = (result: unknown): unknown =>
  JSON.parse(
    JSON.stringify(result, (key, value: unknown) =>
      key === "createdAt" || key === "updatedAt" ? "time" : value,
    ),
  ) as unknown;

const label = fc.constantFrom("a", "b", "ab", "docs");
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      namespace,
      key: label,
      value: fc.oneof(
        { weight: 4, arbitrary: fc.record({ n: fc.nat(5), kind: label }) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ namespace, key: label }) },
  {
    weight: 3,
    arbitrary: fc.record({
      namespacePrefix: fc.array(label, { maxLength: 2 }),
      filter: fc.constantFrom<Record<string, unknown>>(
        {},
        { kind: "a" },
        { n: { $gt: 2 } },
        { n: { $gte: 1, $lt: 4 } },
        { kind: { $in: ["a", "b"] } },
        { kind: { $ne: "a" } },
        { kind: { $nin: ["b"] } },
      ),
      limit: fc.integer({ min: 1, max: 30 }),
      offset: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      matchConditions: fc.constantFrom(
        undefined,
        [{ matchType: "prefix" as const, path: ["a"] }],
        [{ matchType: "suffix" as const, path: ["b"] }],
        [{ matchType: "prefix" as const, path: ["*", "b"] }],
      ),
      maxDepth: fc.constantFrom(undefined, 1, 2),
      limit: fc.integer({ min: 1, max: 30 }),
      offset: fc.nat(2),
    }),
  },
);

/** In LangGraph's store the order of namespaces is that of first use for ever; here an emptied one begins anew. */
const sorted = (result: unknown): unknown => {
  if (Array.isArray(result))
    return result.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof result !== "object" || result === null) return result;
  const fields = Object.entries(result).map(([key, value]) => [key, sorted(value)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
};

describe.each(Object.entries(places))("a store in %s", (_place, open) => {
  it("answers as LangGraph's InMemoryStore does", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation as fc.Arbitrary<Operation>, { minLength: 1, maxLength: 4 }), {
          maxLength: 12,
        }),
        async (batches: Operation[][]) => {
          const reference = new InMemoryStore();
          await using store = await open();
          for (const batch of batches) {
            // Theirs gives out the items themselves, and a put in the same batch changes what its get has found.
            const reads = batch.filter((one) => !("value" in one));
            const found = withoutTimes(await reference.batch(reads)) as unknown[];
            await reference.batch(batch.filter((one) => "value" in one));
            const right = batch.map((one) => ("value" in one ? null : found[reads.indexOf(one)]));
            const ours = await store.batch(batch);
            for (const [index, result] of right.entries()) {
              const one = batch[index]!;
              // Theirs lists namespaces that hold nothing any more.
              if ("matchConditions" in one) continue;
              const paged = "namespacePrefix" in one;
              if (paged && ((result as unknown[]).length === one.limit || (one.offset ?? 0) > 0)) continue;
              expect(sorted(withoutTimes(ours[index] ?? null))).toEqual(sorted(withoutTimes(result)));
            }
          }
          const all = { namespacePrefix: [], limit: 1_000, offset: 0 };
          expect(sorted(withoutTimes(await store.batch([all])))).toEqual(
            sorted(withoutTimes(await reference.batch([all]))),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it("has the whole contract, one call at a time", async () => {
    await using store = await open();
    await store.put(["docs", "adr"], "1", { title: "Use SQLite", n: 1 });
    await store.put(["docs", "adr"], "2", { title: "Use WebAssembly", n: 2 });
    await store.put(["docs"], "readme", { title: "Read me" });
    await store.put(["memories", "ada"], "m", { text: "dark theme" });
    const first = await store.get(["docs", "adr"], "1");
    expect(first).toMatchObject({
      namespace: ["docs", "adr"],
      key: "1",
      value: { title: "Use SQLite", n: 1 },
    });
    await new Promise((wake) => setTimeout(wake, 5));
    await store.put(["docs", "adr"], "1", { title: "Use SQLite, still" });
    const second = await store.get(["docs", "adr"], "1");
    expect(second?.createdAt).toEqual(first?.createdAt);
    expect(second!.updatedAt.getTime()).toBeGreaterThan(first!.updatedAt.getTime());
    expect((await store.search(["docs"])).map(({ key }) => key)).toEqual(["1", "2", "readme"]);
    expect((await store.search(["docs"], { limit: 1, offset: 1 })).map(({ key }) => key)).toEqual(["2"]);
    expect(await store.search(["doc"])).toEqual([]);
    expect(await store.listNamespaces()).toEqual([["docs"], ["docs", "adr"], ["memories", "ada"]]);
    expect(await store.listNamespaces({ maxDepth: 1, prefix: ["docs"] })).toEqual([["docs"]]);
    expect(await store.listNamespaces({ suffix: ["ada"] })).toEqual([["memories", "ada"]]);
    await store.delete(["memories", "ada"], "m");
    await store.delete(["memories", "ada"], "never there");
    expect(await store.get(["memories", "ada"], "m")).toBeNull();
    expect(await store.listNamespaces({ suffix: ["ada"] })).toEqual([]);
    await expect(store.put([], "k", {})).rejects.toThrow(InvalidNamespaceError);
    await expect(store.put(["a.b"], "k", {})).rejects.toThrow(InvalidNamespaceError);
    await expect(store.put(["langgraph"], "k", {})).rejects.toThrow(InvalidNamespaceError);
  });

  it("finds text, the rare word first, and looks where it was told to", async () => {
    await using store = await open();
    const put = (key: string, text: string, index?: false | string[]): Promise<void> =>
      store.put(["m"], key, { text, other: "secret handshake" }, index);
    await put("a", "The editor has a dark theme.");
    await put("b", "The editor, the editor, the editor.");
    await put("c", "Nothing of the kind");
    await put("hidden", "editor dark", false);
    await put("path", "Über das Editor-Fenster", ["text", "no.such.path"]);
    const found = async (query: string): Promise<string[]> =>
      (await store.search(["m"], { query })).map(({ key }) => key);
    expect(await found("dark editor")).toEqual(["a", "b", "path"]);
    expect(await found("FENSTER über")).toEqual(["path"]);
    expect((await found("handshake")).sort()).toEqual(["a", "b", "c"]);
    expect(await found("elsewhere")).toEqual([]);
    const [best] = await store.search(["m"], { query: "dark", limit: 1 });
    expect(best!.score).toBeGreaterThan(0);
  });

  it("gives values back as they were, each reader its own", async () => {
    await using store = await open();
    const value = {
      bytes: new Uint8Array([0, 255]),
      message: new HumanMessage("hi"),
      set: new Set([1]),
      none: undefined,
      big: "x".repeat(100_000),
    };
    const putting = store.put(["a"], "\ud800 odd \0 key", value);
    value.big = "changed since";
    await putting;
    const item = await store.get(["a"], "\ud800 odd \0 key");
    expect(item?.value).toEqual({ ...value, big: "x".repeat(100_000) });
    (item!.value as { big: string }).big = "mine";
    expect((await store.get(["a"], "\ud800 odd \0 key"))?.value["big"]).toHaveLength(100_000);
  });

  it("refuses calls after close", async () => {
    const store = await open();
    await store.close();
    await expect(store.get(["a"], "k")).rejects.toThrow(SaverClosedError);
  });
});

describe("a store with a time to live", () => {
  it("forgets an item so long after its last put", async () => {
    let now = 1_000;
    const store = Reflect.construct(SqlJsStore, [undefined, { ttlMs: 100 }, () => now]) as BaseStore;
    await store.put(["a"], "k", { n: 1 });
    now += 99;
    expect(await store.get(["a"], "k")).not.toBeNull();
    await store.put(["a"], "k", { n: 2 });
    now += 99;
    expect((await store.search(["a"]))[0]?.value).toEqual({ n: 2 });
    now += 1;
    expect(await store.get(["a"], "k")).toBeNull();
    expect(await store.search(["a"])).toEqual([]);
    expect(await store.listNamespaces()).toEqual([]);
    await store.put(["a"], "k", { n: 3 });
    expect((await store.get(["a"], "k"))?.createdAt).toEqual(new Date(now));
  });
});

describe("a store in a file", () => {
  it("is made at the first write, survives, and holds no lock between writes", async () => {
    const folder = scratch();
    const file = join(folder, "sub", "store.sqlite");
    const store = await SqlJsStore.open({ file });
    expect(await store.get(["a"], "k")).toBeNull();
    expect(existsSync(file)).toBe(false);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store.put(["a"], `k${index}`, { text: "y".repeat(20_000), index }),
      ),
    );
    await expect
      .poll(() => readdirSync(join(folder, "sub")).filter((name) => name.endsWith(".lock")))
      .toEqual([]);
    await store.close();
    await using again = await SqlJsStore.open({ file });
    expect(await again.search(["a"], { limit: 100 })).toHaveLength(50);
    expect((await again.get(["a"], "k7"))?.value).toMatchObject({ index: 7 });
  });

  it(
    "is written by three processes at once, and each reads what the others wrote",
    { timeout: 60_000 },
    async () => {
      const { script } = await bundleFixture("process.ts");
      const file = join(scratch(), "store.sqlite");
      await using store = await SqlJsStore.open({ file }, { lockWaitMs: 30_000 });
      await store.put(["of", "parent"], "before", {});
      const children = ["one", "two", "three"].map((name) => start(script, ["store", file, name]));
      for (let item = 0; item < 10; item += 1) {
        await store.put(["of", "parent"], `item ${item}`, { item });
        await new Promise((wake) => setTimeout(wake, 20));
      }
      for (const child of children) {
        await child.line("done");
        expect(await child.ended).toBe(0);
      }
      const items = await store.search(["of"], { limit: 1_000 });
      expect(items).toHaveLength(3 * 40 + 11);
      for (const { key, value } of items) if (key !== "before") expect(key).toBe(`item ${value["item"]}`);
    },
  );
});
