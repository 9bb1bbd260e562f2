import { describe, expect, it } from "vitest";
import { ATTEMPT_LIMIT } from "../src/policy/index.js";
import { callsOf, repair } from "./agents.js";
import { runProjectTests, TemporaryProject } from "./project.js";
import { variants } from "./variants.js";

const isTest = (path: string): boolean => /(?:^|\/)tests?\/|\.test\./.test(path);
/** Without npm around it, which takes longer than the tests. */
const NODE_TEST = { command: "node --test" };

describe.concurrent("the policy repairs", () => {
  it.each(variants())("$name", { timeout: 120_000 }, async ({ name, files }) => {
    using project = new TemporaryProject(files);
    using state = new TemporaryProject({});
    expect((await runProjectTests(project.root, NODE_TEST)).exitCode).toBe(1);

    const events = await repair(project.root, state.root);

    expect(events.at(-1)).toMatchObject({
      type: "run.finished",
      reason: "completed",
      text: expect.stringMatching(/^Fixed: all tests pass\./) as string,
    });
    const after = await runProjectTests(project.root, NODE_TEST);
    expect(after.output).toMatch(/^(?:#|ℹ) fail 0$/m);
    expect(after.exitCode).toBe(0);
    // Tests, and everything else but sources, are as they were, byte for byte.
    const left = project.files();
    const changed = Object.keys({ ...files, ...left }).filter((path) => files[path] !== left[path]);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.filter((path) => isTest(path) || !/\.[cm]?js$/.test(path))).toEqual([]);

    expect(events).toContainEqual(
      expect.objectContaining({ type: "delegate.started", role: "code-analyzer" }),
    );
    const attempts = callsOf(events, "run_tests").length - 1;
    expect(attempts).toBeLessThanOrEqual(ATTEMPT_LIMIT);
    if (process.env["DEMO_ATTEMPTS"]) console.log(`${String(attempts).padStart(3)} attempts: ${name}`);
  });
});
