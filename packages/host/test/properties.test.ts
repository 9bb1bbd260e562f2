import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestRepository } from "../src/conformance/index.js";
import {
  createFakeTaskStore,
  createGit,
  createWebFetch,
  HostError,
  type Task,
  type TaskChange,
} from "../src/index.js";

const SCOPE = { kind: "workspace" } as const;
const ids = fc.integer({ min: 1, max: 8 }).map(String);
const status = fc.constantFrom("pending", "in_progress", "done", "cancelled" as const);
const change: fc.Arbitrary<TaskChange> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("add" as const),
      title: fc.constantFrom("a", "b"),
      before: ids,
      dependencies: fc.array(ids),
    },
    { requiredKeys: ["kind", "title"] },
  ),
  fc.record(
    { kind: fc.constant("update" as const), id: ids, status, dependencies: fc.array(ids) },
    { requiredKeys: ["kind", "id"] },
  ),
  fc.record({ kind: fc.constant("move" as const), id: ids, before: ids }, { requiredKeys: ["kind", "id"] }),
  fc.record({ kind: fc.constant("remove" as const), id: ids }),
  fc.record({ kind: fc.constant("clear" as const), what: fc.constantFrom("finished", "all" as const) }),
) as fc.Arbitrary<TaskChange>;

const hasCircle = (tasks: readonly Task[]): boolean => {
  let open = [...tasks];
  for (;;) {
    const rest = open.filter((task) => task.dependencies.some((id) => open.some((other) => other.id === id)));
    if (rest.length === open.length) return open.length > 0;
    open = rest;
  }
};

describe("whatever is asked for", () => {
  it("a task list stays a list: ids once, orders in line, dependencies that are there and end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }), async (calls) => {
        const store = createFakeTaskStore();
        const given: string[] = [];
        for (const changes of calls) {
          const before = await store.list(SCOPE);
          const done = await store.apply(SCOPE, changes).catch((error: unknown) => error);
          const after = await store.list(SCOPE);
          if (done instanceof Error) {
            expect(done).toBeInstanceOf(HostError);
            expect(after).toEqual(before);
            continue;
          }
          given.push(...(done as { added: string[] }).added);
          const known = after.tasks.map((task) => task.id);
          expect(new Set(known).size).toBe(known.length);
          expect(after.tasks.map((task) => task.order)).toEqual(known.map((_, index) => index));
          expect(
            after.tasks.flatMap((task) => task.dependencies).filter((id) => !known.includes(id)),
          ).toEqual([]);
          expect(hasCircle(after.tasks)).toBe(false);
        }
        expect(new Set(given).size).toBe(given.length);
      }),
      { numRuns: 300 },
    );
  });

  it("git finds files of any name again by the name that it gave", { timeout: 60_000 }, async () => {
    const part = fc
      .string({
        unit: fc.constantFrom(..."aZ0 -*?[]{}!:()\\\"'\n\t~^@.ü日#%$&;|<>"),
        minLength: 1,
        maxLength: 12,
      })
      .filter((name) => !/^\.+$/.test(name) && !/^\.git/i.test(name));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 2 }), async (parts) => {
        const name = parts.join("/");
        const repository = createTestRepository();
        onTestFinished(() => repository.remove());
        const { read, write } = createGit({ root: repository.root, write: true });
        repository.write(name, "1\n");
        expect((await read.status({ untracked: "all" })).files).toEqual([{ kind: "untracked", path: name }]);
        await write?.add([name]);
        expect((await read.diff({ target: { kind: "staged" }, paths: [name] })).files[0]?.path).toBe(name);
      }),
      { numRuns: 40 },
    );
  });

  it(
    "a reference that git is not told of is refused as one, and changes nothing",
    { timeout: 60_000 },
    async () => {
      const repository = createTestRepository();
      onTestFinished(() => repository.remove());
      repository.write("a", "1\n");
      repository.commit("first");
      const before = repository.git("for-each-ref") + repository.git("status", "--porcelain", "--ignored");
      const { read } = createGit({ root: repository.root });
      const ref = fc.oneof(
        fc.string({ unit: fc.constantFrom(..."-=HEADmain~^@{}:./ *0"), maxLength: 14 }),
        fc
          .constantFrom("--output", "--exec", "-o", "--upload-pack")
          .map((option) => `${option}=${repository.root}/made`),
      );
      await fc.assert(
        fc.asyncProperty(ref, async (text) => {
          const found = await read.log({ ref: text }).catch((error: unknown) => error);
          if (found instanceof Error) {
            expect(found).toBeInstanceOf(HostError);
            expect((found as HostError).code).toMatch(/invalid_argument|not_found/);
          }
        }),
        { numRuns: 150 },
      );
      expect(repository.git("for-each-ref") + repository.git("status", "--porcelain", "--ignored")).toBe(
        before,
      );
    },
  );

  it("no spelling of a private IPv4 address is fetched", async () => {
    const web = createWebFetch({
      ports: "any",
      lookup: () => Promise.reject(new HostError("failed", "was looked up")),
    });
    const octet = fc.integer({ min: 0, max: 255 });
    const inside = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127, 224, 240, 255), octet, octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    );
    const spell = fc.constantFrom<(bytes: number[]) => string>(
      (bytes) => bytes.join("."),
      (bytes) => `${bytes.join(".")}.`,
      (bytes) => String(Buffer.from(bytes).readUInt32BE()),
      (bytes) => `0x${Buffer.from(bytes).toString("hex")}`,
      (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join("."),
      (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
      ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b * 65_536 + c * 256 + d}`,
      (bytes) => `[::ffff:${bytes.join(".")}]`,
      (bytes) => `[::${bytes.join(".")}]`,
      (bytes) => `[64:ff9b::${bytes.join(".")}]`,
    );
    await fc.assert(
      fc.asyncProperty(inside, spell, async (bytes, form) => {
        await expect(web.fetch(`http://${form(bytes)}/`)).rejects.toMatchObject({ code: "denied" });
      }),
      { numRuns: 500 },
    );
  });
});
