// First step of every command: whatever is missing is installed and built, so that a fresh clone needs no other step.
// Dependency-free, and silent on standard output, which belongs to the command that follows.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { newest, root, stalePackages } from "./workspace.mjs";

const MIN_NODE = 20;
const MIN_NPM = 10;

const fail = (line) => {
  process.stderr.write(`${line}\n`);
  process.exit(1);
};

const node = Number.parseInt(process.versions.node, 10);
if (node < MIN_NODE) fail(`Fiveseam needs Node.js ${MIN_NODE} or newer; this is ${process.versions.node}.`);

// npm tells its scripts which program it is; started by hand, look for one on the path.
const npm = process.env.npm_execpath?.endsWith(".js")
  ? { file: process.execPath, args: [process.env.npm_execpath] }
  : { file: process.platform === "win32" ? "npm.cmd" : "npm", args: [] };
const runNpm = (args, stdio) =>
  spawnSync(npm.file, [...npm.args, ...args], {
    cwd: root,
    stdio,
    encoding: "utf8",
    shell: process.platform === "win32" && npm.args.length === 0,
  });

const manifest = path.join(root, "package-lock.json");
const installed = path.join(root, "node_modules", ".package-lock.json");
if (!existsSync(installed) || newest(installed) < newest(manifest)) {
  const version = runNpm(["--version"], ["ignore", "pipe", "ignore"]);
  if (version.error || version.status !== 0) {
    fail(`Fiveseam needs npm ${MIN_NPM} or newer on the path, and none was found.`);
  }
  if (Number.parseInt(version.stdout, 10) < MIN_NPM) {
    fail(`Fiveseam needs npm ${MIN_NPM} or newer; this is ${version.stdout.trim()}.`);
  }
  process.stderr.write("installing dependencies (npm ci)\n");
  const result = runNpm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], ["ignore", 2, 2]);
  if (result.status !== 0) fail("npm ci failed; its messages are above.");
}

if (!process.argv.includes("--install-only") && stalePackages().length > 0) {
  const result = spawnSync(process.execPath, [path.join(root, "scripts", "build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
