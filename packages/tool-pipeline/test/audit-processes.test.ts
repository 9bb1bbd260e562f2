import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { verifyAuditLog } from "../src/index.js";

// One CommonJS file with the whole package in it, as in an editor's extension: what these processes run.
const bundle = join(mkdtempSync(join(tmpdir(), "audit-bundle-")), "child.cjs");

beforeAll(async () => {
  await build({
    stdin: {
      contents: `
        import { createPipeline, fileAuditSink } from "./src/index.ts";
        const [directory, count, together] = process.argv.slice(2);
        const sink = fileAuditSink({ directory, maxFileBytes: 20_000, fsync: "never" });
        const record = { time: new Date().toISOString(), namespace: "", callId: "c", tool: "t", effects: [],
          argsDigest: "x", outcome: "executed", durationMs: 1, kind: "x".repeat(300) };
        (async () => {
          if (typeof createPipeline().run !== "function") process.exit(2);
          for (let at = 0; at < Number(count); at += 1) {
            sink.write({ ...record, callId: process.pid + "-" + at });
            process.send(at);
            // Each holds its file now; none is done before the others have begun.
            if (at === 0 && together) await new Promise((go) => process.once("message", go));
            if (at % 20 === 0) await new Promise(setImmediate);
          }
          process.disconnect();
        })();`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    outfile: bundle,
    bundle: true,
    format: "cjs",
    platform: "node",
    logLevel: "silent",
  });
});

/** A process that writes; resolves with the number of lines that it was told are written. */
const writer = (directory: string, count: number): { child: ChildProcess; done: Promise<number> } => {
  const child = fork(bundle, [directory, String(count)]);
  let written = 0;
  child.on("message", () => (written += 1));
  return { child, done: new Promise((resolve) => child.once("close", () => resolve(written))) };
};

/** Three that write at the same time, for certain. */
const writeTogether = async (directory: string, count: number): Promise<void> => {
  const children = [1, 2, 3].map(() => fork(bundle, [directory, String(count), "together"]));
  const ended = children.map((child) => new Promise((resolve) => child.once("close", resolve)));
  await Promise.all(children.map((child) => new Promise((resolve) => child.once("message", resolve))));
  for (const child of children) child.send("go");
  await Promise.all(ended);
};

const linesIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n").slice(0, -1));

describe("several processes on one folder", () => {
  it("write whole lines into chains of their own, and later ones go on with the chains that are free", async () => {
    const directory = mkdtempSync(join(tmpdir(), "audit-"));
    for (let round = 0; round < 2; round += 1) {
      await writeTogether(directory, 150);
    }
    const ids = linesIn(directory).map((line) => (JSON.parse(line) as { callId: string }).callId);
    expect(ids).toHaveLength(900);
    expect(new Set(ids).size).toBe(900);
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 900, torn: [] });
    const lanes = readdirSync(directory).filter((name) => name.endsWith(".head"));
    expect(lanes).toHaveLength(3);
  });

  it("killed at any moment, a process leaves every line that it was told is written, and the chain goes on", async () => {
    const directory = mkdtempSync(join(tmpdir(), "audit-"));
    let told = 0;
    for (let round = 0; round < 6; round += 1) {
      const { child, done } = writer(directory, 100_000);
      await new Promise((resolve) => child.once("message", resolve));
      await new Promise((resolve) => setTimeout(resolve, 7 * round));
      child.kill("SIGKILL");
      told += await done;
      expect(verifyAuditLog(directory)).toMatchObject({ ok: true });
    }
    expect(linesIn(directory).length).toBeGreaterThanOrEqual(told);
    expect(readdirSync(directory).filter((name) => name.endsWith(".head"))).toEqual(["audit.head"]);
    writeFileSync(join(directory, "note.txt"), "other files are left alone");
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true });
  });
});
