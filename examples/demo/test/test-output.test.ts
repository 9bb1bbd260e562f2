import { beforeAll, describe, expect, it } from "vitest";
import { hintsFrom } from "../src/policy/hints.js";
import { hasNoTests, parseTestRun } from "../src/policy/test-output.js";
import { failureKey, pairsInDiff, type TestRun } from "../src/policy/test-run.js";
import { runProjectTests, TemporaryProject } from "./project.js";

const PROJECT = {
  "package.json": JSON.stringify({ type: "module" }),
  "src/things.js": `export const add = (a, b) => a - b;
export const later = async () => 5;
export const deep = () => ({ name: "x", list: [1, 2] });
export function reach(value) {
  return value.one.two;
}
`,
  "test/things.test.js": `import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { add, deep, later, reach } from "../src/things.js";

test("adds", () => assert.equal(add(1, 2), 3));
describe("a suite", () => {
  it("compares deeply", () => assert.deepEqual(deep(), { name: "x", list: [1, 3] }));
  it("reaches", () => reach({}));
  it("passes", () => assert.ok(true));
  it("waits", () => assert.equal(later(), 5));
  it("throws", () => assert.throws(() => add(1, 2), RangeError));
});
`,
  "test/broken.test.js": `import { missing } from "../src/things.js";\nmissing();\n`,
};

const answer = (exitCode: number | "timeout", output: string): string =>
  `${exitCode === 0 ? "Tests passed." : `Tests failed (exit code ${exitCode}).`}\n$ npm test\n\n${output}`;

describe.each(["tap", "spec"])("the output of node:test in the %s format", (reporter) => {
  let run: TestRun;

  beforeAll(async () => {
    using project = new TemporaryProject(PROJECT);
    const { exitCode, output } = await runProjectTests(project.root, {
      command: `node --test --test-reporter=${reporter}`,
    });
    run = parseTestRun(answer(exitCode, output));
  });

  const failure = (name: string) => run.failures.find((one) => one.name.endsWith(name));

  it("names the failing tests and not the suite around them", () => {
    expect(run.verdict).toBe("failed");
    expect(run.failures.map(({ name }) => name.split("/").at(-1)).sort()).toEqual(
      ["adds", "broken.test.js", "compares deeply", "reaches", "throws", "waits"].sort(),
    );
    expect(run.counts?.passed).toBe(1);
    expect(run.durationMs).toBeGreaterThan(0);
  });

  it("says what was expected and what came", () => {
    expect(failure("adds")?.pairs).toEqual([{ expected: "3", actual: "-1" }]);
    expect(failure("compares deeply")?.pairs).toEqual([{ expected: "3", actual: "2" }]);
  });

  it("says where: the test, and the stack without the runner's frames", () => {
    expect(failure("adds")?.location).toMatchObject({ line: 5 });
    expect(failure("adds")?.location?.file).toMatch(/test\/things\.test\.js$/);
    const frames = failure("reaches")?.frames ?? [];
    expect(frames.map(({ file, line }) => `${file.split("/").at(-1)}:${line}`)).toEqual([
      "things.js:5",
      "things.test.js:8",
    ]);
    expect(failure("reaches")?.errorName).toBe("TypeError");
  });

  it("finds the error of a file that does not load", () => {
    expect(failure("broken.test.js")).toMatchObject({ errorName: "SyntaxError" });
    expect(failure("broken.test.js")?.message).toContain("'missing'");
  });

  it("gives hints about the kind of fault", () => {
    expect(hintsFrom([failure("adds")!]).numbers).toEqual([{ expected: 3, actual: -1 }]);
    expect(hintsFrom([failure("waits")!]).promise).toBe(true);
    expect(hintsFrom([failure("throws")!]).thrown).toBe(true);
    expect([...hintsFrom([failure("reaches")!]).unknownNames]).toEqual(["two"]);
  });

  it("names a failure the same way in the next run", async () => {
    using project = new TemporaryProject(PROJECT);
    const { exitCode, output } = await runProjectTests(project.root, {
      command: `node --test --test-reporter=${reporter}`,
    });
    const names = (one: TestRun): readonly string[] =>
      one.failures.map((each) => failureKey(each).replaceAll(/\S*\/(?=test\/)/g, ""));
    expect(names(parseTestRun(answer(exitCode, output)))).toEqual(names(run));
  });
});

describe("the answer of run_tests", () => {
  it("is unfinished when the tests were stopped", () => {
    const run = parseTestRun("Tests did not finish: stopped after 5.0 s.\n$ npm test\n\nTAP version 13\n");
    expect(run).toMatchObject({ verdict: "unfinished", failures: [], command: "npm test" });
  });

  it.each([
    'Tests failed (exit code 1).\n$ npm test\n\nnpm error Missing script: "test"',
    "Tests failed (exit code 1).\n$ npm test\n\nError: no test specified",
    "Error: No test command was found: package.json has no test script.",
    "Tests passed.\n$ npm test\n\nTAP version 13\n1..0\n# tests 0\n# pass 0\n",
  ])("tells a project without tests: %j", (text) => {
    expect(hasNoTests(parseTestRun(text))).toBe(true);
  });

  it("survives output that was cut in the middle", () => {
    const text =
      "Tests failed (exit code 1).\n$ npm test\n\nTAP version 13\nnot ok 1 - a\n  ---\n  loca\n[… 900 bytes cut …]\n# tests 9\n# pass 7\n";
    expect(parseTestRun(text)).toMatchObject({ counts: { total: 9, passed: 7 }, failures: [{ name: "a" }] });
  });
});

describe("the marked lines of an assertion", () => {
  it("pair up group by group, without keys and commas", () => {
    const message =
      "+ actual - expected\n\n  {\n+   a: 1,\n-   a: 2,\n    b: 3,\n+   c: 'x'\n-   c: 'y'\n  }";
    expect(pairsInDiff(message)).toEqual([
      { expected: "2", actual: "1" },
      { expected: "'y'", actual: "'x'" },
    ]);
  });

  it("leave a side empty where something is missing", () => {
    expect(pairsInDiff("  [\n    1,\n-   2\n  ]")).toEqual([{ expected: "2", actual: "" }]);
  });
});
