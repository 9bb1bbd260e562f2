import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The set-up script in a folder that holds nothing else, as in a clone without dependencies. */
const setUp = (preload = "") => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "fiveseam-setup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(path.join(root, "scripts"), path.join(folder, "scripts"), { recursive: true });
  for (const name of ["packages", "examples"]) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, "package-lock.json"), "{}");
  writeFileSync(path.join(folder, "preload.cjs"), preload);
  const { npm_execpath: _npm, ...env } = process.env;
  return (more: Record<string, string>) =>
    spawnSync(
      process.execPath,
      ["-r", path.join(folder, "preload.cjs"), path.join(folder, "scripts/setup.mjs"), "--install-only"],
      { encoding: "utf8", env: { ...env, ...more } },
    );
};

describe("the set-up of the two commands says in one line", () => {
  it("that Node is too old", () => {
    const run = setUp(`Object.defineProperty(process.versions, "node", { value: "18.20.0" });`);
    const { status, stdout, stderr } = run({});
    expect([status, stdout, stderr]).toEqual([
      1,
      "",
      "Fiveseam needs Node.js 20 or newer; this is 18.20.0.\n",
    ]);
  });

  it("that npm is missing", () => {
    const { status, stdout, stderr } = setUp()({ PATH: "/nowhere" });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("Fiveseam needs npm 10 or newer on the path, and none was found.\n");
  });

  it("that npm is too old", () => {
    const run = setUp();
    const fake = mkdtempSync(path.join(os.tmpdir(), "fiveseam-npm-"));
    onTestFinished(() => rmSync(fake, { recursive: true, force: true }));
    writeFileSync(path.join(fake, "npm"), "#!/bin/sh\necho 8.19.4\n", { mode: 0o755 });
    const { status, stderr } = run({ PATH: `${fake}:${process.env["PATH"]}` });
    expect([status, stderr]).toEqual([1, "Fiveseam needs npm 10 or newer; this is 8.19.4.\n"]);
  });
});
