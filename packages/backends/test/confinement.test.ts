import { spawn } from "node:child_process";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkspaceBackend } from "../src/index.js";
import { rootWith, temporary } from "./support.js";

const SECRET = "TOP-SECRET-CONTENT";
const RUNS = Number(process.env["PATH_FUZZ"] ?? 800);
const SWAPS = Number(process.env["SWAPS"] ?? 100_000);

/** A root with an outside that must never be read or changed. */
const arena = async () => {
  const base = await temporary();
  const root = path.join(base, "root");
  const outside = path.join(base, "outside");
  await mkdir(root);
  await mkdir(path.join(outside, "deep"), { recursive: true });
  const sentinels = ["secret.txt", "f.txt", "deep/secret.txt"].map((name) => path.join(outside, name));
  for (const file of sentinels) await writeFile(file, `${SECRET}\n`);
  const state = async () =>
    JSON.stringify(
      await Promise.all(
        [...sentinels, outside, path.join(outside, "deep")].map(async (file) => {
          const { mtimeMs, ctimeMs, size, ino, mode } = await stat(file);
          return { file, mtimeMs, ctimeMs, size, ino, mode };
        }),
      ),
    );
  const before = await state();
  const check = async (): Promise<void> => {
    expect(await state()).toBe(before);
    for (const file of sentinels) expect(await readFile(file, "utf8")).toBe(`${SECRET}\n`);
  };
  return { base, root, outside, check };
};

const leaks = (result: unknown): boolean =>
  JSON.stringify(result, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  ).includes(SECRET);

/** Every operation on one path; none may throw, and none may show the secret. */
const tryAll = async (files: WorkspaceBackend, target: string, old: string): Promise<void> => {
  const results = [
    await files.read(target),
    await files.readRaw(target),
    await files.ls(target),
    await files.glob("**/*", target),
    await files.glob(`${target}/*`),
    await files.grep(SECRET, target),
    await files.edit(target, old, "changed"),
    await files.write(target, "written"),
    ...(await files.uploadFiles([[target, Buffer.from("uploaded")]])),
    ...(await files.downloadFiles([target])),
    await files.delete(target),
  ];
  for (const result of results) expect({ target, leaks: leaks(result) }).toEqual({ target, leaks: false });
};

describe("nothing outside the root is read or changed", () => {
  it("by any spelling of a path", { timeout: 300_000 }, async () => {
    const { base, root, outside, check } = await arena();
    await symlink("../outside", path.join(root, "link"));
    await symlink(outside, path.join(root, "absolute"));
    await symlink("../outside/secret.txt", path.join(root, "leaf"));
    await symlink("link/deep", path.join(root, "chain"));
    const part = fc.constantFrom(
      ..."a . .. link absolute leaf chain deep secret.txt outside root %2e%2e ..%2f \u2025 \uff0e\uff0e ..; ...".split(
        " ",
      ),
      "",
      "a/..",
      "..\\",
      "C:",
      "\u0000",
      ".. ",
      base.slice(1),
      outside.slice(1),
      "\ud800",
    );
    for (const confinement of ["descriptors", "paths"] as const) {
      const files = new WorkspaceBackend({ root, fsync: false, confinement });
      await fc.assert(
        fc.asyncProperty(
          fc.array(part, { maxLength: 7 }),
          fc.constantFrom("/", "", "//", "./"),
          async (parts, front) => {
            await tryAll(files, front + parts.join("/"), SECRET);
          },
        ),
        { numRuns: RUNS },
      );
      await check();
    }
  });

  it("through farms of links, whatever they point to", { timeout: 300_000 }, async () => {
    const { root, outside, check } = await arena();
    const names = ["a", "b", "c", "d", "e"];
    const target = fc.constantFrom(
      ...names,
      "..",
      ".",
      "../root",
      "../outside",
      "../outside/secret.txt",
      outside,
      root,
      `${root}/a`,
      "a/../../outside",
      "/",
      "/proc/self/root",
    );
    const files = new WorkspaceBackend({ root, fsync: false });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), target), { minLength: 1, maxLength: 6 }),
        fc.array(fc.constantFrom(...names, "secret.txt", ".."), { minLength: 1, maxLength: 5 }),
        async (links, parts) => {
          for (const name of names) await files.delete(`/${name}`);
          for (const [name, to] of links) await symlink(to, path.join(root, name)).catch(() => undefined);
          await tryAll(files, `/${parts.join("/")}`, SECRET);
        },
      ),
      { numRuns: Math.ceil(RUNS / 3) },
    );
    await check();
  });

  it.runIf(process.platform === "linux")(
    `while another process swaps a directory for a link ${SWAPS} times (requires: linux)`,
    { timeout: 600_000 },
    async () => {
      const { root, outside, check } = await arena();
      const directory = path.join(root, "d");
      await mkdir(directory);
      await writeFile(path.join(directory, "f.txt"), "inside\n");
      const files = new WorkspaceBackend({ root, fsync: false });
      const swapper = spawn(process.execPath, [
        path.join(import.meta.dirname, "workers/swap.mjs"),
        directory,
        outside,
        String(SWAPS),
      ]);
      let running = true;
      const ended = new Promise<number | null>((resolve) =>
        swapper.once("exit", (code) => {
          running = false;
          resolve(code);
        }),
      );
      let inside = 0;
      for (let n = 0; running; n += 1) {
        const results = [
          await files.read("/d/f.txt"),
          await files.write("/d/f.txt", "inside\n"),
          await files.edit("/d/f.txt", "inside", "inside"),
          await files.write(`/d/made/${n}.txt`, "x"),
          await files.grep(SECRET, "/"),
          await files.glob("**/*", "/d"),
          await files.ls("/d"),
          await files.delete(`/d/made`),
          await files.delete("/d/secret.txt"),
        ];
        for (const result of results) expect(leaks(result)).toBe(false);
        if (results[0]?.error === undefined) inside += 1;
      }
      expect(await ended).toBe(0);
      expect(inside).toBeGreaterThan(0);
      await check();
    },
  );
});

describe("what may not be touched inside the root", () => {
  it("protects git's own files at any depth and under any spelling, and what the host names", async () => {
    const root = await rootWith({
      ".git/HEAD": "ref\n",
      "sub/.git/config": "x\n",
      "keys/a.txt": "k\n",
      "src/a.ts": "1\n",
    });
    await symlink(".git", path.join(root, "alias"));
    const files = new WorkspaceBackend({ root, protectedPaths: ["/src/a.ts"], hiddenPaths: ["/keys"] });
    for (const file of [
      "/.git/hooks/x",
      "/.GIT/config",
      "/sub/.git/config",
      "/alias/HEAD",
      "/.git./HEAD",
      "/src/a.ts",
    ]) {
      expect({ file, ...(await files.write(file, "x")) }).toMatchObject({ file, errorKind: "denied" });
      expect({ file, ...(await files.delete(file)) }).toMatchObject({ file, errorKind: "denied" });
    }
    expect(await files.delete("/sub")).toMatchObject({
      errorKind: "denied",
      error: expect.stringContaining("/sub/.git"),
    });
    expect((await files.read("/src/a.ts")).content).toBe("1");
    for (const file of ["/keys", "/keys/a.txt", "/KEYS/a.txt"]) {
      expect({ file, ...(await files.read(file)) }).toMatchObject({ file, errorKind: "not_found" });
    }
    expect(
      JSON.stringify([await files.ls("/"), await files.glob("**/*"), await files.grep("k", "/")]),
    ).not.toContain("keys");
  });

  it("takes those paths as the agent knows them too, and refuses globs, which would protect nothing", async () => {
    const root = await rootWith({ ".env": "KEY=1\n", "src/a.ts": "1\n" });
    const files = new WorkspaceBackend({
      root,
      mount: "/workspace/",
      hiddenPaths: ["/workspace/.env"],
      protectedPaths: ["/workspace/src"],
    });
    expect(await files.read("/.env")).toMatchObject({ errorKind: "not_found" });
    expect(await files.write("/src/a.ts", "x")).toMatchObject({ errorKind: "denied" });
    expect(() => new WorkspaceBackend({ root, hiddenPaths: ["**/.env"] })).toThrow("is a glob");
  });

  it("says of a file that was deleted what was in it", async () => {
    const root = await rootWith({ "a.txt": "one\n" });
    const { metadata } = await new WorkspaceBackend({ root }).delete("/a.txt");
    expect(metadata).toMatchObject({ hashBefore: expect.stringMatching(/^[0-9a-f]{64}$/), hashAfter: null });
  });

  it("refuses a file with other names unless told to break the link", async () => {
    const root = await rootWith({ "a.txt": "shared\n" });
    const { link } = await import("node:fs/promises");
    await link(path.join(root, "a.txt"), path.join(root, "b.txt"));
    expect(await new WorkspaceBackend({ root }).write("/a.txt", "x")).toMatchObject({ errorKind: "denied" });
    expect(
      (await new WorkspaceBackend({ root, hardlinks: "break" }).write("/a.txt", "x")).error,
    ).toBeUndefined();
    expect(await readFile(path.join(root, "b.txt"), "utf8")).toBe("shared\n");
  });
});
