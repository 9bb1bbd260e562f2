// Runs named commands one after the other, keeps their output until one fails, and says how many passed.
import { spawnSync } from "node:child_process";
import { root } from "./workspace.mjs";

/** @param {{ name: string, file: string, args: string[], cwd?: string, env?: Record<string, string> }[]} steps */
export function runSteps(steps) {
  let passed = 0;
  let failed = 0;
  for (const step of steps) {
    const began = performance.now();
    const result = spawnSync(step.file, step.args, {
      cwd: step.cwd ?? root,
      env: { ...process.env, ...step.env },
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    if (result.status === 0) {
      passed += 1;
      process.stdout.write(`ok    ${step.name} (${seconds} s)\n`);
    } else {
      failed += 1;
      const output = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error ? String(result.error) : ""}`;
      process.stdout.write(`FAIL  ${step.name} (${seconds} s)\n${output.trimEnd()}\n`);
    }
  }
  return { passed, failed };
}
