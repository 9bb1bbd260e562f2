import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStoreConformance, taskStoreConformance } from "../src/conformance/index.js";
import { createMemoryStore, createTaskStore, type StoreWarning } from "../src/index.js";

const WORKSPACE = { kind: "workspace" } as const;

const makeDirectory = (): string => mkdtempSync(path.join(os.tmpdir(), "fiveseam-store-"));
const scratch = (): string => {
  const directory = makeDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};
const memoryIn = (directory: string, options: { lockWaitMs?: number; now?: () => number } = {}) =>
  createMemoryStore({
    userDirectory: directory,
    projectDirectory: path.join(directory, "project"),
    ...options,
  });

describe("stores on disk", () => {
  const cases = [
    ...taskStoreConformance({
      create: () => {
        const directory = makeDirectory();
        return {
          port: createTaskStore({ directory: path.join(directory, "made", "on demand") }),
          close: () => rmSync(directory, { recursive: true }),
        };
      },
    }),
    ...memoryStoreConformance({
      create: () => {
        const directory = makeDirectory();
        return {
          // One directory for both: the scopes are apart all the same.
          port: createMemoryStore({ userDirectory: directory, projectDirectory: directory }),
          close: () => rmSync(directory, { recursive: true }),
        };
      },
    }),
  ];
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_, each) => each.run());

  it("keep memory across sessions, the person's in every project and each project's in its own", async () => {
    const user = scratch();
    const [one, two] = [scratch(), scratch()];
    const session = (projectDirectory: string) =>
      createMemoryStore({ userDirectory: user, projectDirectory });
    await session(one).set("user", "name", "Ada");
    await session(one).set("project", "style", "tabs");
    await session(two).set("project", "style", "spaces");

    const seen = async (projectDirectory: string): Promise<string[]> =>
      (await session(projectDirectory).list()).blocks.map(
        ({ scope, key, text }) => `${scope}/${key}=${text}`,
      );
    expect(await seen(one)).toEqual(["user/name=Ada", "project/style=tabs"]);
    expect(await seen(two)).toEqual(["user/name=Ada", "project/style=spaces"]);
    await session(two).delete("user", "name");
    expect(await seen(one)).toEqual(["project/style=tabs"]);
  });

  it("keep tasks across sessions", async () => {
    const directory = scratch();
    const now = () => 1_000;
    await createTaskStore({ directory, now }).apply({ kind: "thread", threadId: "t1" }, [
      { kind: "add", title: "a" },
    ]);
    const { tasks } = await createTaskStore({ directory }).list({ kind: "thread", threadId: "t1" });
    expect(tasks).toMatchObject([{ id: "1", title: "a", createdAt: 1_000 }]);
  });

  it("write files that only their owner may read, and leave nothing else behind", async () => {
    const directory = path.join(scratch(), "state");
    await createTaskStore({ directory }).apply(WORKSPACE, [{ kind: "add", title: "a" }]);
    await expect(
      createTaskStore({ directory }).apply(WORKSPACE, [{ kind: "remove", id: "9" }]),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(directory, "workspace.json")).mode & 0o777).toBe(0o600);
  });

  it("make no file by reading", async () => {
    const directory = path.join(scratch(), "state");
    await createTaskStore({ directory }).list(WORKSPACE);
    expect(existsSync(directory)).toBe(false);
  });

  it("say so when the place cannot be used", async () => {
    const directory = scratch();
    writeFileSync(path.join(directory, "file"), "");
    const store = createTaskStore({ directory: path.join(directory, "file", "below") });
    await expect(store.apply(WORKSPACE, [])).rejects.toMatchObject({ code: "failed" });
    await expect(store.list(WORKSPACE)).rejects.toMatchObject({ code: "failed" });
  });
});

describe("a stored file", () => {
  const damages: Record<string, string | Buffer> = {
    empty: "",
    cut: '{"version":1,"tasks":[{"id":"1","ti',
    binary: Buffer.from([0, 255, 1, 2]),
    null: "null",
    "an array": "[]",
    "of another shape": '{"tasks":{},"nextId":1,"revision":1,"blocks":[]}',
    "with a broken entry": '{"tasks":[{"id":1}],"nextId":1,"revision":1,"blocks":{"a":{"text":1}}}',
    "with a key that is none": '{"tasks":"x","blocks":{"__proto__":{"text":"x","updatedAt":1}}}',
    huge: " ".repeat(17 * 1024 * 1024),
  };
  it.each(Object.keys(damages))(
    "that is %s is set aside byte for byte and reported, never overwritten",
    async (name) => {
      const directory = scratch();
      const damage = damages[name] as string;
      const heard: StoreWarning[] = [];
      const options = { onWarning: (warning: StoreWarning) => void heard.push(warning), now: () => 0 };
      const stores = {
        "workspace.json": async () => {
          const store = createTaskStore({ directory, ...options });
          const listed = await store.list(WORKSPACE);
          expect(listed.tasks).toEqual([]);
          return listed.warnings;
        },
        "user-memory.json": async () => {
          const store = createMemoryStore({
            userDirectory: directory,
            projectDirectory: directory,
            ...options,
          });
          const changed = await store.set("user", "a", "x");
          expect((await store.list()).warnings).toEqual([]);
          return changed.warnings;
        },
      };
      for (const [file, use] of Object.entries(stores)) {
        // Twice in the same millisecond: the second does not replace what was set aside first.
        for (const suffix of ["", "-2"]) {
          writeFileSync(path.join(directory, file), damage);
          const [warning, ...others] = await use();
          const setAsideAs = path.join(directory, `${file}.corrupt-1970-01-01T00-00-00.000Z${suffix}`);
          expect(others).toEqual([]);
          expect(warning).toMatchObject({ kind: "corrupt", file: path.join(directory, file), setAsideAs });
          expect(readFileSync(setAsideAs).equals(Buffer.from(damage))).toBe(true);
        }
      }
      expect(heard).toHaveLength(4);
    },
  );

  it("of a newer release is refused and left as it is", async () => {
    const directory = scratch();
    const file = path.join(directory, "workspace.json");
    writeFileSync(file, '{"version":2,"lists":[]}');
    const store = createTaskStore({ directory });
    await expect(store.list(WORKSPACE)).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.apply(WORKSPACE, [{ kind: "add", title: "a" }])).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
    expect(readFileSync(file, "utf8")).toBe('{"version":2,"lists":[]}');
  });

  it("keeps the fields that this release does not know", async () => {
    const directory = scratch();
    const file = path.join(directory, "workspace.json");
    const tasks = createTaskStore({ directory });
    await tasks.apply(WORKSPACE, [{ kind: "add", title: "a" }]);
    const stored = JSON.parse(readFileSync(file, "utf8")) as { tasks: object[] };
    writeFileSync(
      file,
      JSON.stringify({ ...stored, theme: "dark", tasks: [{ ...stored.tasks[0], colour: "red" }] }),
    );
    await tasks.apply(WORKSPACE, [{ kind: "update", id: "1", status: "done" }]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      theme: "dark",
      tasks: [{ colour: "red", status: "done" }],
    });

    const memory = memoryIn(directory);
    await memory.set("user", "a", "x");
    const memoryFile = path.join(directory, "user-memory.json");
    const blocks = { a: { text: "x", updatedAt: 1, pinned: true } };
    writeFileSync(memoryFile, JSON.stringify({ version: 1, owner: "me", blocks }));
    await memory.append("user", "a", "y");
    expect(JSON.parse(readFileSync(memoryFile, "utf8"))).toMatchObject({
      owner: "me",
      blocks: { a: { text: "x\ny", pinned: true } },
    });
  });
});

describe("what is in the place of a stored file", () => {
  it.runIf(process.platform === "linux")("and is none is neither waited for nor read", async () => {
    for (const name of ["workspace.json", "workspace.json.lock"])
      for (const make of [
        (file: string) => execFileSync("mkfifo", [file]),
        (file: string) => symlinkSync("/dev/zero", file),
        (file: string) => mkdirSync(file),
      ]) {
        const directory = scratch();
        make(path.join(directory, name));
        const store = createTaskStore({ directory, lockWaitMs: 500 });
        await expect(store.apply(WORKSPACE, [{ kind: "add", title: "a" }])).rejects.toMatchObject({
          name: "HostError",
          code: "failed",
        });
        if (name === "workspace.json")
          await expect(store.list(WORKSPACE)).rejects.toMatchObject({ code: "failed" });
      }
  });

  const written = async (change: (list: { nextId: number; tasks: { id: string }[] }) => void) => {
    const directory = scratch();
    const store = createTaskStore({ directory });
    await store.apply(WORKSPACE, [
      { kind: "add", title: "a" },
      { kind: "add", title: "b" },
    ]);
    const file = path.join(directory, "workspace.json");
    const list = JSON.parse(readFileSync(file, "utf8"));
    change(list);
    writeFileSync(file, JSON.stringify(list));
    return store;
  };

  it("and counts too low gives no id twice; with one id twice, or out of count, it is set aside", async () => {
    const low = await written((list) => void (list.nextId = 1));
    expect((await low.apply(WORKSPACE, [{ kind: "add", title: "new" }])).added).toEqual(["3"]);
    for (const change of [
      (list: { tasks: { id: string }[] }) => void ((list.tasks[1] as { id: string }).id = "1"),
      (list: { nextId: number }) => void (list.nextId = Number.MAX_SAFE_INTEGER),
      (list: { nextId: number }) => void (list.nextId = -1),
    ]) {
      const store = await written(change);
      expect((await store.list(WORKSPACE)).warnings).toMatchObject([{ kind: "corrupt" }]);
    }
  });
});

describe("what is no change", () => {
  it("and what is no thread is refused with a code", async () => {
    const store = createTaskStore({ directory: scratch() });
    for (const changes of [null, "x", {}, [null], [{}], [5]])
      await expect(store.apply(WORKSPACE, changes as never)).rejects.toMatchObject({
        code: "invalid_argument",
      });
    for (const scope of [
      null,
      {},
      { kind: "thread", threadId: "\ud800" },
      { kind: "thread", threadId: "\ud801" },
    ])
      await expect(store.list(scope as never)).rejects.toMatchObject({ code: "invalid_argument" });
    await store.apply({ kind: "thread", threadId: "😀" }, [{ kind: "add", title: "whole" }]);
  });
});

describe("the lock of a stored file", () => {
  const holder = (more: object = {}) => {
    const stat = readFileSync("/proc/self/stat", "latin1");
    const started = `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
    return { pid: process.pid, host: os.hostname(), started, nonce: "0123456789abcdef", ...more };
  };
  const withLock = (text: string, lockWaitMs: number) => {
    const directory = scratch();
    const lock = path.join(directory, "workspace.json.lock");
    writeFileSync(lock, text);
    const store = createTaskStore({ directory, lockWaitMs });
    return { lock, directory, add: () => store.apply(WORKSPACE, [{ kind: "add", title: "a" }]) };
  };
  const dead = async (): Promise<number> => {
    const child = spawn("true");
    await new Promise((resolve) => child.once("exit", resolve));
    return child.pid as number;
  };

  it.runIf(process.platform === "linux")("is respected while its owner lives", async () => {
    const namespace = (await import("node:fs")).readlinkSync("/proc/self/ns/pid");
    const { add, lock, directory } = withLock(JSON.stringify(holder({ pidNamespace: namespace })), 300);
    await expect(add()).rejects.toMatchObject({ code: "busy" });
    expect(existsSync(lock)).toBe(true);
    expect(readdirSync(directory)).toEqual(["workspace.json.lock"]);
  });

  it.runIf(process.platform === "linux")(
    "is broken when its owner is dead, or its pid is another's now",
    async () => {
      const pidNamespace = (await import("node:fs")).readlinkSync("/proc/self/ns/pid");
      const gone = withLock(JSON.stringify(holder({ pidNamespace, pid: await dead() })), 1_000);
      await gone.add();
      const recycled = withLock(JSON.stringify(holder({ pidNamespace, started: "another-boot/1" })), 1_000);
      await recycled.add();
      for (const { directory } of [gone, recycled])
        expect(readdirSync(directory)).toEqual(["workspace.json"]);
    },
  );

  it.runIf(process.platform === "linux")("is broken through the claim that a dead breaker left", async () => {
    const pidNamespace = (await import("node:fs")).readlinkSync("/proc/self/ns/pid");
    const pid = await dead();
    const { add, directory, lock } = withLock(JSON.stringify(holder({ pidNamespace, pid })), 1_000);
    writeFileSync(
      `${lock}.0123456789abcdef`,
      JSON.stringify(holder({ pidNamespace, pid, nonce: "fedcba9876543210" })),
    );
    await Promise.all([add(), add()]);
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
  });

  it("of a process that cannot be seen from here is not broken at once", async () => {
    const { add, lock } = withLock(JSON.stringify(holder({ host: "another-machine" })), 300);
    await expect(add()).rejects.toMatchObject({ code: "busy" });
    expect(existsSync(lock)).toBe(true);
  });

  /** Lets time run faster for who asks how late it is. */
  const hurry = (): void => {
    const now = performance.now.bind(performance);
    const spy = vi.spyOn(performance, "now").mockImplementation(() => now() * 10);
    onTestFinished(() => spy.mockRestore());
  };

  it("of a process that cannot be seen is broken within one call, with the default options", async () => {
    hurry();
    const { directory } = withLock(JSON.stringify(holder({ host: "a-container-that-was" })), 0);
    await createTaskStore({ directory }).apply(WORKSPACE, [{ kind: "add", title: "a" }]);
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
  });

  it.each([
    ["of a process that cannot be seen", { host: "a-container-that-was" }],
    ["with the claim of another that cannot be seen", { host: "a-container-that-was" }],
    ["that names nobody", undefined],
  ])("%s is broken by tries that are each too short", async (name, of) => {
    // A file that names nobody is given a second, and no hurry is needed.
    if (of) hurry();
    const { add, directory, lock } = withLock(of ? JSON.stringify(holder(of)) : "", of ? 4_000 : 300);
    if (name.includes("claim"))
      writeFileSync(`${lock}.0123456789abcdef`, JSON.stringify(holder({ ...of, nonce: "fedcba9876543210" })));
    let tries = 0;
    for (let done = false; !done && tries < 20; tries += 1)
      done = await add().then(
        () => true,
        (error: { code: string }) => {
          expect(error.code).toBe("busy");
          return false;
        },
      );
    expect(tries).toBeGreaterThan(1);
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
  });

  it("that is a link to nowhere keeps nobody busy, and is broken once it stays so", async () => {
    const directory = scratch();
    symlinkSync("/nonexistent/x", path.join(directory, "workspace.json.lock"));
    const add = (lockWaitMs: number) =>
      createTaskStore({ directory, lockWaitMs }).apply(WORKSPACE, [{ kind: "add", title: "a" }]);
    const before = process.cpuUsage();
    await expect(add(300)).rejects.toMatchObject({ code: "busy" });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(250);
    await add(5_000);
    expect(readdirSync(directory)).toEqual(["workspace.json"]);
  });

  it.each(["", '{"pid":', '{"pid":1,"host":"x","nonce":"../../etc"}'])(
    "that names nobody (%j) is broken once it stays so",
    async (text) => {
      const { add, directory } = withLock(text, 5_000);
      await add();
      expect(readdirSync(directory)).toEqual(["workspace.json"]);
    },
  );

  it("is asked for again before anything is replaced: who lost it writes nothing", async () => {
    const directory = scratch();
    const file = path.join(directory, "workspace.json");
    const other = JSON.stringify(holder({ host: "another-machine" }));
    writeFileSync(file, "broken");
    // A warning is given while the lock is held: the moment in which another process takes it over.
    const store = createTaskStore({ directory, onWarning: () => writeFileSync(`${file}.lock`, other) });
    await expect(store.apply(WORKSPACE, [{ kind: "add", title: "a" }])).rejects.toMatchObject({
      code: "busy",
    });
    expect(readFileSync(`${file}.lock`, "utf8")).toBe(other);
    expect(readdirSync(directory).filter((name) => !name.includes("corrupt"))).toEqual([
      "workspace.json.lock",
    ]);
  });

  it("is no longer waited for when the caller gives up", async () => {
    const { directory } = withLock(JSON.stringify(holder({ host: "another-machine" })), 60_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 100);
    const store = createTaskStore({ directory, lockWaitMs: 60_000 });
    await expect(store.apply(WORKSPACE, [], { signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("several processes", () => {
  let script = "";
  beforeAll(async () => {
    const directory = makeDirectory();
    script = path.join(directory, "main.cjs");
    await build({
      entryPoints: [fileURLToPath(new URL("fixtures/store-process.ts", import.meta.url))],
      outfile: script,
      bundle: true,
      platform: "node",
      format: "cjs",
      logLevel: "silent",
    });
    return () => rmSync(directory, { recursive: true });
  });

  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    return {
      child,
      ended,
      acknowledged: () => text.split("\n").slice(0, -1),
      first: () => new Promise((resolve) => child.stdout.once("data", resolve)),
    };
  };

  it("lose none of each other's changes", async () => {
    const directory = scratch();
    const children = ["a", "b", "c"].map((name) => start("tasks", directory, name, "60"));
    const writers = ["d", "e"].map((name) => start("memory", directory, name, "60"));
    for (const each of [...children, ...writers]) expect(await each.ended).toBe(0);
    const { tasks, revision } = await createTaskStore({ directory }).list(WORKSPACE);
    const expected = ["a", "b", "c"].flatMap((name) =>
      Array.from({ length: 60 }, (_, index) => `${name}:${index}`),
    );
    expect(tasks.map((task) => task.title).sort()).toEqual(expected.sort());
    expect([new Set(tasks.map((task) => task.id)).size, revision]).toEqual([180, 180]);
    const { blocks } = await createMemoryStore({
      userDirectory: directory,
      projectDirectory: directory,
    }).list();
    expect(blocks.flatMap((block) => block.text.split("\n"))).toHaveLength(120);
  });

  it(
    "killed at any moment leave everything that was acknowledged, readable, once",
    { timeout: 120_000 },
    async () => {
      const directory = scratch();
      const promised = { tasks: [] as string[], memory: [] as string[] };
      const warnings: StoreWarning[] = [];
      const leftovers = { locks: 0, temporary: 0 };
      const kills = 30;
      for (let kill = 0; kill < kills; kill += 1) {
        const running = (["tasks", "tasks", "memory"] as const).map((mode, index) => ({
          mode,
          process: start(mode, directory, `${kill}.${index}`),
        }));
        await running[0]?.process.first();
        await new Promise((resolve) => setTimeout(resolve, (kill * 37) % 50));
        for (const each of running) each.process.child.kill("SIGKILL");
        for (const { mode, process: one } of running) {
          await one.ended;
          promised[mode].push(...one.acknowledged());
        }
        const names = readdirSync(directory);
        if (names.some((name) => name.endsWith(".lock"))) leftovers.locks += 1;
        if (names.some((name) => name.endsWith(".tmp"))) leftovers.temporary += 1;
      }
      const options = { onWarning: (warning: StoreWarning) => void warnings.push(warning) };
      const tasks = createTaskStore({ directory, maxTasks: 100_000, ...options });
      const titles = (await tasks.list(WORKSPACE)).tasks.map((task) => task.title);
      const memory = createMemoryStore({
        userDirectory: directory,
        projectDirectory: directory,
        maxBlockBytes: 1_000_000,
        ...options,
      });
      const lines = (await memory.list()).blocks.flatMap((block) => block.text.split("\n"));
      expect(promised.tasks.filter((title) => !titles.includes(title))).toEqual([]);
      expect(promised.memory.filter((line) => !lines.includes(line))).toEqual([]);
      expect(new Set(titles).size).toBe(titles.length);
      // What was written and not acknowledged any more: at most one a killed process.
      expect(titles.length - promised.tasks.length).toBeLessThanOrEqual(2 * kills);
      expect(warnings).toEqual([]);
      // The kills did hit writers: without locks left behind this test would show nothing.
      expect(leftovers.locks).toBeGreaterThan(0);
      await tasks.apply(WORKSPACE, [{ kind: "add", title: "last" }]);
      await memory.set("user", "last", "x");
      await memory.set("project", "last", "x");
      expect(readdirSync(directory).filter((name) => /\.(tmp|lock)$/.test(name))).toEqual([]);
    },
  );
});
