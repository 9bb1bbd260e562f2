import { readFile } from "node:fs/promises";
import path from "node:path";
import { HostError } from "../errors.js";
import type { DetectedTestRunner, TestRunnerName } from "../test-runner-port.js";
import { commandFor } from "./commands.js";

interface Manifest {
  scripts?: Record<string, unknown>;
  jest?: unknown;
  mocha?: unknown;
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
}

const readText = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
};

const readManifest = async (directory: string): Promise<Manifest | undefined> => {
  const file = path.join(directory, "package.json");
  const text = await readText(file);
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed;
    throw new SyntaxError("it holds no object");
  } catch (cause) {
    throw new HostError("corrupt", `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
};

const CONFIGS = {
  vitest: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/,
  jest: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
  mocha: /^\.mocharc\.(?:c?js|json|jsonc|ya?ml)$/,
};

/** What a directory's tests are run with, by its manifests and configurations and those of the root. */
export const detectRunners = async (
  root: string,
  cwd: string,
  names: (directory: string) => Promise<readonly string[]>,
): Promise<DetectedTestRunner[]> => {
  const found = new Map<TestRunnerName, string>();
  const add = (runner: TestRunnerName, evidence: string): void => {
    if (!found.has(runner)) found.set(runner, evidence);
  };
  const here = await names(cwd);
  const manifest = await readManifest(cwd);
  const script = manifest?.scripts?.["test"];
  const testScript = typeof script === "string" ? script : "";
  // What the project itself calls is the likeliest.
  for (const runner of ["vitest", "jest", "mocha", "pytest"] as const)
    if (new RegExp(`(?:^|[\\s/])${runner}(?:\\s|$)`).test(testScript))
      add(runner, "package.json: scripts.test");
  if (/\bnode\b.*\s--test\b/.test(testScript)) add("node", "package.json: scripts.test");

  // In a workspace of packages the runner is often named in the root's manifest alone.
  for (const directory of cwd === root ? [cwd] : [cwd, root]) {
    const label = directory === cwd ? "" : `${path.relative(cwd, directory)}/`;
    const entries = directory === cwd ? here : await names(directory);
    const declared = directory === cwd ? manifest : await readManifest(directory);
    for (const runner of ["vitest", "jest", "mocha"] as const) {
      const config = entries.find((name) => CONFIGS[runner].test(name));
      if (config !== undefined) add(runner, `${label}${config}`);
      else if (
        declared?.devDependencies?.[runner] !== undefined ||
        declared?.dependencies?.[runner] !== undefined
      )
        add(runner, `${label}package.json: ${runner}`);
      else if (runner !== "vitest" && declared?.[runner] !== undefined)
        add(runner, `${label}package.json: "${runner}"`);
    }
  }
  const python = await pythonEvidence(cwd, here);
  if (python !== undefined) add("pytest", python);
  if (here.includes("go.mod")) add("go", "go.mod");
  if (here.includes("Cargo.toml")) add("cargo", "Cargo.toml");
  // What npm init writes is no test.
  if (testScript !== "" && !testScript.includes("no test specified"))
    add("npm", "package.json: scripts.test");
  return [...found].map(([runner, evidence]) => ({
    runner,
    command: commandFor(runner, { cwd, entries: here, files: [] }),
    evidence,
  }));
};

const pythonEvidence = async (cwd: string, entries: readonly string[]): Promise<string | undefined> => {
  const plain = entries.find((name) => name === "pytest.ini" || name === "conftest.py");
  if (plain !== undefined) return plain;
  for (const [file, expected] of [
    ["pyproject.toml", /^\[tool\.pytest|["']pytest\b/m],
    ["setup.cfg", /^\[tool:pytest\]/m],
    ["tox.ini", /^\[pytest\]/m],
    ["requirements.txt", /^pytest\b/m],
    ["requirements-dev.txt", /^pytest\b/m],
  ] as const) {
    if (entries.includes(file) && expected.test((await readText(path.join(cwd, file))) ?? "")) return file;
  }
  return undefined;
};
