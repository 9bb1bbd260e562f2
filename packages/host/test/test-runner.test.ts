import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  createNodeProcess,
  createNodeTestRunner,
  type ProcessPort,
  type TestRunnerName,
} from "../src/index.js";
import { withTree } from "./support/search-trees.js";

type Files = Record<string, string>;

const inProject = <T>(files: Files, use: (root: string) => Promise<T>): Promise<T> =>
  withTree(
    { files: Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const), links: [] },
    use,
  );

/** Runs nothing and prints what a runner printed once. */
const replay = (output: string, exitCode: number): ProcessPort => ({
  run: async () => ({
    ending: { kind: "exited", exitCode },
    output,
    omittedBytes: 0,
    truncated: false,
    durationMs: 1,
    stoppedBackground: false,
  }),
});

const fixture = (name: string): Promise<string> =>
  readFile(path.join(import.meta.dirname, "fixtures/test-runs", `${name}.txt`), "utf8");

const read = async (runner: TestRunnerName, name: string = runner, exitCode = 1) =>
  createNodeTestRunner({ root: import.meta.dirname, process: replay(await fixture(name), exitCode) }).run({
    runner,
  });

const real = (root: string) => createNodeTestRunner({ root, process: createNodeProcess({ root }) });

const has = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe("what a runner printed", () => {
  it("is read: vitest (printed by 4.1.12)", async () => {
    const result = await read("vitest");
    expect(result).toMatchObject({
      outcome: "failed",
      parsed: true,
      counts: { passed: 2, failed: 2, skipped: 2, total: 6 },
      notes: ["Failures include test files that could not be run; they are not in the counts."],
    });
    expect(result.failures.map(({ name, file, line }) => ({ name, file, line }))).toEqual([
      { name: "broken.test.ts", file: "broken.test.ts", line: 1 },
      { name: "math > is wrong > here", file: "math.test.ts", line: 4 },
      { name: "math > throws", file: "math.test.ts", line: 7 },
    ]);
    expect(result.failures[1]?.message).toContain("-     3,\n+     2,");
    expect(result.failures[2]?.message).toBe("TypeError: no such thing");
  });

  it.each(["node", "node-spec"])("is read: node:test (printed by Node 20, %s)", async (name) => {
    const result = await read("node", name);
    expect(result).toMatchObject({
      parsed: true,
      counts: { passed: 1, failed: 2, skipped: 2, total: 5 },
      notes: [],
    });
    expect(result.failures.map(({ line }) => line)).toEqual([5, 9]);
    expect(result.failures[0]?.name).toMatch(/is wrong$/);
    expect(result.failures[0]?.message).toContain("1 == 2");
    expect(result.failures[1]).toMatchObject({
      name: "throws",
      message: expect.stringContaining("no such thing"),
    });
  });

  it("is read: cargo test (printed by cargo)", async () => {
    expect(await read("cargo", "cargo", 101)).toMatchObject({
      counts: { passed: 1, failed: 2, skipped: 1, total: 4 },
      failures: [
        { name: "tests::panics", file: "src/lib.rs", line: 8, message: "no such thing" },
        {
          name: "tests::is_wrong",
          file: "src/lib.rs",
          line: 6,
          message: "assertion `left == right` failed: sum\n  left: 2\n right: 3",
        },
      ],
    });
  });

  it("is read: pytest (printed by 9.0)", async () => {
    const result = await read("pytest");
    expect(result).toMatchObject({ counts: { passed: 2, failed: 3, skipped: 2, total: 7 }, notes: [] });
    expect(result.failures.map(({ name, file, line }) => ({ name, file, line }))).toEqual([
      { name: "test_wrong", file: "test_math.py", line: 5 },
      { name: "TestGroup > test_param[2]", file: "test_math.py", line: 12 },
      { name: "test_error", file: "test_math.py", line: 14 },
    ]);
    expect(result.failures[0]?.message).toContain("AssertionError: assert {'x': 1} == {'x': 2}");
  });

  // The three below are not installed here; their outputs are written after their documentation.
  it("is read: jest", async () => {
    const result = await read("jest");
    expect(result.counts).toEqual({ passed: 2, failed: 1, skipped: 1, total: 4 });
    expect(result.failures).toMatchObject([
      {
        name: "math › is wrong",
        file: "src/sum.test.js",
        line: 5,
        message: expect.stringContaining("Received: 2"),
      },
      {
        name: "Test suite failed to run",
        file: "src/broken.test.js",
        line: 1,
        message: "Cannot find module './missing' from 'src/broken.test.js'",
      },
    ]);
  });

  it("is read: mocha", async () => {
    const result = await read("mocha", "mocha", 2);
    expect(result).toMatchObject({ counts: { passed: 1, failed: 2, skipped: 1, total: 4 }, notes: [] });
    expect(result.failures).toMatchObject([
      { name: "math > is wrong", file: "test/math.js", line: 6, message: expect.stringContaining("2 == 3") },
      { name: "throws", file: "test/math.js", line: 11, message: "TypeError: no such thing" },
    ]);
  });

  it("is read: go test", async () => {
    const result = await read("go");
    expect(result).toMatchObject({ counts: { passed: 2, failed: 2, skipped: 1, total: 5 } });
    expect(result.failures).toMatchObject([
      { name: "TestTable/two", file: "math_test.go", line: 18, message: "math_test.go:18: got 2, want 3" },
      { name: "example.com/sample/broken (build)", file: "broken/b_test.go", line: 4 },
    ]);
  });

  it("is a failure when exit code and counts disagree", async () => {
    const passed = " Test Files  1 passed (1)\n      Tests  1 passed (1)\n";
    const run = (output: string, exitCode: number) =>
      createNodeTestRunner({ root: import.meta.dirname, process: replay(output, exitCode) }).run({
        runner: "vitest",
      });
    expect(await run(passed, 0)).toMatchObject({ outcome: "passed", notes: [] });
    const unhandled = await run(passed, 1);
    expect(unhandled).toMatchObject({ outcome: "failed", counts: { failed: 0 } });
    expect(unhandled.notes[0]).toContain("exit code is 1 although no test failed");
    const hidden = await run("      Tests  1 failed | 1 passed (2)\n", 0);
    expect(hidden).toMatchObject({ outcome: "failed", counts: { failed: 1, passed: 1 } });
    expect(hidden.notes[0]).toContain("exit code is 0 although tests failed");
  });

  const summaries = {
    vitest: [" Test Files  1 (1)\n      Tests  5 passed (5)\n", "      Tests  3 failed | 1 passed (4)\n"],
    jest: ["Tests:       5 passed, 5 total\n", "Tests:       3 failed, 1 passed, 4 total\n"],
    mocha: ["  5 passing (3ms)\n", "  1 passing (3ms)\n  3 failing\n"],
    node: [
      "# tests 5\n# suites 0\n# pass 5\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n",
      "# tests 4\n# suites 0\n# pass 1\n# fail 3\n# cancelled 0\n# skipped 0\n# todo 0\n",
    ],
    pytest: ["== 5 passed in 0.10s ==\n", "== 3 failed, 1 passed in 0.10s ==\n"],
  } as const;
  it.each(Object.entries(summaries))("of several packages is added up: %s", async (runner, [good, bad]) => {
    for (const output of [good + bad, bad + good]) {
      const port = createNodeTestRunner({ root: import.meta.dirname, process: replay(output, 0) });
      for (const request of [
        { command: "make test" },
        { command: "make test", runner: runner as TestRunnerName },
      ])
        expect(await port.run(request)).toMatchObject({
          outcome: "failed",
          counts: { passed: 6, failed: 3, total: 9 },
        });
      // Of a runner that prints one summary, the other is not its own.
      const single = await port.run({ runner: runner as TestRunnerName });
      expect(single).toMatchObject({ outcome: "failed", parsed: false });
      expect(single).not.toHaveProperty("counts");
    }
  });

  it("of several runners is added up, and not counted when a part of it was cut away", async () => {
    const output = `${summaries.vitest[0]}${summaries.mocha[1]}`;
    const run = (truncated: boolean) =>
      createNodeTestRunner({
        root: import.meta.dirname,
        process: { run: async (...given) => ({ ...(await replay(output, 0).run(...given)), truncated }) },
      }).run({ command: "make test" });
    const whole = await run(false);
    expect(whole).toMatchObject({ outcome: "failed", counts: { passed: 6, failed: 3 } });
    expect(whole.notes).toContain("The counts are those of 2 summaries together.");
    expect(await run(true)).toMatchObject({ outcome: "failed", parsed: false });
  });

  it.each([
    ["vitest", "      Tests  3 skipped (3)\n"],
    ["pytest", "== no tests ran in 0.01s ==\n"],
    ["node", "# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n"],
  ] as const)("and says that no test ran is no pass: %s", async (runner, output) => {
    const run = (exitCode: number) =>
      createNodeTestRunner({ root: import.meta.dirname, process: replay(output, exitCode) }).run({ runner });
    expect(await run(0)).toMatchObject({ outcome: "incomplete", notes: ["No test ran."] });
    expect(await run(1)).toMatchObject({ outcome: "failed" });
  });

  it("is not counted when it holds no summary", async () => {
    for (const runner of ["vitest", "jest", "node", "mocha", "pytest", "go", "cargo", "npm"] as const) {
      const port = createNodeTestRunner({
        root: import.meta.dirname,
        process: replay("3 failed, 5 passed maybe\n", 1),
      });
      const result = await port.run({ runner });
      expect(result).toMatchObject({ parsed: false, outcome: "failed", failures: [] });
      expect(result).not.toHaveProperty("counts");
    }
  });

  it("is recognised when a command of one's own was run", async () => {
    for (const name of ["vitest", "jest", "mocha", "node", "pytest", "go", "cargo"]) {
      const port = createNodeTestRunner({
        root: import.meta.dirname,
        process: replay(await fixture(name), 1),
      });
      expect(await port.run({ command: "make test" })).toMatchObject({ runner: name, parsed: true });
    }
  });
});

describe("the runner of a workspace", () => {
  const detected = (files: Files) =>
    inProject(files, async (root) =>
      (await real(root).detect()).map(({ runner, evidence }) => `${runner}: ${evidence}`),
    );
  const manifest = (content: object): string => JSON.stringify(content);

  it("is recognised by manifest, configuration and script, the project's own script first", async () => {
    expect(await detected({ "package.json": manifest({ devDependencies: { vitest: "4" } }) })).toEqual([
      "vitest: package.json: vitest",
    ]);
    expect(
      await detected({ "jest.config.js": "", "package.json": manifest({ scripts: { test: "jest" } }) }),
    ).toEqual(["jest: package.json: scripts.test", "npm: package.json: scripts.test"]);
    expect(await detected({ ".mocharc.yml": "" })).toEqual(["mocha: .mocharc.yml"]);
    expect(await detected({ "package.json": manifest({ scripts: { test: "node --test" } }) })).toEqual([
      "node: package.json: scripts.test",
      "npm: package.json: scripts.test",
    ]);
    const unknown = manifest({ scripts: { test: "tap run" } });
    expect(await detected({ "package.json": unknown })).toEqual(["npm: package.json: scripts.test"]);
    expect(
      await detected({ "package.json": manifest({ scripts: { test: 'echo "Error: no test specified"' } }) }),
    ).toEqual([]);
    expect(await detected({ "pyproject.toml": "[tool.pytest.ini_options]\n" })).toEqual([
      "pytest: pyproject.toml",
    ]);
    expect(await detected({ "go.mod": "", "Cargo.toml": "" })).toEqual(["go: go.mod", "cargo: Cargo.toml"]);
    await expect(detected({ "package.json": "{" })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("is looked for in a directory below too, with the root's manifest", async () => {
    await inProject(
      {
        "package.json": manifest({ devDependencies: { vitest: "4" } }),
        "packages/a/package.json": "{}",
        "pnpm-lock.yaml": "",
      },
      async (root) => {
        expect(await real(root).detect({ cwd: "packages/a" })).toMatchObject([
          { runner: "vitest", evidence: "../../package.json: vitest" },
        ]);
      },
    );
  });

  it("is given files and filter as values, never as options", async () => {
    const commands: string[][] = [];
    const recording: ProcessPort = {
      run: async (command) => {
        if ("file" in command) commands.push([path.basename(command.file), ...(command.args ?? [])]);
        return replay("", 0).run(command);
      },
    };
    await inProject({ "a.test.js": "" }, async (root) => {
      const port = createNodeTestRunner({ root, process: recording });
      for (const runner of ["vitest", "jest", "mocha", "node", "pytest", "go"] as const)
        await port.run({ runner, files: ["--evil"], filter: "--worse" });
      for (const command of commands) {
        expect(command).toContain("./--evil");
        expect(command.filter((each) => /^--?worse/.test(each))).toEqual([]);
      }
      await expect(port.run({ runner: "cargo", filter: "--x" })).rejects.toMatchObject({
        code: "invalid_argument",
      });
      await expect(port.run({ runner: "node", files: ["../x"] })).rejects.toMatchObject({
        code: "outside_root",
      });
      await expect(port.run({ cwd: ".." })).rejects.toMatchObject({ code: "outside_root" });
      await expect(port.run({ cwd: "missing" })).rejects.toMatchObject({ code: "not_found" });
      await expect(port.run({})).rejects.toMatchObject({ code: "not_found" });
      await expect(port.run({ command: "" })).rejects.toMatchObject({ code: "invalid_argument" });
      await expect(port.run({ command: "x", filter: "y" })).rejects.toMatchObject({
        code: "invalid_argument",
      });
    });
  });
});

describe("a run", () => {
  it("is one of vitest", { timeout: 60_000 }, async () => {
    const files = {
      "package.json": '{"type":"module","devDependencies":{"vitest":"*"}}',
      "a.test.ts":
        'import { expect, it } from "vitest";\nit("good", () => {});\nit("bad", () => expect(1).toBe(2));\n',
    };
    await inProject(files, async (root) => {
      await symlink(
        path.resolve(import.meta.dirname, "../../../node_modules"),
        path.join(root, "node_modules"),
      );
      const result = await real(root).run({ files: ["a.test.ts"] });
      expect(result).toMatchObject({ runner: "vitest", outcome: "failed", counts: { passed: 1, failed: 1 } });
      expect(result.failures).toMatchObject([{ name: "bad", file: "a.test.ts", line: 3 }]);
      expect(await real(root).run({ filter: "good" })).toMatchObject({
        outcome: "passed",
        counts: { passed: 1, skipped: 1 },
      });
    });
  });

  it("is one of node:test, aborted or too long when it is", { timeout: 60_000 }, async () => {
    const files = {
      "package.json": '{"scripts":{"test":"node --test"}}',
      "a.test.js": 'require("node:test").test("bad", () => { throw new Error("no"); });\n',
      "slow/b.test.js":
        'require("node:test").test("slow", () => new Promise((r) => setTimeout(r, 60000)));\n',
    };
    await inProject(files, async (root) => {
      expect(await real(root).run({ files: ["a.test.js"] })).toMatchObject({
        runner: "node",
        outcome: "failed",
        failures: [{ name: "bad", message: "no", line: 1 }],
      });
      const late = await real(root).run({ files: ["slow/b.test.js"] }, { timeoutMs: 300 });
      expect(late).toMatchObject({ outcome: "incomplete", ending: { kind: "timeout" } });
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error("enough")), 200);
      await expect(real(root).run({ files: ["slow/b.test.js"] }, { signal: abort.signal })).rejects.toThrow(
        "enough",
      );
    });
  });

  it.skipIf(!has("python3", "-m", "pytest", "--version"))(
    "is one of pytest [requires: pytest]",
    { timeout: 60_000 },
    async () => {
      await inProject(
        { "pytest.ini": "[pytest]\n", "test_a.py": "def test_good(): pass\ndef test_bad(): assert 1 == 2\n" },
        async (root) => {
          expect(await real(root).run()).toMatchObject({
            runner: "pytest",
            counts: { passed: 1, failed: 1 },
            failures: [{ name: "test_bad", file: "test_a.py", line: 2 }],
          });
        },
      );
    },
  );

  it.skipIf(!has("cargo", "--version"))(
    "is one of cargo [requires: cargo]",
    { timeout: 120_000 },
    async () => {
      await inProject(
        { "Cargo.toml": '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n' },
        async (root) => {
          await mkdir(path.join(root, "src"));
          await writeFile(
            path.join(root, "src/lib.rs"),
            "#[test]\nfn good() {}\n#[test]\nfn bad() {\n    assert_eq!(1, 2);\n}\n",
          );
          expect(await real(root).run()).toMatchObject({
            runner: "cargo",
            counts: { passed: 1, failed: 1 },
            failures: [{ name: "bad", file: "src/lib.rs", line: 5 }],
          });
        },
      );
    },
  );
});
