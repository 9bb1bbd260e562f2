import assert from "node:assert/strict";
import type { TerminalPort } from "../terminal-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

/** The promises of `TerminalPort`, for one whose sessions are POSIX shells. */
export const terminalConformance = ({
  create,
}: {
  create: () => Promise<Subject<TerminalPort>> | Subject<TerminalPort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: TerminalPort, id: string) => Promise<void>): ConformanceCase =>
    caseOf(`terminal: ${name}`, create, async ({ port }) => {
      const { id } = await port.open();
      try {
        await run(port, id);
      } finally {
        await port.close();
      }
    });
  return [
    test("directory and variables stay between commands", async (port, id) => {
      await port.run(id, "cd / && X=kept");
      const { output, cwd, ending } = await port.run(id, "echo $X; false");
      assert.deepEqual([output, cwd, ending], ["kept\n", "/", { kind: "exited", exitCode: 1 }]);
    }),
    test("commands run one at a time, in order", async (port, id) => {
      const results = await Promise.all([port.run(id, "sleep 0.1; echo 1"), port.run(id, "echo 2")]);
      assert.deepEqual(
        results.map(({ output }) => output),
        ["1\n", "2\n"],
      );
      assert.equal((await port.read(id)).output, "1\n2\n");
    }),
    test("a command that takes the shell along leaves a session that works", async (port, id) => {
      const gone = await port.run(id, "exit 3");
      assert.deepEqual([gone.ending, gone.restarted], [{ kind: "exited", exitCode: 3 }, true]);
      assert.equal((await port.run(id, "echo again")).output, "again\n");
    }),
    test("time limit and abort stop the whole line", async (port, id) => {
      const late = await port.run(id, "sleep 30; echo no", { timeoutMs: 100 });
      assert.deepEqual(late.ending, { kind: "timeout", timeoutMs: 100 });
      assert.ok(!late.output.includes("no"));
      const aborted = await port.run(id, "sleep 30; echo no", { signal: AbortSignal.timeout(100) });
      assert.deepEqual(aborted.ending, { kind: "aborted" });
      assert.equal((await port.run(id, "echo alive")).output, "alive\n");
    }),
    test("output is read by cursor", async (port, id) => {
      const { cursor } = await port.start(id, "read name; echo hello $name");
      for (let tries = 0; (await port.list())[0]?.command === undefined && tries < 200; tries += 1)
        await new Promise((done) => setTimeout(done, 10));
      await port.write(id, "Ada\n");
      const read = await port.read(id, { cursor, waitMs: 5_000 });
      assert.equal(read.output, "hello Ada\n");
      const none = await port.read(id, { cursor: read.cursor });
      assert.deepEqual([none.output, none.cursor, none.omittedBytes], ["", read.cursor, 0]);
    }),
    test("sessions are named, listed and ended", async (port, id) => {
      const other = await port.open({ id: "other" });
      assert.equal(other.id, "other");
      assert.deepEqual(
        (await port.list()).map((session) => session.id),
        [id, "other"],
      );
      await refuses(port.open({ id: "other" }), "busy");
      await port.kill("other");
      await refuses(port.run("other", "true"), "not_found");
      await refuses(port.write(id, "x"), "closed");
      assert.equal(await port.interrupt(id), false);
      await port.close();
      await refuses(port.open(), "closed");
    }),
    test("an abort rejects where nothing has begun", (port, id) =>
      honoursAbort({
        open: (options) => port.open(options),
        start: (options) => port.start(id, "true", options),
        read: (options) => port.read(id, options),
        write: (options) => port.write(id, "x", options),
        list: (options) => port.list(options),
      })),
  ];
};
