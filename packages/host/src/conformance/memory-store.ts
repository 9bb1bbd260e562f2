import assert from "node:assert/strict";
import type { MemoryScope, MemoryStorePort } from "../memory-store-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** The promises of `MemoryStorePort`. `create` gives an empty store each time. */
export const memoryStoreConformance = ({
  create,
}: {
  create: () => Promise<Subject<MemoryStorePort>> | Subject<MemoryStorePort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (store: MemoryStorePort) => Promise<void>): ConformanceCase =>
    caseOf(`memory store: ${name}`, create, ({ port }) => run(port));
  const texts = async (store: MemoryStorePort, scope?: MemoryScope): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await store.list(scope ? { scope } : {})).blocks.map((block) => [
        `${block.scope}/${block.key}`,
        block.text,
      ]),
    );

  return [
    test("is empty at first", async (store) => assert.deepEqual(await texts(store), {})),
    test("the scopes are apart, and listed user first, then by key", async (store) => {
      await store.set("project", "style", "tabs");
      await store.set("user", "style", "spaces");
      await store.set("user", "name", "Ada");
      assert.deepEqual(await texts(store, "project"), { "project/style": "tabs" });
      const { blocks } = await store.list();
      assert.deepEqual(
        blocks.map((block) => `${block.scope}/${block.key}`),
        ["user/name", "user/style", "project/style"],
      );
      await store.delete("user", "style");
      assert.deepEqual(await texts(store), { "user/name": "Ada", "project/style": "tabs" });
    }),
    test("set replaces, append adds a line, replace changes one passage", async (store) => {
      await store.append("project", "notes", "one");
      await store.append("project", "notes", "two");
      assert.deepEqual(await texts(store), { "project/notes": "one\ntwo" });
      const { block } = await store.replace("project", "notes", { oldText: "two", newText: "$& and $1" });
      assert.equal(block.text, "one\n$& and $1");
      assert.equal(block.bytes, 13);
      await store.set("project", "notes", "ünïcode");
      assert.equal((await store.list()).blocks[0]?.bytes, 9);
    }),
    test("what is not there or not unique is refused, and nothing changes", async (store) => {
      await store.set("user", "a", "x x");
      await refuses(store.replace("user", "a", { oldText: "x", newText: "y" }), "invalid_argument");
      await refuses(store.replace("user", "a", { oldText: "", newText: "y" }), "invalid_argument");
      await refuses(store.replace("user", "a", { oldText: "z", newText: "y" }), "not_found");
      await refuses(store.replace("user", "b", { oldText: "x", newText: "y" }), "not_found");
      await refuses(store.delete("user", "b"), "not_found");
      assert.deepEqual(await texts(store), { "user/a": "x x" });
    }),
    test("keys that are none are refused, and odd ones are kept", async (store) => {
      const wrong = ["", "A", "a b", "../a", "a/b", ".a", "__proto__", "a".repeat(65), "a\n"];
      for (const key of wrong) await refuses(store.set("user", key, "x"), "invalid_argument");
      await refuses(store.set("team" as "user", "a", "x"), "invalid_argument");
      for (const key of ["constructor", "a.b-c_d", "0", "a".repeat(64)]) await store.set("user", key, key);
      assert.equal((await store.list()).blocks.length, 4);
    }),
    test("limits are in bytes and hold for every way to write", async (store) => {
      const { maxBlockBytes, maxBlocks } = store.limits;
      await store.set("user", "full", "x".repeat(maxBlockBytes));
      await refuses(store.append("user", "full", "y"), "too_large");
      await refuses(
        store.replace("user", "full", {
          oldText: "x".repeat(maxBlockBytes),
          newText: "y".repeat(maxBlockBytes + 1),
        }),
        "too_large",
      );
      await refuses(store.set("user", "wide", "ü".repeat(Math.floor(maxBlockBytes / 2) + 1)), "too_large");
      assert.deepEqual(Object.keys(await texts(store)), ["user/full"]);
      for (let count = 1; count < maxBlocks; count += 1) await store.set("user", `k${count}`, "");
      await refuses(store.set("user", "one-more", ""), "too_large");
      await store.set("project", "one-more", "");
      await store.set("user", "k1", "an old one may still change");
    }),
    test("blocks written at the same time are all kept", async (store) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.append("user", "log", `line ${index}`)),
      );
      const lines = (await texts(store))["user/log"]?.split("\n") ?? [];
      assert.equal(new Set(lines).size, 20);
    }),
    test("an aborted call rejects with the reason and changes nothing", async (store) => {
      await store.set("user", "a", "x");
      await honoursAbort({
        list: (options) => store.list(options),
        set: (options) => store.set("user", "a", "y", options),
        append: (options) => store.append("user", "a", "y", options),
        replace: (options) => store.replace("user", "a", { oldText: "x", newText: "y" }, options),
        delete: (options) => store.delete("user", "a", options),
      });
      assert.deepEqual(await texts(store), { "user/a": "x" });
    }),
  ];
};
