import { symlink } from "node:fs/promises";
import path from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { StoreBackend } from "deepagents";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, createRights } from "@fiveseam/tool-pipeline";
import {
  createCodingBackend,
  FreshnessLedger,
  HARNESS_ROUTES,
  withFreshness,
  withRights,
  WorkspaceBackend,
} from "../src/index.js";
import { rootWith, temporary } from "./support.js";

const NAMES = ["a", "b", "c"];
/** Each file holds its own path, so that whatever is shown says where it comes from. */
const FILES = NAMES.flatMap((one) => NAMES.flatMap((two) => [`${one}/${two}/f.txt`, `${one}/f.txt`]));
const PLACE = /AT\((\/[^)]*)\)/g;

const tree = async (): Promise<string> =>
  rootWith(Object.fromEntries(FILES.map((file) => [file, `AT(/${file})\n`])));

const shown = (result: unknown): string[] => {
  const text = JSON.stringify(result, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  return [...(text ?? "").matchAll(PLACE)].map(([, file]) => file as string);
};

describe("withRights", () => {
  it("no spelling and no link gets past a rule", { timeout: 120_000 }, async () => {
    const root = await tree();
    const links = [
      ["la", "a"],
      ["a/up", ".."],
      ["b/over", "../c/a"],
      ["c/leaf.txt", "../a/b/f.txt"],
      ["chain", "la/b"],
      ["absolute", path.join(root, "b")],
    ] as const;
    for (const [link, to] of links) await symlink(to, path.join(root, link));
    const part = fc.constantFrom(
      ...NAMES,
      "la",
      "up",
      "over",
      "leaf.txt",
      "chain",
      "absolute",
      "f.txt",
      ".",
      "..",
      "",
    );
    const glob = fc.constantFrom(
      "/**",
      "/a/**",
      "/b/**",
      "/c/a/**",
      "/a/b/f.txt",
      "/*/f.txt",
      "/**/b/**",
      "/la/**",
      "/{a,c}/**",
    );
    const rules = fc.record({
      allow: fc.array(glob, { minLength: 1, maxLength: 3 }),
      deny: fc.array(glob, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(
        rules,
        rules,
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom("/", "//", "/./"),
        async (read, write, parts, front) => {
          const rights = createRights({ effects: ["fs.read", "fs.write"], read, write });
          const plain = new WorkspaceBackend({ root, fsync: false });
          const files = withRights(plain, { covers: (access) => covers(rights, access), who: "x" });
          const target = front + parts.join("/");
          const seen = shown([
            await files.read(target),
            await files.readRaw(target),
            await files.grep("AT(", target),
            await files.grep("AT(", "/"),
            await files.downloadFiles?.([target]),
            await files.edit(target, "no such text", "x"),
          ]);
          for (const file of seen)
            expect({ target, file, may: covers(rights, { read: file }) }).toEqual({
              target,
              file,
              may: true,
            });
          for (const listed of [await files.glob("**/f.txt", target), await files.glob("**/*")]) {
            for (const { path: name } of listed.files ?? [])
              expect(shown([await plain.read(name)]).every((file) => covers(rights, { read: file }))).toBe(
                true,
              );
          }
          for (const entry of (await files.ls(target)).files ?? []) {
            if (entry.is_dir) continue;
            expect(
              shown([await plain.read(entry.path)]).every((file) => covers(rights, { read: file })),
            ).toBe(true);
          }
          await files.write(target, "changed");
          await files.edit(target, "AT(", "changed(");
          await files.uploadFiles?.([[target, Buffer.from("changed")]]);
          if (parts.length > 0) await files.delete(target);
          for (const file of new Set(FILES)) {
            const name = `/${file}`;
            const { content } = await plain.read(name);
            const intact = content === `AT(${name})`;
            if (!intact) {
              expect({ target, name, may: covers(rights, { write: name }) }).toEqual({
                target,
                name,
                may: true,
              });
              await plain.write(name, `AT(${name})\n`);
            }
          }
          // What was made beside them, and the links that were deleted.
          for (const { path: name } of (await plain.glob("**/*")).files ?? [])
            if (!FILES.includes(name.slice(1)) && name !== "/c/leaf.txt") await plain.delete(name);
          for (const [link, to] of links) await symlink(to, path.join(root, link)).catch(() => undefined);
        },
      ),
      { numRuns: Number(process.env["RIGHTS_FUZZ"] ?? 300) },
    );
  });

  it("lets through what is covered, under its real name", async () => {
    const root = await tree();
    const files = withRights(new WorkspaceBackend({ root }), {
      covers: (access) => "read" in access || access.write.startsWith("/a/"),
    });
    expect((await files.write("/a/./b//f.txt", "x")).error).toBeUndefined();
    expect((await files.edit("/a/f.txt", "AT", "at")).error).toBeUndefined();
    expect((await files.delete("/a/c")).error).toBeUndefined();
    expect(await files.write("/b/f.txt", "x")).toMatchObject({
      errorKind: "denied",
      error: "Denied: this agent may not change /b/f.txt. Report what you would change.",
    });
  });

  it("shows directories on the way to what may be read, and no others", async () => {
    const root = await tree();
    const files = withRights(new WorkspaceBackend({ root }), {
      covers: (access) => "read" in access && access.read.startsWith("/a/b/"),
      who: "reader",
    });
    const names = async (directory: string) => (await files.ls(directory)).files?.map((file) => file.path);
    expect(await names("/")).toEqual(["/a/"]);
    expect(await names("/a")).toEqual(["/a/b/"]);
    expect(await names("/a/b")).toEqual(["/a/b/f.txt"]);
    expect(await files.ls("/b")).toMatchObject({ errorKind: "denied" });
    expect((await files.glob("**/*")).files?.map((file) => file.path)).toEqual(["/a/b/f.txt"]);
    expect((await files.grep("AT(")).matches?.map((match) => match.path)).toEqual(["/a/b/f.txt"]);
  });

  it("deletes no directory in which something may not be changed, on disk and in a store", async () => {
    const mayWrite = (access: { read: string } | { write: string }): boolean =>
      "read" in access || !access.write.endsWith("/keep.md");
    const root = await rootWith({ "d/x.md": "1", "d/deep/keep.md": "2", ".gitignore": "deep\n" });
    const disk = withRights(new WorkspaceBackend({ root }), { covers: mayWrite });
    expect(await disk.delete("/d")).toMatchObject({ errorKind: "denied" });
    expect((await disk.read("/d/deep/keep.md")).content).toBe("2");
    const store = new StoreBackend({ store: new InMemoryStore(), namespace: ["n"] });
    await store.write("/d/x.md", "1");
    await store.write("/d/keep.md", "2");
    const kept = withRights(store, { covers: mayWrite });
    expect(await kept.delete?.("/d")).toMatchObject({ errorKind: "denied" });
    expect((await kept.delete?.("/d/x.md"))?.error).toBeUndefined();
    expect((await store.read("/d/keep.md")).content).toBe("2");
  });

  it("holds through the routes of createCodingBackend, with the harness's own routes excepted", async () => {
    const root = await tree();
    await symlink("../b", path.join(root, "a/link"));
    const backend = createCodingBackend({
      workspace: root,
      docs: new InMemoryStore(),
      spillDirectory: await temporary(),
    });
    await backend.write("/docs/secret/k.md", "AT(/docs/secret)");
    const rights = createRights({
      effects: ["fs.read", "fs.write"],
      read: { allow: ["/workspace/**", "/docs/**"], deny: ["/docs/secret/**", "/workspace/b/**"] },
      write: ["/docs/adr/**"],
    });
    const files = withRights(backend, {
      covers: (access) => covers(rights, access),
      who: "architect",
      except: HARNESS_ROUTES,
    });
    for (const name of [
      "/docs/./secret/k.md",
      "/workspace/../docs/secret/k.md",
      "/workspace/a/link/f.txt",
      "/workspace//b/f.txt",
    ])
      expect({ name, ...(await files.read(name)) }).toMatchObject({ name, errorKind: "denied" });
    expect((await files.write("/docs/adr/1.md", "x")).error).toBeUndefined();
    expect(await files.write("/docs/adr/../2.md", "x")).toMatchObject({ errorKind: "denied" });
    expect((await files.write("/large_tool_results/1", "big")).error).toBeUndefined();
    expect((await files.read("/large_tool_results/1")).content).toBe("big");
    expect(shown([await files.grep("AT(", "/workspace"), await files.grep("AT(", "/docs")])).not.toContain(
      "/docs/secret",
    );
    expect((await files.ls("/docs")).files?.map((file) => file.path)).toEqual(["/docs/adr/"]);
  });

  it("narrows and never widens when it is put on twice, under and over a ledger", async () => {
    const root = await tree();
    const inner = withRights(new WorkspaceBackend({ root }), {
      covers: (access) => ("read" in access ? access.read : access.write).startsWith("/a/"),
    });
    const ledger = new FreshnessLedger();
    const both = withRights(withFreshness(inner, { ledger, agent: "x" }), {
      covers: (access) => ("read" in access ? access.read : access.write).includes("/b/"),
    });
    expect((await both.read("/a/b/f.txt")).content).toBe("AT(/a/b/f.txt)");
    expect(await both.read("/a/c/f.txt")).toMatchObject({ errorKind: "denied" });
    expect(await both.read("/b/b/f.txt")).toMatchObject({ errorKind: "denied" });
    expect((await both.glob("**/*")).files?.map((file) => file.path)).toEqual(["/a/b/f.txt"]);
    await inner.write("/a/b/f.txt", "by somebody else");
    expect(await both.write("/a/b/f.txt", "x")).toMatchObject({ errorKind: "stale" });
  });
});
