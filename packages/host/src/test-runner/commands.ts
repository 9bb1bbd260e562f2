import { existsSync } from "node:fs";
import path from "node:path";
import { HostError } from "../errors.js";
import type { TestRunnerName } from "../test-runner-port.js";

export interface CommandRequest {
  cwd: string;
  /** Names in `cwd`. */
  entries: readonly string[];
  files: readonly string[];
  filter?: string | undefined;
}

/** The program of an installed package, at or above a directory; npx without a download when there is none. */
const installed = (cwd: string, name: string): string[] => {
  const program = process.platform === "win32" ? `${name}.cmd` : name;
  for (let directory = cwd; ; directory = path.dirname(directory)) {
    const file = path.join(directory, "node_modules", ".bin", program);
    if (existsSync(file)) return [file];
    if (directory === path.dirname(directory)) return ["npx", "--no-install", name];
  }
};

/**
 * A runner's program and arguments. Values of the caller are joined to their option by `=`, or follow one that takes
 * them, so that none becomes an option itself.
 */
export const commandFor = (
  runner: TestRunnerName,
  { cwd, entries, files, filter }: CommandRequest,
): string[] => {
  // A file named -x is one, and no option.
  const paths = files.map((file) => (file.startsWith("-") ? `./${file}` : file));
  const option = (name: string): string[] => (filter === undefined ? [] : [`${name}=${filter}`]);
  switch (runner) {
    case "vitest":
      return [
        ...installed(cwd, "vitest"),
        "run",
        "--reporter=default",
        ...option("--testNamePattern"),
        ...paths,
      ];
    case "jest":
      return [
        ...installed(cwd, "jest"),
        "--ci",
        "--colors=false",
        ...option("--testNamePattern"),
        ...(paths.length > 0 ? ["--runTestsByPath", ...paths] : []),
      ];
    case "mocha":
      return [...installed(cwd, "mocha"), "--no-color", "--reporter=spec", ...option("--grep"), ...paths];
    case "node":
      return ["node", "--test", "--test-reporter=tap", ...option("--test-name-pattern"), ...paths];
    case "pytest": {
      const by = entries.includes("uv.lock")
        ? ["uv", "run", "pytest"]
        : entries.includes("poetry.lock")
          ? ["poetry", "run", "pytest"]
          : ["python3", "-m", "pytest"];
      return [...by, "--color=no", "-rfE", ...(filter === undefined ? [] : [`-k${filter}`]), ...paths];
    }
    case "go":
      return ["go", "test", "-v", ...option("-run"), ...(paths.length > 0 ? paths : ["./..."])];
    case "cargo": {
      if (filter?.startsWith("-"))
        throw new HostError(
          "invalid_argument",
          "a filter for cargo is a part of a test's name; it can't begin with -",
        );
      const packages = files.flatMap((name) => [`--package=${name}`]);
      return ["cargo", "test", "--no-fail-fast", ...packages, ...(filter === undefined ? [] : [filter])];
    }
    case "npm": {
      const by = entries.includes("pnpm-lock.yaml")
        ? ["pnpm", "test"]
        : entries.includes("yarn.lock")
          ? ["yarn", "test"]
          : entries.includes("bun.lock") || entries.includes("bun.lockb")
            ? ["bun", "run", "test"]
            : ["npm", "test"];
      if (filter !== undefined)
        throw new HostError(
          "invalid_argument",
          "the test script's runner is not known, so a filter can't be passed on; give a command",
        );
      return [...by, ...(paths.length > 0 ? ["--", ...paths] : [])];
    }
  }
};
