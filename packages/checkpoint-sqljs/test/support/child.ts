import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildResult } from "esbuild";
import { scratch } from "./helpers.js";

export const wasmPath = createRequire(import.meta.url).resolve("sql.js/dist/sql-wasm.wasm");

/**
 * Bundles a fixture into one CJS file in a folder of its own, as an extension would be, with the package's sources in
 * it. A second process thus runs the code under test, and needs no build first.
 */
export const bundleFixture = async (
  name: string,
): Promise<{ script: string; result: BuildResult; folder: string }> => {
  const folder = scratch();
  const script = join(folder, "main.cjs");
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minify: true,
    logLevel: "silent",
    // Says "this bundle has no import.meta" instead of a warning; the package never evaluates it in CJS.
    define: { "import.meta.url": "undefined" },
  });
  return { script, result, folder };
};

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly stderr: () => string;
  /** The first line that starts with this, from now or before. */
  line(prefix: string): Promise<string>;
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export const start = (script: string, args: string[], env: Record<string, string> = {}): Child => {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, WASM: wasmPath, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let rest = "";
  let errors = "";
  const waiting = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop()!;
    lines.push(...parts);
    for (const wake of waiting) wake();
  });
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on("close", (code, signal) => resolve(signal ?? code!)),
  );
  return {
    process: child,
    lines,
    stderr: () => errors,
    ended,
    line: (prefix) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => line.startsWith(prefix));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`ended without "${prefix}": ${lines.join("|")} ${errors}`)));
        look();
      }),
  };
};

/** Copies the real wasm bytes, damaged on request. */
export const copyWasm = (to: string, damage = false): void =>
  writeFileSync(to, damage ? readFileSync(wasmPath).subarray(0, 1000) : readFileSync(wasmPath));
