import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { withRights } from "@fiveseam/backends";
import { createRights, declarationOf, failureKind } from "@fiveseam/tool-pipeline";
import { describe, expect, it } from "vitest";
import {
  AstEditError,
  createAstEditTool,
  FileChangeError,
  type AstEditArtifact,
  type ChangeableFiles,
} from "../src/index.js";
import { workspaceWith } from "./files-support.js";
import { calledWith, NO_SECRETS, using } from "./support.js";

const TEXT = "export function one() {\n  return 1;\n}\n";
const REPLACE = { operation: "replace", symbol: "one", text: "function one() {\n  return 2;\n}" };

describe("ast_edit", () => {
  it("edits a file of the workspace and says what became of which lines", async () => {
    const { edit, text } = await workspaceWith({ "a.ts": `\n${TEXT}` });
    const message = await edit({ path: "/workspace/a.ts", ...REPLACE });
    expect(message.text).toBe("Replaced one in /workspace/a.ts (lines 2-4, +1 -1).");
    expect(await text("a.ts")).toBe(`\n${TEXT.replace("1;", "2;")}`);
    const artifact = message.artifact as AstEditArtifact;
    expect(artifact).toMatchObject({
      language: "typescript",
      symbol: "one",
      before: { firstLine: 2, lastLine: 4 },
    });
    expect(artifact.receipts).toMatchObject([{ file: "/workspace/a.ts" }]);
  });

  it("knows the language by the file's name", async () => {
    const files = {
      "a.tsx": "const A = () => <b/>;\n",
      "a.jsx": "const A = () => <b/>;\n",
      "a.mjs": "const A = 1;\n",
      "a.cts": "const A = 1;\n",
      "a.pyi": "A = 1\n",
      "a.GO": "package m\nvar A = 1\n",
    };
    const { edit, text } = await workspaceWith(files);
    for (const [name, before] of Object.entries(files)) {
      const message = await edit({ path: name, operation: "rename", symbol: "A", new_name: "B" });
      expect(message.status, message.text).toBe("success");
      expect(await text(name)).toBe(before.replace("A", "B"));
    }
    const other = await edit({ path: "a.rs", ...REPLACE });
    expect(failureKind(other)).toBe("unsupported_language");
    expect(other.text).toContain("use edit_file");
  });

  it("keeps line endings, byte-order marks and encodings, to the byte", async () => {
    const crlf = TEXT.replaceAll("\n", "\r\n");
    const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const cases: readonly [string, Buffer, Buffer][] = [
      ["crlf.ts", Buffer.from(crlf), Buffer.from(crlf.replace("1;", "2;"))],
      ["bom.ts", Buffer.from(`\ufeff${TEXT}`), Buffer.from(`\ufeff${TEXT.replace("1;", "2;")}`)],
      ["utf16.ts", utf16(crlf), utf16(crlf.replace("1;", "2;"))],
      [
        "latin1.js",
        Buffer.from(`// caf\xe9 na\xefve d\xe9j\xe0 vu\n${TEXT}// \xfc\r\n`, "latin1"),
        Buffer.from(`// caf\xe9 na\xefve d\xe9j\xe0 vu\n${TEXT.replace("1;", "2;")}// \xfc\r\n`, "latin1"),
      ],
      [
        "mixed.ts",
        Buffer.from(`// 😀\r\n// x\n${TEXT}`),
        Buffer.from(`// 😀\r\n// x\n${TEXT.replace("1;", "2;")}`),
      ],
      ["end.ts", Buffer.from(TEXT.trimEnd()), Buffer.from(TEXT.trimEnd().replace("1;", "2;"))],
    ];
    const { edit, bytes } = await workspaceWith(Object.fromEntries(cases));
    for (const [name, , after] of cases) {
      const message = await edit({ path: name, ...REPLACE });
      expect(message.status, message.text).toBe("success");
      expect((await bytes(name)).equals(after), name).toBe(true);
    }
  });

  it("inserts before the first symbol of a file behind its byte-order mark", async () => {
    const { edit, bytes } = await workspaceWith({ "a.ts": `\ufeff${TEXT}` });
    await edit({ path: "a.ts", operation: "insert_before", symbol: "one", text: "let x = 1;" });
    expect((await bytes("a.ts")).toString()).toBe(`\ufefflet x = 1;\n\n${TEXT}`);
  });

  it("refuses with a kind and changes nothing when something is wrong", async () => {
    const { edit, text } = await workspaceWith({ "a.ts": TEXT, "b.ts": Buffer.from([0, 1, 2, 255, 0]) });
    const wrong: readonly [Record<string, unknown>, string][] = [
      [{ ...REPLACE, symbol: "two" }, "symbol_not_found"],
      [{ ...REPLACE, text: "function one( {" }, "syntax_error"],
      [{ ...REPLACE, text: " \n" }, "invalid_arguments"],
      [{ operation: "rename", symbol: "one" }, "invalid_arguments"],
      [{ operation: "rename", symbol: "one", name: "x", new_name: "y" }, "name_not_found"],
      [{ ...REPLACE, path: "gone.ts" }, "not_found"],
      [{ ...REPLACE, path: "../a.ts" }, "invalid_arguments"],
      [{ ...REPLACE, path: "b.ts" }, "invalid_arguments"],
    ];
    for (const [args, kind] of wrong) {
      const message = await edit({ path: "a.ts", ...args });
      expect([message.status, failureKind(message)], message.text).toEqual(["error", kind]);
    }
    expect(await text("a.ts")).toBe(TEXT);
  });

  it("throws typed errors without a pipeline", async () => {
    const { tools } = await workspaceWith({ "a.ts": TEXT });
    const use = using(tools);
    await expect(use("ast_edit", { path: "a.ts", ...REPLACE, symbol: "two" })).rejects.toThrow(AstEditError);
    await expect(use("ast_edit", { path: "b.ts", ...REPLACE })).rejects.toThrow(FileChangeError);
  });

  it("is a conflict when somebody changes the file between reading and writing", async () => {
    const { root, backend, text } = await workspaceWith({ "a.ts": TEXT });
    const files = backend as ChangeableFiles;
    const meddled: ChangeableFiles = {
      ls: (at) => files.ls(at),
      readRaw: (at) => files.readRaw(at),
      async downloadFiles(paths) {
        const found = (await files.downloadFiles?.(paths)) ?? [];
        await writeFile(path.join(root, "a.ts"), `// theirs\n${TEXT}`);
        return found;
      },
      commit: (changes) => files.commit(changes),
    };
    const message = await calledWith([createAstEditTool(meddled)], {})("ast_edit", {
      path: "a.ts",
      ...REPLACE,
    });
    expect([message.status, failureKind(message)]).toEqual(["error", "stale"]);
    expect(await text("a.ts")).toBe(`// theirs\n${TEXT}`);
  });

  it("is a conflict when the agent has read something else before", async () => {
    const { root, backend, tools, text } = await workspaceWith({ "a.ts": TEXT });
    await (backend as unknown as { read(at: string): Promise<unknown> }).read("/workspace/a.ts");
    await writeFile(path.join(root, "a.ts"), `\n${TEXT}`);
    await expect(using(tools)("ast_edit", { path: "a.ts", ...REPLACE })).rejects.toMatchObject({
      code: "stale",
    });
    expect(await text("a.ts")).toBe(`\n${TEXT}`);
  });

  it("lets nobody change what they may not: by name, through a link, or by a backend that refuses", async () => {
    const { root, backend, tools, text } = await workspaceWith({ "a.ts": TEXT, "secret/k.ts": TEXT });
    await symlink("secret/k.ts", path.join(root, "link.ts"));
    for (const name of ["secret/k.ts", "x/../secret/k.ts", "link.ts"]) {
      const message = await calledWith(tools, { rights: NO_SECRETS })("ast_edit", { path: name, ...REPLACE });
      expect([message.status, failureKind(message)], name).toEqual(["error", "denied"]);
    }
    const reader = createRights({ effects: "all", read: "all", write: ["/workspace/b/**"] });
    const refused = await calledWith(tools, { rights: reader })("ast_edit", { path: "a.ts", ...REPLACE });
    expect(refused.text).toContain("You may not change /workspace/a.ts here.");
    const narrow = withRights(backend as never, { covers: (access) => "read" in access, who: "reviewer" });
    const call = calledWith([createAstEditTool(narrow as never)], {});
    const denied = await call("ast_edit", { path: "a.ts", ...REPLACE });
    expect(failureKind(denied)).toBe("denied");
    expect(denied.text).toContain("reviewer may not change /workspace/a.ts");
    expect([await text("a.ts"), await text("secret/k.ts")]).toEqual([TEXT, TEXT]);
  });

  it("stops without a change when the run is aborted", async () => {
    const { tools, text } = await workspaceWith({ "a.ts": TEXT });
    const aborted = using(tools)("ast_edit", { path: "a.ts", ...REPLACE }, AbortSignal.abort());
    await expect(aborted).rejects.toThrow("abort");
    expect(await text("a.ts")).toBe(TEXT);
  });

  it("declares the file that it is about", async () => {
    const { tools } = await workspaceWith({});
    const { paths } = declarationOf(tools.find(({ name }) => name === "ast_edit") as object);
    expect(paths?.({ path: "a.ts" })).toEqual(["/workspace/a.ts"]);
    expect(paths?.({ path: 1 })).toEqual([]);
  });
});
