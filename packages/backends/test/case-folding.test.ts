import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import type * as Directories from "../src/workspace/directory.js";
import { FreshnessLedger, withFreshness, withRights, WorkspaceBackend } from "../src/index.js";
import { rootWith } from "./support.js";

// A directory as a disk that folds case has it. Such a disk is not to be had wherever tests run.
vi.mock("../src/workspace/directory.js", async (original) => {
  const real = await original<typeof Directories>();
  const folding = (inner: Directories.Directory): Directories.Directory => {
    const stored = (name: string): string =>
      readdirSync(inner.self).find((entry) => entry.toLowerCase() === name.toLowerCase()) ?? name;
    return {
      real: inner.real,
      self: inner.self,
      at: (name) => inner.at(stored(name)),
      enter: (name) => folding(inner.enter(stored(name))),
      make: (name) => inner.make(name),
      verify: () => inner.verify(),
      close: () => inner.close(),
    };
  };
  return {
    ...real,
    openRoot: (...given: Parameters<typeof real.openRoot>) => folding(real.openRoot(...given)),
  };
});

const SPELLINGS = ["/docs/Secret.txt", "/DOCS/secret.txt", "/Docs/SECRET.TXT", "/dOCS/sECRET.txt"];

describe("on a disk that folds case", () => {
  it("no spelling gets past a rule", async () => {
    const root = await rootWith({ "docs/Secret.txt": "secret\n", "open.txt": "open\n" });
    const files = withRights(new WorkspaceBackend({ root }), {
      covers: (access) => !("read" in access ? access.read : access.write).startsWith("/docs/"),
    });
    for (const spelling of SPELLINGS) {
      expect(await files.read(spelling)).toMatchObject({ errorKind: "denied" });
      expect(await files.grep("secret", spelling)).not.toMatchObject({ matches: [{}] });
      expect(await files.write(spelling, "x")).toMatchObject({ errorKind: "denied" });
      expect(await files.edit(spelling, "secret", "x")).toMatchObject({ errorKind: "denied" });
      expect(await files.delete(spelling)).toMatchObject({ errorKind: "denied" });
    }
    expect((await files.grep("secret", "/DOCS")).matches ?? []).toEqual([]);
    expect(await files.write("/DOCS/new.txt", "x")).toMatchObject({ errorKind: "denied" });
    expect(await files.delete("/DOCS")).toMatchObject({ errorKind: "denied" });
    expect(await files.read("/OPEN.txt")).toMatchObject({ content: "open" });
    expect(await readFile(path.join(root, "docs/Secret.txt"), "utf8")).toBe("secret\n");
  });

  it("all spellings are one file, for the ledger and for edits at the same time", async () => {
    const root = await rootWith({ "docs/Secret.txt": "0 1 2 3\n" });
    const ledger = new FreshnessLedger();
    const plain = new WorkspaceBackend({ root });
    const files = withFreshness(plain, { ledger, agent: "a" });
    const read = await files.read("/DOCS/secret.TXT");
    expect(read).toMatchObject({ metadata: { file: "/docs/Secret.txt" } });
    await Promise.all(SPELLINGS.map((spelling, n) => plain.edit(spelling, String(n), `${n}!`)));
    expect(await readFile(path.join(root, "docs/Secret.txt"), "utf8")).toBe("0! 1! 2! 3!\n");
    expect(await files.write("/docs/SECRET.txt", "x")).toMatchObject({ errorKind: "stale" });
  });
});
