import { describe, expect, it } from "vitest";
import { createAstEditTool, type AstEditError } from "../src/index.js";
import { workspaceWith } from "./files-support.js";
import { calledWith, using } from "./support.js";
import { failureKind } from "@fiveseam/tool-pipeline";

// Its own file: a grammar is loaded once for a process, and vitest gives each file its own modules.
describe("the WebAssembly of ast_edit", () => {
  it("that is none is an error of its own kind, and is asked for again by the next call", async () => {
    const { backend, tools } = await workspaceWith({ "a.go": "package m\n\nvar a = 1\n", "a.py": "a = 1\n" });
    const args = { operation: "rename", symbol: "a", new_name: "b" };
    const broken = createAstEditTool(backend as never, {
      wasm: { grammars: { go: new Uint8Array([1, 2, 3]) } },
    });
    const refused = await calledWith([broken], {})("ast_edit", { path: "a.go", ...args });
    expect([refused.status, failureKind(refused)]).toEqual(["error", "grammar_missing"]);
    const error = await using([broken])("ast_edit", { path: "a.go", ...args }).catch((each: unknown) => each);
    expect((error as AstEditError).cause).toBeDefined();
    expect((await using(tools)("ast_edit", { path: "a.go", ...args })).text).toContain("Renamed in a");
    expect((await using([broken])("ast_edit", { path: "a.py", ...args })).text).toContain("Renamed in a");
  });
});
