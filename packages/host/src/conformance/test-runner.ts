import assert from "node:assert/strict";
import type { TestRunnerPort } from "../test-runner-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** Contents by path: a package whose tests are run by `node --test`. */
export const TEST_PROJECT: Readonly<Record<string, string>> = {
  "package.json": '{"name":"sample","scripts":{"test":"node --test"}}',
  "good.test.js": 'require("node:test").test("adds", () => {});\n',
  "bad.test.js": 'require("node:test").test("breaks", () => {\n  throw new Error("no such thing");\n});\n',
};

/** The promises of `TestRunnerPort`. `create` gives a port over a directory that holds the project. */
export const testRunnerConformance = ({
  create,
}: {
  create: (
    project: Readonly<Record<string, string>>,
  ) => Promise<Subject<TestRunnerPort>> | Subject<TestRunnerPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: TestRunnerPort) => Promise<void>): ConformanceCase =>
    caseOf(
      `test runner: ${name}`,
      () => create(TEST_PROJECT),
      ({ port }) => run(port),
    );
  return [
    test("the runner is recognised", async (port) => {
      assert.equal((await port.detect())[0]?.runner, "node");
    }),
    test("passes and failures are told", async (port) => {
      const result = await port.run();
      assert.deepEqual(result.counts, { passed: 1, failed: 1, skipped: 0, total: 2 });
      assert.deepEqual([result.outcome, result.parsed, result.runner], ["failed", true, "node"]);
      assert.equal(result.failures[0]?.name, "breaks");
      assert.match(result.failures[0]?.message ?? "", /no such thing/);
      assert.equal((await port.run({ files: ["good.test.js"] })).outcome, "passed");
    }),
    test("what can't be read is not counted", async (port) => {
      const result = await port.run({ command: "echo 5 passed; exit 1" });
      assert.deepEqual([result.outcome, result.parsed, result.counts], ["failed", false, undefined]);
    }),
    test("what makes no sense is refused", async (port) => {
      await refuses(port.run({ cwd: "missing" }), "not_found");
      await refuses(port.run({ cwd: ".." }), "outside_root");
      await refuses(port.run({ files: ["../x.test.js"] }), "outside_root");
      await refuses(port.run({ filter: "" }), "invalid_argument");
    }),
    test("an abort rejects", (port) =>
      honoursAbort({ detect: (options) => port.detect(options), run: (options) => port.run({}, options) })),
  ];
};
