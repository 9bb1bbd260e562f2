import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A real repository in a directory of its own, made with the git program. */
export interface TestRepository {
  readonly root: string;
  /** Runs git with these arguments and gives what it prints. */
  git(...args: string[]): string;
  write(file: string, text: string | Uint8Array): void;
  /** Stages everything and commits it; gives the commit. */
  commit(message: string): string;
  remove(): void;
}

const environment = (root: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  // Nothing of the person who runs the tests: neither their identity nor their hooks.
  HOME: root,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: os.devNull,
  GIT_TERMINAL_PROMPT: "0",
});

/** An empty repository on branch `main`; `init: false` makes the directory alone. */
export const createTestRepository = ({ init = true }: { init?: boolean } = {}): TestRepository => {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "fiveseam-git-")));
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: root,
      env: environment(root),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const write = (file: string, text: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  if (init) {
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Ada Lovelace");
    git("config", "user.email", "ada@example.com");
  }
  return {
    root,
    git,
    write,
    commit(message) {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD");
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
};
