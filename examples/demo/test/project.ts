import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The files of a project, by relative path. */
export type ProjectFiles = Readonly<Record<string, string>>;

export const readProject = (root: string): ProjectFiles =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );

/** A project in a folder of its own, deleted when it goes out of scope. */
export class TemporaryProject implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "demo-"));

  constructor(files: ProjectFiles) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  files(): ProjectFiles {
    return readProject(this.root);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Exit code and output of the project's tests, run for real. */
export const runProjectTests = (
  root: string,
  options: { timeoutMs?: number; command?: string } = {},
): Promise<{ exitCode: number | "timeout"; output: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      "sh",
      ["-c", options.command ?? "npm test"],
      { cwd: root, maxBuffer: 1 << 26, timeout: options.timeoutMs ?? 60_000, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        const output = stdout + stderr;
        if (!error) resolve({ exitCode: 0, output });
        else if (error.killed) resolve({ exitCode: "timeout", output });
        else resolve({ exitCode: typeof error.code === "number" ? error.code : 1, output });
      },
    );
    child.stdin?.end();
  });
