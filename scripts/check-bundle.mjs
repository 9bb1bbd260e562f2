// An agent with its sql.js checkpointer as one CommonJS file, the wasm inside, run in an empty folder: what an editor
// extension ships.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./workspace.mjs";

const ENTRY = `
import wasmBinary from "sql.js/dist/sql-wasm.wasm";
import grammar from "@fiveseam/shell-policy/tree-sitter-bash.wasm";
import goGrammar from "@fiveseam/coding-tools/tree-sitter-go.wasm";
import runtime from "${root}/node_modules/web-tree-sitter/web-tree-sitter.wasm";
import { createCodingBackend } from "@fiveseam/backends";
import { createCodingTools } from "@fiveseam/coding-tools";
import { createShellPolicy } from "@fiveseam/shell-policy";
import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent } from "fiveseam";

const main = async (): Promise<void> => {
  const checkpointer = await SqlJsSaver.open({ directory: "threads" }, { wasmBinary });
  const model = new ScriptedChatModel({
    policy: (messages) =>
      messages.at(-1)?.getType() === "tool"
        ? "bundled: " + messages.at(-1)?.text
        : { toolCalls: [{ name: "run_command", args: { command: "echo it runs" } }] },
  });
  const shellPolicy = await createShellPolicy({ workspace: process.cwd() + "/work", wasm: { runtime, grammar } });
  const agent = await createCodingAgent({ workspace: "work", model, checkpointer, shellPolicy });
  let text = "";
  for await (const event of agent.run("go", { threadId: "t" })) {
    if (event.type === "run.finished") text = event.text;
  }
  const wasm = { runtime, grammars: { go: goGrammar } };
  const backend = createCodingBackend({ workspace: "work" });
  await backend.write("/workspace/a.go", "package a\\n\\nvar old = 1\\n");
  const tools = createCodingTools({ host: {}, root: process.cwd() + "/work", backend, wasm });
  const edit = { path: "a.go", operation: "rename", symbol: "old", new_name: "fresh" };
  const edited = String(await tools.find(({ name }) => name === "ast_edit")?.invoke(edit));
  if (!edited.startsWith("Renamed in old")) throw new Error(edited);
  const reopened = await SqlJsSaver.open({ directory: "threads" }, { wasmBinary });
  const [thread] = await reopened.listThreads();
  console.log(text.replaceAll("\\n", " "), "threads:", thread?.threadId);
};
void main();
`;

const scratch = mkdtempSync(path.join(os.tmpdir(), "fiveseam-bundle-"));
try {
  const outfile = path.join(scratch, "agent.cjs");
  await build({
    stdin: { contents: ENTRY, loader: "ts", resolveDir: path.join(root, "examples/demo") },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minify: true,
    loader: { ".wasm": "binary" },
    // Its ES build asks for import.meta.url, which a CommonJS file has not.
    alias: { "web-tree-sitter": path.join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs") },
    // Optional peers: a product bundles the provider that it uses.
    external: ["@langchain/anthropic", "@langchain/openai"],
    logLevel: "error",
  });
  const empty = path.join(scratch, "empty");
  mkdirSync(path.join(empty, "work"), { recursive: true });
  copyFileSync(outfile, path.join(empty, "agent.cjs"));
  const result = spawnSync(process.execPath, ["agent.cjs"], {
    cwd: empty,
    encoding: "utf8",
    timeout: 60_000,
  });
  const size = (statSync(outfile).size / 1024 / 1024).toFixed(1);
  if (!/^bundled: exit code 0 .*it runs threads: t$/m.test(result.stdout)) {
    process.stderr.write(`the bundle did not run:\n${result.stdout}${result.stderr}\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(`one CJS file of ${size} MB with the wasm inside runs in an empty folder\n`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

// No native module in any package's dependencies: nothing below them has a binding to build or load.
const tree = JSON.parse(
  execFileSync("npm", ["ls", "--omit=dev", "--all", "--json", "--workspaces"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const names = new Set();
/** What a package only works with when it is there is nobody's dependency: vitest, of the matchers for it. */
const optionalOf = (name) => {
  try {
    const manifest = JSON.parse(readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8"));
    return Object.keys(manifest.peerDependenciesMeta ?? {}).filter((peer) => !manifest.dependencies?.[peer]);
  } catch {
    return [];
  }
};
const walk = (dependencies, except = []) => {
  for (const [name, entry] of Object.entries(dependencies ?? {})) {
    if (except.includes(name)) continue;
    names.add(name);
    walk(entry.dependencies, optionalOf(name));
  }
};
// Of what is published; an example may need a server that brings its own.
walk(
  tree.dependencies,
  Object.keys(tree.dependencies ?? {}).filter((name) => name.startsWith("@fiveseam/example-")),
);
const native = [...names].filter((name) => {
  const dir = path.join(root, "node_modules", name);
  try {
    // Of a package here, what a benchmark installed beside itself does not count.
    return readdirSync(dir, { recursive: true }).some(
      (file) => /(^|\/)binding\.gyp$|\.node$/.test(String(file)) && !String(file).startsWith("bench/"),
    );
  } catch {
    return false;
  }
});
if (native.length > 0) {
  process.stderr.write(`native modules in the dependencies: ${native.join(", ")}\n`);
  process.exitCode = 1;
}
