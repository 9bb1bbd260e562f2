import assert from "node:assert/strict";
import type { HostError, HostErrorCode } from "../errors.js";

/** One promise of a port, to be run by any test runner: it rejects with an AssertionError where it is broken. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What is put to the test, and how it is put away again. */
export interface Subject<Port> {
  readonly port: Port;
  close?(): Promise<void> | void;
}

/** Makes a case that gets a subject of its own and always closes it. */
export const caseOf = <S extends Subject<unknown>>(
  name: string,
  create: () => Promise<S> | S,
  test: (subject: S) => Promise<void>,
): ConformanceCase => ({
  name,
  async run() {
    const subject = await create();
    try {
      await test(subject);
    } finally {
      await subject.close?.();
    }
  },
});

/** Asserts that a call is refused by the port itself, for this reason, in words. */
export const refuses = (call: Promise<unknown>, code: HostErrorCode): Promise<void> =>
  assert.rejects(call, (error: unknown) => {
    // By its shape and not its class, which a bundle may hold twice.
    const { code: found, message } = error as HostError;
    assert.ok(error instanceof Error && error.name === "HostError", `not a HostError: ${String(error)}`);
    assert.equal(found, code, message);
    assert.notEqual(message, "");
    return true;
  });

/** Asserts that calls with a signal that is aborted already reject with its reason. */
export const honoursAbort = async (
  calls: Readonly<Record<string, (options: { signal: AbortSignal }) => Promise<unknown>>>,
): Promise<void> => {
  const reason = new Error("the caller gave up");
  const signal = AbortSignal.abort(reason);
  for (const [name, call] of Object.entries(calls)) {
    await assert.rejects(
      async () => call({ signal }),
      (error: unknown) => {
        assert.equal(error, reason, `${name} rejects with something else than the reason of the signal`);
        return true;
      },
      `${name} does not reject although its signal is aborted`,
    );
  }
};
