import { chmod, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { createCodingBackend, withRights, WorkspaceBackend } from "@fiveseam/backends";
import { createRights, declarationOf, failureKind } from "@fiveseam/tool-pipeline";
import { describe, expect, it } from "vitest";
import { createComposeFilesTool, type ChangeableFiles, type ComposeFilesArtifact } from "../src/index.js";
import { workspaceWith } from "./files-support.js";
import { calledWith, directoryWith, NO_SECRETS } from "./support.js";

const FILES = {
  "src/a.ts": "export const a = 1;\nexport const b = 2;\n",
  "src/index.ts": 'export * from "./a.js";\n',
  "old.md": "one\ntwo\n",
};

describe("compose_files", () => {
  it("makes all kinds of changes as one and lists each file with the lines that came and went", async () => {
    const { compose, text } = await workspaceWith(FILES);
    const message = await compose(
      { action: "rename", path: "/workspace/src/a.ts", to: "src/b.ts" },
      { action: "edit", path: "src/b.ts", old_string: "b = 2", new_string: "b = 3" },
      { action: "edit", path: "src/index.ts", old_string: "./a.js", new_string: "./b.js" },
      { action: "create", path: "src/new/c.ts", content: "1;\n2;\n" },
      { action: "delete", path: "old.md" },
    );
    expect(message.status).toBe("success");
    expect(message.text).toBe(
      [
        "Done as one change:",
        "renamed /workspace/src/a.ts -> /workspace/src/b.ts (+1 -1)",
        "changed /workspace/src/index.ts (+1 -1)",
        "created /workspace/src/new/c.ts (+2)",
        "deleted /workspace/old.md (-2)",
      ].join("\n"),
    );
    expect(await text("src/b.ts")).toBe("export const a = 1;\nexport const b = 3;\n");
    await expect(text("src/a.ts")).rejects.toThrow("ENOENT");
    await expect(text("old.md")).rejects.toThrow("ENOENT");
    const artifact = message.artifact as ComposeFilesArtifact;
    expect(artifact.atomic).toBe(true);
    expect(artifact.receipts.map(({ file }) => file).sort()).toEqual([
      "/workspace/old.md",
      "/workspace/src/a.ts",
      "/workspace/src/b.ts",
      "/workspace/src/index.ts",
      "/workspace/src/new/c.ts",
    ]);
    expect(artifact.receipts.every((receipt) => receipt.hashBefore !== receipt.hashAfter)).toBe(true);
  });

  it("changes nothing when one change is refused, and says which and why", async () => {
    const { compose, text } = await workspaceWith(FILES);
    const good = { action: "write", path: "src/index.ts", content: "" };
    const refusals = [
      [{ action: "edit", path: "old.md", old_string: "three", new_string: "x" }, "not_found"],
      [{ action: "edit", path: "src/a.ts", old_string: "export", new_string: "x" }, "ambiguous"],
      [{ action: "delete", path: "gone.md" }, "not_found"],
      [{ action: "create", path: "old.md", content: "" }, "stale"],
      [{ action: "rename", path: "src/a.ts", to: "old.md" }, "conflict"],
      [{ action: "write", path: ".git/hooks/x", content: "" }, "denied"],
      [{ action: "write", path: "src", content: "" }, "is_directory"],
    ] as const;
    for (const [bad, kind] of refusals) {
      const message = await compose(good, bad);
      expect([message.status, failureKind(message)], message.text).toEqual(["error", kind]);
      expect(message.text).toContain(`No file was changed. change 2 of 2 (${bad.action} ${bad.path}): `);
      expect(await text("src/index.ts")).toBe(FILES["src/index.ts"]);
      expect(await text("old.md")).toBe(FILES["old.md"]);
    }
  });

  it("names the argument that a change lacks, and refuses paths that leave the workspace", async () => {
    const { compose } = await workspaceWith(FILES);
    const missing = await compose({ action: "edit", path: "old.md", old_string: "one" });
    expect(missing.text).toContain("Change 1 (edit) needs `new_string`.");
    expect(failureKind(missing)).toBe("invalid_arguments");
    const outside = await compose({ action: "delete", path: "../old.md" });
    expect(outside.text).toContain("leaves the workspace");
    const beside = await compose({ action: "write", path: "/workspace/../../etc/x", content: "" });
    expect(beside.status).toBe("error");
  });

  it("says so when nothing had to be changed", async () => {
    const { compose } = await workspaceWith(FILES);
    const same = await compose({ action: "write", path: "old.md", content: FILES["old.md"] });
    expect(same.text).toBe("Nothing had to be changed.");
    const thereAndBack = await compose(
      { action: "rename", path: "old.md", to: "new.md" },
      { action: "rename", path: "new.md", to: "old.md" },
    );
    expect(thereAndBack.text).toBe("Nothing had to be changed.");
  });

  it("does it in order where the files are not of one backend, takes it back on a failure, and says so", async () => {
    const one = await directoryWith({ "a.txt": "a\n" });
    const two = await directoryWith({ "b.txt": "b\n" });
    const backend = createCodingBackend({
      workspace: one,
      extra: { "/notes/": new WorkspaceBackend({ root: two, mount: "/notes/" }) },
    }) as unknown as ChangeableFiles;
    const call = calledWith([createComposeFilesTool(backend)], {});
    const changes = [
      { action: "write", path: "a.txt", content: "A\n" },
      { action: "write", path: "/notes/b.txt", content: "B\n" },
    ];
    const done = await call("compose_files", { changes });
    expect(done.text).toMatch(
      /^Done one after the other .*taken back\):\nchanged \/workspace\/a\.txt \(\+1 -1\)/,
    );
    expect((done.artifact as ComposeFilesArtifact).atomic).toBe(false);
    const failed = await call("compose_files", {
      changes: [
        { action: "write", path: "a.txt", content: "again\n" },
        { action: "edit", path: "/notes/b.txt", old_string: "nowhere", new_string: "" },
      ],
    });
    expect(failed.status).toBe("error");
    expect(await backend.readRaw("/workspace/a.txt")).toMatchObject({ data: { content: "A\n" } });
  });

  it("lets nobody change what they may not: by name, through a link, or by a backend that refuses", async () => {
    const { root, tools, backend, text } = await workspaceWith({ ...FILES, "secret/key.txt": "k\n" });
    await symlink("secret", path.join(root, "open"));
    const call = calledWith(tools, { rights: NO_SECRETS });
    for (const name of ["secret/key.txt", "src/../secret/key.txt", "open/key.txt"]) {
      const message = await call("compose_files", {
        changes: [
          { action: "delete", path: "old.md" },
          { action: "write", path: name, content: "x" },
        ],
      });
      expect([message.status, failureKind(message)], name).toEqual(["error", "denied"]);
    }
    const readers = createRights({ effects: "all", read: "all", write: ["/workspace/src/**"] });
    const moved = await calledWith(tools, { rights: readers })("compose_files", {
      changes: [{ action: "rename", path: "src/a.ts", to: "a.ts" }],
    });
    expect(moved.text).toContain("You may not change /workspace/a.ts here.");

    const narrow = withRights(backend as never, {
      covers: (access) => "read" in access || access.write.startsWith("/workspace/src/"),
      who: "tester",
    });
    const refused = await calledWith([createComposeFilesTool(narrow as never)], {})("compose_files", {
      changes: [{ action: "delete", path: "old.md" }],
    });
    expect(failureKind(refused)).toBe("denied");
    expect(refused.text).toContain("tester may not change /workspace/old.md");
    expect(await text("secret/key.txt")).toBe("k\n");
    expect(await text("old.md")).toBe(FILES["old.md"]);
  });

  it.skipIf(process.getuid?.() === 0)("leaves every file as it was when the disk refuses one", async () => {
    const { root, compose, text } = await workspaceWith(FILES);
    await mkdir(path.join(root, "locked"));
    await chmod(path.join(root, "locked"), 0o500);
    const message = await compose(
      { action: "write", path: "old.md", content: "new" },
      { action: "create", path: "locked/x.txt", content: "" },
    );
    await chmod(path.join(root, "locked"), 0o700);
    expect(failureKind(message)).toBe("denied");
    expect(await text("old.md")).toBe(FILES["old.md"]);
  });

  it("declares the paths of all changes, also of arguments that are wrong", async () => {
    const { tools } = await workspaceWith({});
    const tool = tools.find(({ name }) => name === "compose_files") as object;
    const paths = (changes: unknown) => declarationOf(tool).paths?.({ changes });
    expect(paths([{ path: "a.ts", to: "/workspace/b.ts" }, { path: 1 }, null])).toEqual([
      "/workspace/a.ts",
      "/workspace/b.ts",
    ]);
    expect(paths("no list")).toEqual([]);
  });
});
