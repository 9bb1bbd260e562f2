import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { CompositeBackend, FilesystemBackend, StateBackend, type BackendProtocolV2 } from "deepagents";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  BackendError,
  canonicalPath,
  createCodingBackend,
  HARNESS_ROUTES,
  isWithin,
  readOnly,
} from "../src/index.js";

const directory = async (): Promise<string> => {
  const made = await mkdtemp(path.join(os.tmpdir(), "fiveseam-backends-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
};

describe("canonicalPath", () => {
  it.each([
    ["/", "/"],
    ["/a/./b//c/", "/a/b/c"],
    ["/a/../b", "/b"],
    ["/..a/b..", "/..a/b.."],
    ["/workspace/./secret/../secret/x", "/workspace/secret/x"],
  ])("%s is %s", (given, expected) => {
    expect(canonicalPath(given)).toBe(expected);
  });

  it.each(["", "a", "./a", "/..", "/a/../../b", "/a\0", "/a\\b"])("%j is refused", (given) => {
    expect(() => canonicalPath(given)).toThrow(BackendError);
  });

  it("is idempotent and agrees with POSIX resolution wherever it accepts a path", () => {
    const part = fc.oneof(fc.constantFrom(".", "..", "", "a", "b.c", "..d"), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const given = `/${parts.join("/")}`;
        let canonical: string;
        try {
          canonical = canonicalPath(given);
        } catch {
          return;
        }
        expect(canonicalPath(canonical)).toBe(canonical);
        expect(canonical).toBe(path.posix.resolve("/", given));
      }),
    );
  });

  it("isWithin goes by whole names", () => {
    expect(isWithin("/workspace/a", "/workspace/")).toBe(true);
    expect(isWithin("/workspace", "/workspace/")).toBe(true);
    expect(isWithin("/workspace2/a", "/workspace/")).toBe(false);
    expect(isWithin("/workspace/../etc", "/workspace/")).toBe(false);
  });
});

describe("createCodingBackend", () => {
  it("serves real files at /workspace/ and keeps /docs/ in the store, under its namespace", async () => {
    const root = await directory();
    await writeFile(path.join(root, "a.txt"), "alpha");
    const store = new InMemoryStore();
    const backend = createCodingBackend({ workspace: root, docs: store, docsNamespace: ["mine"] });
    expect((await backend.read("/workspace/a.txt")).content).toBe("alpha");
    await backend.write("/workspace/b.txt", "beta");
    expect(await readFile(path.join(root, "b.txt"), "utf8")).toBe("beta");
    await backend.write("/docs/n.md", "kept");
    expect((await store.search(["mine"])).length).toBe(1);
    expect(
      (
        await createCodingBackend({ workspace: root, docs: store, docsNamespace: ["mine"] }).read(
          "/docs/n.md",
        )
      ).content,
    ).toBe("kept");
    expect(
      (
        await createCodingBackend({ workspace: root, docs: store, docsNamespace: ["yours"] }).read(
          "/docs/n.md",
        )
      ).error,
    ).toBeDefined();
  });

  it("does not leave the workspace by `..` or an absolute path", async () => {
    const root = await directory();
    await writeFile(path.join(root, "..", `${path.basename(root)}-outside`), "secret");
    onTestFinished(() => rm(`${root}-outside`, { force: true }));
    const backend = createCodingBackend({ workspace: root });
    for (const name of [
      `/workspace/../${path.basename(root)}-outside`,
      `/workspace/${root}-outside`,
      "/workspace//etc/passwd",
    ]) {
      const result = await Promise.resolve(backend.read(name)).catch((error: unknown) => ({
        error,
        content: undefined,
      }));
      expect(String(result.content)).not.toContain("secret");
      expect(String(result.content)).not.toContain("root:");
    }
  });

  it("keeps large results and history in the spill directory when there is one, each thread's apart", async () => {
    const [root, spill] = [await directory(), await directory()];
    const backend = createCodingBackend({ workspace: root, spillDirectory: spill });
    const inThread = <T>(thread_id: string, work: () => Promise<T> | T): Promise<T> =>
      AsyncLocalStorageProviderSingleton.runWithConfig({ configurable: { thread_id } }, async () => work());
    for (const route of HARNESS_ROUTES) {
      await inThread("a", () => backend.write(`${route}call_0.txt`, "of a"));
      await inThread("b", () => backend.write(`${route}call_0.txt`, "of b"));
      expect((await inThread("a", () => backend.read(`${route}call_0.txt`))).content).toBe("of a");
      const files = await readdir(path.join(spill, route), { recursive: true });
      expect(files.filter((name) => name.endsWith("call_0.txt"))).toHaveLength(2);
    }
  });

  it("takes another backend as the workspace, and further routes", async () => {
    const [root, notes] = [await directory(), await directory()];
    const backend = createCodingBackend({
      workspace: new FilesystemBackend({ rootDir: root, virtualMode: true }),
      extra: { "/notes/": new FilesystemBackend({ rootDir: notes, virtualMode: true }) },
    });
    await backend.write("/notes/n", "x");
    expect(await readFile(path.join(notes, "n"), "utf8")).toBe("x");
  });

  it.each([
    "notes/",
    "/notes",
    "/",
    "/a/../b/",
    "/a//b/",
    "/workspace/x/",
    "/docs/",
    "/large_tool_results/",
    "/../x/",
  ])("refuses the route %s", (route) => {
    expect(() => createCodingBackend({ workspace: "/tmp", extra: { [route]: new StateBackend() } })).toThrow(
      expect.objectContaining({ name: "BackendError", code: "invalid_route" }),
    );
  });

  it("refuses an empty directory and a namespace that stores refuse, with a typed error", () => {
    const store = new InMemoryStore();
    for (const options of [
      { workspace: "" },
      { workspace: "/tmp", spillDirectory: "" },
      { workspace: "/tmp", docs: store, docsNamespace: ["/home/ada/my project"] },
    ]) {
      expect(() => createCodingBackend(options)).toThrow(expect.objectContaining({ code: "invalid_option" }));
    }
  });

  it("refuses two routes of which one lies in the other", () => {
    const extra = { "/a/": new StateBackend(), "/a/b/": new StateBackend() };
    expect(() => createCodingBackend({ workspace: "/tmp", extra })).toThrow(/overlaps/);
  });
});

describe("readOnly", () => {
  const setUp = async () => {
    const root = await directory();
    await writeFile(path.join(root, "a.txt"), "alpha");
    const inner = new CompositeBackend(new FilesystemBackend({ rootDir: root, virtualMode: true }), {});
    return { root, backend: readOnly(inner, { except: ["/spill/"], who: "the reader" }) };
  };

  it("reads, lists and searches", async () => {
    const { backend } = await setUp();
    expect((await backend.read("/a.txt")).content).toBe("alpha");
    expect((await backend.readRaw("/a.txt")).data).toBeDefined();
    expect((await backend.ls("/")).files?.map((file) => file.path)).toEqual(["/a.txt"]);
    expect((await backend.grep("alpha", "/")).matches).toHaveLength(1);
    expect((await backend.glob("*.txt", "/")).files).toHaveLength(1);
    expect((await backend.downloadFiles?.(["/a.txt"]))?.[0]?.error).toBeNull();
  });

  it("changes nothing, says who may not, and what to do instead", async () => {
    const { backend, root } = await setUp();
    const refused = [
      await backend.write("/a.txt", "x"),
      await backend.write("/spill/../a.txt", "x"),
      await backend.write("/spillage/x", "x"),
      await backend.edit("/a.txt", "alpha", "x"),
      await backend.delete?.("/a.txt"),
    ];
    for (const result of refused)
      expect(result?.error).toMatch(/^Denied: the reader may not change .*Report/);
    const uploads = await backend.uploadFiles?.([
      ["/a.txt", new Uint8Array([1])],
      ["/spill/b", new Uint8Array([2])],
    ]);
    expect(uploads?.map(({ error }) => error)).toEqual(["permission_denied", null]);
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("alpha");
  });

  it("lets the exceptions through", async () => {
    const { backend, root } = await setUp();
    expect((await backend.write("/spill/x.txt", "big")).error).toBeUndefined();
    expect(await readFile(path.join(root, "spill/x.txt"), "utf8")).toBe("big");
  });

  it("does not pass commands on, and keeps route prefixes", async () => {
    const sandbox = {
      ...new StateBackend(),
      id: "box",
      execute: () => ({ output: "", exitCode: 0, truncated: false }),
    };
    expect(readOnly(sandbox as unknown as BackendProtocolV2)).not.toHaveProperty("execute");
    const composite = new CompositeBackend(new StateBackend(), { "/x/": new StateBackend() });
    expect(readOnly(composite).routePrefixes).toEqual(["/x/"]);
  });
});
