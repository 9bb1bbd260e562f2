import assert from "node:assert/strict";
import type { TaskChange, TaskScope, TaskStorePort } from "../task-store-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

const WORKSPACE: TaskScope = { kind: "workspace" };
const add = (title: string, more: Partial<TaskChange & { kind: "add" }> = {}): TaskChange => ({
  kind: "add",
  title,
  ...more,
});

/** The promises of `TaskStorePort`. `create` gives an empty store each time. */
export const taskStoreConformance = ({
  create,
}: {
  create: () => Promise<Subject<TaskStorePort>> | Subject<TaskStorePort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (store: TaskStorePort) => Promise<void>): ConformanceCase =>
    caseOf(`task store: ${name}`, create, ({ port }) => run(port));
  const titles = async (store: TaskStorePort, scope: TaskScope = WORKSPACE): Promise<string[]> =>
    (await store.list(scope)).tasks.map((task) => task.title);

  return [
    test("an unknown list is empty", async (store) => {
      assert.deepEqual((await store.list(WORKSPACE)).tasks, []);
      assert.deepEqual((await store.list({ kind: "thread", threadId: "t1" })).tasks, []);
    }),
    test("added tasks come back in their order with all their fields", async (store) => {
      const made = await store.apply(WORKSPACE, [
        add("first", { notes: "line one\nline two – ünïcode" }),
        add("second", { status: "in_progress", dependencies: ["1"] }),
      ]);
      assert.equal(made.added.length, 2);
      const { tasks } = await store.list(WORKSPACE);
      assert.deepEqual(
        tasks.map(({ id, title, status, notes, order }) => ({ id, title, status, notes, order })),
        [
          { id: "1", title: "first", status: "pending", notes: "line one\nline two – ünïcode", order: 0 },
          { id: "2", title: "second", status: "in_progress", notes: "", order: 1 },
        ],
      );
      assert.deepEqual(tasks[1]?.dependencies, ["1"]);
      assert.deepEqual(made.tasks, tasks);
    }),
    test("tasks are moved, put before others, changed and removed", async (store) => {
      await store.apply(WORKSPACE, [add("a"), add("b"), add("c"), add("x", { before: "1" })]);
      assert.deepEqual(await titles(store), ["x", "a", "b", "c"]);
      await store.apply(WORKSPACE, [
        { kind: "move", id: "3", before: "1" },
        { kind: "move", id: "4" },
        { kind: "update", id: "2", title: "B", status: "done" },
      ]);
      assert.deepEqual(await titles(store), ["c", "a", "B", "x"]);
      await store.apply(WORKSPACE, [{ kind: "remove", id: "1" }]);
      assert.deepEqual(await titles(store), ["c", "B", "x"]);
      await store.apply(WORKSPACE, [{ kind: "clear", what: "finished" }]);
      assert.deepEqual(await titles(store), ["c", "x"]);
      await store.apply(WORKSPACE, [{ kind: "clear", what: "all" }]);
      assert.deepEqual(await titles(store), []);
    }),
    test("an id is never given twice", async (store) => {
      const first = await store.apply(WORKSPACE, [add("a")]);
      await store.apply(WORKSPACE, [{ kind: "clear", what: "all" }]);
      const second = await store.apply(WORKSPACE, [add("b")]);
      assert.notDeepEqual(second.added, first.added);
    }),
    test("dependencies go with the task they name", async (store) => {
      await store.apply(WORKSPACE, [
        add("a"),
        add("b", { dependencies: ["1"] }),
        { kind: "remove", id: "1" },
      ]);
      assert.deepEqual((await store.list(WORKSPACE)).tasks[0]?.dependencies, []);
    }),
    test("changes of one call happen all together or not at all", async (store) => {
      await store.apply(WORKSPACE, [add("a")]);
      const before = await store.list(WORKSPACE);
      await refuses(
        store.apply(WORKSPACE, [add("b"), { kind: "update", id: "99", status: "done" }]),
        "not_found",
      );
      assert.deepEqual(await store.list(WORKSPACE), before);
    }),
    test("wrong changes are refused with a reason", async (store) => {
      await store.apply(WORKSPACE, [add("a"), add("b", { dependencies: ["1"] })]);
      const wrong: TaskChange[] = [
        add("  "),
        add("c", { dependencies: ["77"] }),
        { kind: "update", id: "1", dependencies: ["2"] },
        { kind: "update", id: "1", dependencies: ["1"] },
        { kind: "update", id: "1", status: "finished" as "done" },
        { kind: "rename" } as unknown as TaskChange,
      ];
      for (const change of wrong) await refuses(store.apply(WORKSPACE, [change]), "invalid_argument");
      await refuses(store.apply(WORKSPACE, [add("c".repeat(1_000_000))]), "too_large");
      await refuses(store.list({ kind: "thread", threadId: "" }), "invalid_argument");
    }),
    test("lists of the workspace and of threads are apart, whatever a thread is called", async (store) => {
      const threads = ["t1", "T1", "../t1", "workspace", "a/b", "ü", "t".repeat(500)];
      await store.apply(WORKSPACE, [add("shared")]);
      for (const threadId of threads)
        await store.apply({ kind: "thread", threadId }, [add(threadId.slice(0, 400))]);
      assert.deepEqual(await titles(store), ["shared"]);
      for (const threadId of threads)
        assert.deepEqual(await titles(store, { kind: "thread", threadId }), [threadId.slice(0, 400)]);
    }),
    test("the revision moves with changes alone", async (store) => {
      const { revision } = await store.apply(WORKSPACE, [add("a")]);
      assert.equal((await store.list(WORKSPACE)).revision, revision);
      assert.ok((await store.apply(WORKSPACE, [add("b")])).revision > revision);
    }),
    test("changes made at the same time are all kept", async (store) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.apply(WORKSPACE, [add(`task ${index}`)])),
      );
      const { tasks } = await store.list(WORKSPACE);
      assert.equal(new Set(tasks.map((task) => task.title)).size, 20);
      assert.equal(new Set(tasks.map((task) => task.id)).size, 20);
    }),
    test("what was handed out cannot change what is kept", async (store) => {
      const made = await store.apply(WORKSPACE, [add("a")]);
      (made.tasks as unknown[]).pop();
      assert.deepEqual(await titles(store), ["a"]);
    }),
    test("an aborted call rejects with the reason and changes nothing", async (store) => {
      await honoursAbort({
        list: (options) => store.list(WORKSPACE, options),
        apply: (options) => store.apply(WORKSPACE, [add("a")], options),
      });
      assert.deepEqual(await titles(store), []);
    }),
  ];
};
