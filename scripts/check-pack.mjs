// The packed tarballs, installed into an empty project, imported from ESM and CJS on Node 20 and on Node 22.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root, workspacePackages } from "./workspace.mjs";

const shell = process.platform === "win32";
const library = workspacePackages().filter((entry) => !entry.manifest.private);
const versions = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).devDependencies;
const newest = process.argv.includes("--newest");
const scratch = mkdtempSync(path.join(os.tmpdir(), "fiveseam-pack-"));
const npm = (args, cwd) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", shell, stdio: ["ignore", "pipe", "pipe"] });

try {
  const dependencies = {};
  for (const entry of library) {
    const [{ filename }] = JSON.parse(npm(["pack", "--json", "--pack-destination", scratch], entry.dir));
    dependencies[entry.name] = `file:../${filename}`;
  }
  // The peers, pinned to the versions that the tests ran on; `--newest` takes what npm would bring today.
  const peers = [
    "deepagents",
    "langchain",
    "@langchain/core",
    "@langchain/langgraph",
    "@langchain/langgraph-checkpoint",
    "@langchain/langgraph-sdk",
    "langsmith",
  ];
  for (const name of newest ? [] : peers) dependencies[name] = versions[name];
  const project = path.join(scratch, "project");
  mkdirSync(project);
  writeFileSync(
    path.join(project, "package.json"),
    JSON.stringify({ name: "project", private: true, dependencies }),
  );
  npm(["install", "--no-audit", "--no-fund", "--loglevel=error"], project);

  const names = library.map((entry) => entry.name);
  writeFileSync(
    path.join(project, "esm.mjs"),
    `${names.map((name, at) => `import * as p${at} from ${JSON.stringify(name)};`).join("\n")}
for (const each of [${names.map((_name, at) => `p${at}`)}]) if (Object.keys(each).length === 0) throw new Error("empty");
const { createCodingAgent } = await import("fiveseam");
const agent = await createCodingAgent({ workspace: ".", model: "scripted", stateDir: "state-" + process.version });
for await (const event of agent.run("hello", { threadId: "t" })) if (event.type === "run.finished") console.log(event.reason);
`,
  );
  writeFileSync(
    path.join(project, "cjs.cjs"),
    `for (const name of ${JSON.stringify(names)}) if (Object.keys(require(name)).length === 0) throw new Error(name);
const { createCodingAgent } = require("fiveseam");
(async () => {
  const agent = await createCodingAgent({ workspace: ".", model: "scripted", stateDir: "state-cjs-" + process.version });
  for await (const event of agent.run("hello", { threadId: "t" })) if (event.type === "run.finished") console.log(event.reason);
})();
`,
  );

  // Node 22 comes from npm as well, in a folder of its own.
  const other = path.join(scratch, "node22");
  mkdirSync(other);
  writeFileSync(path.join(other, "package.json"), JSON.stringify({ name: "node22", private: true }));
  // The package with the binary itself: the package "node" only fetches it by an install script.
  const platform = process.platform === "win32" ? "win" : process.platform;
  const binary = `node-${platform}-${process.arch}`;
  npm(["install", `${binary}@22`, "--no-audit", "--no-fund", "--loglevel=error"], other);
  const node22 = path.join(other, "node_modules", binary, "bin", "node");

  for (const [label, node] of [
    ["Node 20", process.execPath],
    ["Node 22", node22],
  ]) {
    for (const file of ["esm.mjs", "cjs.cjs"]) {
      const result = spawnSync(node, [file], { cwd: project, encoding: "utf8", timeout: 60_000 });
      if (result.status !== 0 || result.stdout.trim() !== "completed") {
        process.stderr.write(
          `${file} failed on ${label}:\n${result.stdout}${result.stderr}${result.error ?? ""}\n`,
        );
        process.exitCode = 1;
      } else process.stdout.write(`${file} runs on ${label}\n`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
