import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository with the failing test, which no run ever touches. */
const SOURCE = fileURLToPath(new URL("../workspace", import.meta.url));

export const DEFAULT_TASK =
  "A test of this project fails. Find the fault, fix it in the sources and show that all tests pass.";

export interface Place {
  workspace: string;
  stateDir: string;
}

/** A fresh copy of the demo's workspace in a temporary directory, with its state beside it. */
export const freshCopy = (): Place => {
  const base = mkdtempSync(path.join(os.tmpdir(), "fiveseam-demo-"));
  const workspace = path.join(base, "workspace");
  mkdirSync(workspace);
  cpSync(SOURCE, workspace, { recursive: true });
  return { workspace, stateDir: path.join(base, "state") };
};

/** Runs the project's tests outside the agent, as a witness that does not depend on what the agent says. */
export const testsPass = (workspace: string): boolean => {
  // NODE_TEST_CONTEXT would make a test runner below this one report to its parent instead of failing.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const result = spawnSync(npm, ["test"], {
    cwd: workspace,
    env,
    stdio: "ignore",
    shell: process.platform === "win32",
  });
  return result.status === 0;
};

/** What changed against the source, as git shows it. */
export const difference = (workspace: string, colours: boolean): string => {
  const result = spawnSync(
    "git",
    [
      "diff",
      "--no-index",
      "--no-ext-diff",
      colours ? "--color=always" : "--color=never",
      "--",
      SOURCE,
      workspace,
    ],
    { encoding: "utf8" },
  );
  return (result.stdout ?? "")
    .split("\n")
    .filter((line) => !line.includes("diff --git ") && !/^\W*(\d*m)?index [\da-f]+\.\./.test(line))
    .map((line) => line.replace(`a${SOURCE}`, "a").replace(`b${workspace}`, "b"))
    .join("\n")
    .trim();
};
