// `npm run check`: format, lint, types, import rules, published shape, unused code, the checklist's tests.
import { readFileSync } from "node:fs";
import path from "node:path";
import { runSteps } from "./run-steps.mjs";
import { root, workspacePackages } from "./workspace.mjs";

/** Entries that are no code have no types to look at. */
const withoutTypes = ({ exports = {} }) => {
  const names = Object.keys(exports).filter((name) => name.endsWith(".wasm"));
  return names.length > 0 ? ["--exclude-entrypoints", ...names.map((name) => name.slice(2))] : [];
};

const bin = (pkg, file) => path.join(root, "node_modules", pkg, file);
const node = (name, ...args) => ({ name, file: process.execPath, args });
const library = workspacePackages().filter((entry) => !entry.manifest.private);

const { passed, failed } = runSteps([
  node("format", bin("prettier", "bin/prettier.cjs"), "--check", ".", "--log-level", "warn"),
  node("lint", bin("oxlint", "bin/oxlint"), "--deny-warnings"),
  node("types", bin("typescript", "bin/tsc"), "-p", "tsconfig.json", "--noEmit"),
  node("import rules", "scripts/check-imports.mjs"),
  node("unused code", bin("knip", "bin/knip.js")),
  node("checklist", "scripts/check-checklist.mjs"),
  ...library.flatMap((entry) => [
    node(`publint ${entry.name}`, bin("publint", "src/cli.js"), "--strict", entry.dir),
    node(
      `attw ${entry.name}`,
      bin("@arethetypeswrong/cli", "dist/index.js"),
      "--pack",
      entry.dir,
      ...withoutTypes(entry.manifest),
    ),
  ]),
]);

const addresses = readFileSync(path.join(root, "package-lock.json"), "utf8").includes('"resolved": "http');
if (addresses) process.stdout.write("FAIL  package-lock.json records download addresses\n");

process.stdout.write(
  `check: ${passed + (addresses ? 0 : 1)} passed, ${failed + (addresses ? 1 : 0)} failed\n`,
);
process.exitCode = failed > 0 || addresses ? 1 : 0;
