import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createShellPolicy } from "@fiveseam/shell-policy";
import { expect, it } from "vitest";
import { editSymbol } from "../src/ast/edit-symbol.js";
import { withParser } from "../src/ast/grammars.js";
import { SYNTAX } from "../src/ast/syntax.js";

const bytes = (specifier: string): Promise<Uint8Array> =>
  readFile(createRequire(import.meta.url).resolve(specifier));

// The only test of its file: the parsers of a process are started once. With all bytes at hand both start in one turn, and
// the grammar of the first is loaded before the second has started.
it("parses code and commands when both parsers are started at once", async () => {
  const runtime = await bytes("web-tree-sitter/web-tree-sitter.wasm");
  const go = await bytes("tree-sitter-go/tree-sitter-go.wasm");
  const grammar = await bytes("tree-sitter-bash/tree-sitter-bash.wasm");
  const renamed = (): Promise<{ text: string }> =>
    withParser("go", { runtime, grammars: { go } }, (parse) =>
      editSymbol("package m\n\nvar a = 1\n", SYNTAX.go, parse, {
        symbol: "a",
        operation: "rename",
        from: "a",
        to: "b",
      }),
    );
  const [policy, first] = await Promise.all([
    createShellPolicy({ workspace: "/workspace", wasm: { runtime, grammar } }),
    renamed(),
  ]);
  expect(first.text).toContain("var b = 1");
  expect(policy.judge("git status && rm -rf ~").verdict).toBe("deny");
  expect((await renamed()).text).toContain("var b = 1");
});
