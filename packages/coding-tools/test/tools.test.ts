import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { nodeHost } from "@fiveseam/host";
import type { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCodingTools } from "../src/index.js";

const setUp = async (files: Record<string, string> = {}) => {
  const root = await mkdtemp(path.join(os.tmpdir(), "fiveseam-tools-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(root, name), text);
  const tools = createCodingTools({ host: nodeHost(root), root });
  const use = async (
    name: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<ToolMessage> => {
    const tool = tools.find((each) => each.name === name);
    return (await tool?.invoke(
      { type: "tool_call", id: "c1", name, args },
      signal ? { signal } : {},
    )) as ToolMessage;
  };
  return { root, tools, use };
};

const manifest = (test?: string) =>
  JSON.stringify({ name: "x", scripts: test === undefined ? {} : { test } });

describe("run_command", () => {
  it("answers with how the command ended, then its output, and the facts as an artifact", async () => {
    const { use } = await setUp();
    const ok = await use("run_command", { command: "echo hello" });
    expect(ok.text).toMatch(/^exit code 0 \(\d+\.\d s\)\nhello$/);
    expect(ok.artifact).toMatchObject({
      command: "echo hello",
      ending: { kind: "exited", exitCode: 0 },
      omittedBytes: 0,
    });
    const failed = await use("run_command", { command: "echo oops >&2; exit 3" });
    expect(failed.text).toMatch(/^exit code 3 .*\noops$/);
    expect(failed.status).toBe("success");
    expect((await use("run_command", { command: "sleep 20", timeout_ms: 100 })).text).toMatch(
      /^stopped after 0\.1 s, the time limit/,
    );
    expect((await use("run_command", { command: "sleep 20 & echo x" })).text).toContain(
      "background were stopped",
    );
    expect((await use("run_command", { command: "yes | head -c 500000" })).text).toMatch(
      /bytes were cut from the middle/,
    );
  });

  it("works in a directory of the workspace under its virtual or relative name", async () => {
    const { use, root } = await setUp();
    await mkdir(path.join(root, "sub"));
    for (const cwd of ["sub", "./sub", "/workspace/sub", "/workspace/sub/"]) {
      expect((await use("run_command", { command: "basename $PWD", cwd })).text).toContain("sub");
    }
  });

  it.each(["..", "../..", "/workspace/../..", "/etc", "out", "missing", "file", "a\0b"])(
    "refuses to work in %j",
    async (cwd) => {
      const { use, root } = await setUp({ file: "" });
      await symlink("/", path.join(root, "out"));
      await expect(use("run_command", { command: "pwd", cwd })).rejects.toMatchObject({
        code: "invalid_directory",
      });
    },
  );

  it("throws the abort when its signal is aborted", async () => {
    const { use } = await setUp();
    const controller = new AbortController();
    const running = use("run_command", { command: "sleep 20" }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("run_tests", () => {
  it("runs the test script and says whether the tests passed", async () => {
    const passing = await setUp({ "package.json": manifest("echo all good") });
    expect((await passing.use("run_tests", {})).text).toMatch(
      /^Tests passed: exit code 0;[^]*\n\$ npm[^]*all good/,
    );
    const failing = await setUp({ "package.json": manifest("echo 1 failed; exit 1") });
    expect((await failing.use("run_tests", {})).text).toMatch(/^Tests failed: exit code 1;/);
    const slow = await setUp({ "package.json": manifest("sleep 20") });
    expect((await slow.use("run_tests", { timeout_ms: 500 })).text).toMatch(
      /^Tests did not finish: stopped after/,
    );
  });

  it("counts, and shows each failure with its place, by the runner's own report", async () => {
    const { use } = await setUp({
      "package.json": manifest("node --test"),
      "sum.test.mjs":
        'import test from "node:test";\nimport assert from "node:assert";\ntest("adds", () => assert.equal(1 + 1, 2));\n' +
        'test("subtracts", () => assert.equal(2 - 1, 2));\ntest.skip("later", () => {});\n',
    });
    const { text, artifact } = await use("run_tests", {});
    expect(text).toMatch(/^Tests failed: 1 passed, 1 failed, 1 skipped\./);
    expect(text).toMatch(/- subtracts/);
    expect(artifact).toMatchObject({ parsed: true, counts: { passed: 1, failed: 1, skipped: 1, total: 3 } });
  });

  it("runs a given command instead, and without one or a script says what to do", async () => {
    const { use } = await setUp({ "package.json": manifest() });
    expect((await use("run_tests", { command: "true" })).text).toMatch(/^Tests passed: [^]*\n\$ true/);
    await expect(use("run_tests", {})).rejects.toMatchObject({ code: "not_found" });
  });
});
