import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { bundleFixture, copyWasm, start, wasmPath } from "./support/child.js";
import { countOnDisk, scratch } from "./support/helpers.js";

interface Report {
  nowhere: string;
  noFile: string;
  damaged: string;
  right: string;
  listenersSame: boolean;
}

describe("a single-file CJS bundle in an empty folder", () => {
  it("says when the wasm is missing or wrong, tries again, and runs with wasmBinary", async () => {
    const { script, result, folder } = await bundleFixture("wasm.ts");
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(readdirSync(folder)).toEqual(["main.cjs"]);
    const child = start(script, []);
    const report = JSON.parse(await child.line("{")) as Report;
    expect(await child.ended).toBe(0);
    expect(child.stderr()).toBe("");
    expect(report).toEqual({
      nowhere: "WASM_LOAD_FAILED",
      noFile: "WASM_LOAD_FAILED",
      damaged: "WASM_LOAD_FAILED",
      right: "opened true",
      // Emscripten's glue used to add uncaughtException and unhandledRejection handlers; this build does not.
      listenersSame: true,
    });
  });

  it("runs in a worker thread", async () => {
    const { script } = await bundleFixture("process.ts");
    const file = join(scratch(), "t.sqlite");
    const worker = new Worker(script, { argv: ["leave", file], env: { ...process.env, WASM: wasmPath } });
    expect(await new Promise((resolve) => worker.on("exit", resolve))).toBe(0);
    expect(await countOnDisk(file)).toBe(1);
  });

  it("finds sql-wasm.wasm beside itself", async () => {
    const { script, folder } = await bundleFixture("wasm.ts");
    copyWasm(join(folder, "sql-wasm.wasm"));
    const child = start(script, []);
    expect((JSON.parse(await child.line("{")) as Report).nowhere).toBe("opened true");
  });
});
