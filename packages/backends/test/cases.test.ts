import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const here = path.join(import.meta.dirname, "cases");
const NOBODY = 65_534;

interface Report {
  results: { id: string; strict: boolean; reasons: string[] }[];
  skipped: { id: string; why: string }[];
}

/** Runs the cases against the built package, in a process of its own that may be another user's. */
const run = async (options: { args?: string[]; uid?: number } = {}): Promise<Report> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "fiveseam-cases-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const json = path.join(folder, "report.json");
  const as = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  if (options.uid !== undefined) await (await import("node:fs/promises")).chmod(folder, 0o777);
  const args = [
    "--cases",
    path.join(here, "given.jsonl"),
    "--module",
    path.join(here, "../cases-module.mjs"),
  ];
  const child = spawn(
    process.execPath,
    [path.join(here, "harness.mjs"), ...args, "--json", json, "--quiet", ...(options.args ?? [])],
    {
      ...as,
      env: { ...process.env, HOME: os.tmpdir(), NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stdout.on("data", (text: Buffer) => (output += text.toString()));
  child.stderr.on("data", (text: Buffer) => (output += text.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  const text = await readFile(json, "utf8").catch(() => {
    throw new Error(output);
  });
  return JSON.parse(text) as Report;
};

const failed = ({ results }: Report) =>
  results.filter(({ strict }) => !strict).map(({ id, reasons }) => `${id}: ${reasons[0]}`);

describe("the given cases, each strictly", () => {
  it("pass as this user, the race with a swapped directory included", { timeout: 120_000 }, async () => {
    const report = await run({ args: ["--timing"] });
    expect(failed(report)).toEqual([]);
    expect(report.results.length).toBeGreaterThanOrEqual(190);
  });

  it("pass without any program on the path", { timeout: 120_000 }, async () => {
    expect(failed(await run({ args: ["--no-rg"] }))).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)(
    "pass as a normal user too (requires: root)",
    { timeout: 120_000 },
    async () => {
      const report = await run({ uid: NOBODY });
      expect(failed(report)).toEqual([]);
      expect(report.skipped.map(({ why }) => why)).not.toContain("nonroot");
    },
  );
});
