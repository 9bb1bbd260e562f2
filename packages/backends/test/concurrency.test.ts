import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FreshnessLedger, withFreshness, WorkspaceBackend } from "../src/index.js";
import { rootWith } from "./support.js";

const worker = (name: string, args: string[]) =>
  spawn(process.execPath, [path.join(import.meta.dirname, "workers", name), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });

const exit = (child: ReturnType<typeof worker>): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", resolve));

describe("no change is lost", () => {
  it("when four processes edit the same files", { timeout: 120_000 }, async () => {
    const root = await rootWith({ "a.txt": "<end>\n", "b.txt": "<end>\n" });
    const names = ["one", "two", "three", "four"];
    const each = 40;
    const children = names.map((name) => worker("edit.mjs", [root, name, String(each), "/a.txt,/b.txt"]));
    expect(await Promise.all(children.map(exit))).toEqual([0, 0, 0, 0]);
    for (const file of ["a.txt", "b.txt"]) {
      const lines = (await readFile(path.join(root, file), "utf8")).trimEnd().split("\n");
      expect(new Set(lines).size).toBe(lines.length);
      for (const name of names) {
        expect(lines.filter((line) => line.startsWith(`${name} `))).toEqual(
          Array.from({ length: each }, (_, n) => `${name} ${n}`),
        );
      }
    }
    expect((await readdir(root)).sort()).toEqual(["a.txt", "b.txt"]);
  });

  it("when many edits of one file come in one step, from one agent and from several", async () => {
    const root = await rootWith({ "a.txt": Array.from({ length: 60 }, (_, n) => `line ${n};\n`).join("") });
    const ledger = new FreshnessLedger();
    const backends = ["x", "y", "z"].map((agent) =>
      withFreshness(new WorkspaceBackend({ root, fsync: false }), { ledger, agent }),
    );
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, n) => backends[n % 3]?.edit("/a.txt", `line ${n};`, `done ${n};`)),
    );
    const text = await readFile(path.join(root, "a.txt"), "utf8");
    for (const [n, result] of results.entries()) {
      expect(text.includes(`done ${n};`)).toBe(result?.error === undefined);
    }
    expect(results.filter((result) => result?.error === undefined).length).toBeGreaterThan(20);
  });

  it("when somebody else writes between the read and the change: the conflict names them", async () => {
    const root = await rootWith({ "a.txt": "one\ntwo\n" });
    const ledger = new FreshnessLedger();
    const [a, b] = ["reviewer", "tester"].map((agent) =>
      withFreshness(new WorkspaceBackend({ root }), { ledger, agent }),
    ) as [ReturnType<typeof withFreshness>, ReturnType<typeof withFreshness>];
    await a.read("/a.txt");
    await b.edit("/a.txt", "one", "1");
    const conflict = await a.write("/a.txt", "mine\n");
    expect(conflict).toMatchObject({
      errorKind: "stale",
      error: expect.stringContaining("tester has changed it"),
    });
    await writeFile(path.join(root, "a.txt"), "typed by hand\n");
    expect(await b.edit("/a.txt", "typed", "x")).toMatchObject({
      errorKind: "stale",
      error: expect.stringContaining("somebody outside"),
    });
    await a.read("/a.txt");
    expect((await a.edit("/a.txt", "typed", "x")).error).toBeUndefined();
  });

  it("may require that a file was read, and forgets what a compacted conversation has read", async () => {
    const root = await rootWith({ "a.txt": "one\n" });
    const ledger = new FreshnessLedger();
    const files = withFreshness(new WorkspaceBackend({ root }), { ledger, agent: "x", requireRead: true });
    expect(await files.edit("/a.txt", "one", "1")).toMatchObject({ errorKind: "stale" });
    expect((await files.write("/new.txt", "n")).error).toBeUndefined();
    await files.read("/a.txt");
    expect((await files.edit("/a.txt", "one", "1")).error).toBeUndefined();
    ledger.forget("x");
    expect(await files.edit("/a.txt", "1", "2")).toMatchObject({ errorKind: "stale" });
  });
});

describe("a process that is killed", () => {
  it(
    "leaves the old file or the new one, and nothing else once somebody comes again",
    { timeout: 120_000 },
    async () => {
      const root = await rootWith({ "a.txt": `${"0".repeat(200_000)}\n` });
      const rounds = Number(process.env["KILL_ROUNDS"] ?? 10);
      for (let round = 0; round < rounds; round += 1) {
        const child = worker("write.mjs", [root]);
        await new Promise((resolve) => child.stdout?.once("data", resolve));
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
        const gone = exit(child);
        child.kill("SIGKILL");
        await gone;
        const text = await readFile(path.join(root, "a.txt"), "utf8");
        expect(text).toMatch(/^(\d)\1{199999}\n$/);
      }
      const files = new WorkspaceBackend({ root });
      expect((await files.edit("/a.txt", "\n", "\n!\n")).error).toBeUndefined();
      expect(await readdir(root)).toEqual(["a.txt"]);
    },
  );
});
