import assert from "node:assert/strict";
import type { ProcessPort } from "../process-port.js";
import { caseOf, type ConformanceCase, type Subject } from "./conformance-case.js";

/** The promises of `ProcessPort`, for one whose shell is a POSIX one. */
export const processConformance = ({
  create,
}: {
  create: () => Promise<Subject<ProcessPort>> | Subject<ProcessPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: ProcessPort) => Promise<void>): ConformanceCase =>
    caseOf(`process: ${name}`, create, ({ port }) => run(port));
  return [
    test("output and exit code are told", async (port) => {
      const result = await port.run({ shell: "echo out; echo err >&2; exit 3" });
      assert.deepEqual(result.ending, { kind: "exited", exitCode: 3 });
      assert.deepEqual(result.output.trim().split("\n").sort(), ["err", "out"]);
      assert.deepEqual([result.truncated, result.omittedBytes], [false, 0]);
    }),
    test("arguments are not interpreted", async (port) => {
      const { output } = await port.run({ file: "echo", args: ["$HOME", "a b", "*"] });
      assert.equal(output, "$HOME a b *\n");
    }),
    test("a program that does not exist is an ending", async (port) => {
      const { ending } = await port.run({ file: "fiveseam-no-such-program" });
      assert.equal(ending.kind, "not_started");
    }),
    test("time limit and abort are endings, and stop what was started", async (port) => {
      const began = performance.now();
      const late = await port.run({ shell: "sleep 30 & wait" }, { timeoutMs: 100 });
      assert.deepEqual(late.ending, { kind: "timeout", timeoutMs: 100 });
      const aborted = await port.run({ shell: "sleep 30" }, { signal: AbortSignal.timeout(100) });
      assert.deepEqual(aborted.ending, { kind: "aborted" });
      const before = await port.run({ shell: "echo ran" }, { signal: AbortSignal.abort() });
      assert.deepEqual([before.ending, before.output], [{ kind: "aborted" }, ""]);
      assert.ok(performance.now() - began < 20_000);
    }),
    test("a cut in the output is said, its start and end are kept", async (port) => {
      const result = await port.run(
        { shell: "echo start; head -c 100000 /dev/zero; echo; echo end" },
        { maxOutputBytes: 100 },
      );
      assert.ok(result.truncated && result.omittedBytes > 99_000);
      assert.ok(result.output.startsWith("start\n") && result.output.endsWith("end\n"));
    }),
    test("there is no standard input", async (port) => {
      assert.equal((await port.run({ shell: "cat; echo ended" }, { timeoutMs: 10_000 })).output, "ended\n");
    }),
    test("variables are added and taken away", async (port) => {
      const { output } = await port.run({ shell: "echo $A-$CI" }, { env: { A: "1", CI: undefined } });
      assert.equal(output, "1-\n");
    }),
  ];
};
