import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Runs a script and gathers the lines of JSON it prints; `onLine` may kill it. */
export const runChild = (
  script: string,
  args: readonly string[],
  onLine: (line: unknown, kill: () => void) => void = () => {},
): Promise<{ lines: unknown[]; killed: boolean }> =>
  new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const lines: unknown[] = [];
    createInterface({ input: running.stdout }).on("line", (text) => {
      const line: unknown = JSON.parse(text);
      lines.push(line);
      onLine(line, () => running.kill("SIGKILL"));
    });
    running.once("error", reject);
    running.once("close", (_code, signal) => resolve({ lines, killed: signal === "SIGKILL" }));
  });
