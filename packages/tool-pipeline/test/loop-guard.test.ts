import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  createPipeline,
  failuresAsResults,
  loopGuard,
  outcomeOf,
  RunStoppedError,
  UNDECLARED,
  type Effect,
  type LoopGuardOptions,
} from "../src/index.js";
import { callOf, says, textOf } from "./support.js";

const setUp = (options: LoopGuardOptions = {}) => {
  const pipeline = createPipeline({ layers: [failuresAsResults(), loopGuard(options)] });
  /** "ran", "note" or "loop": what became of the call. */
  return async (
    toolName: string,
    args: Record<string, unknown>,
    answer: string,
    more: { effects?: readonly Effect[]; status?: "error"; turn?: string; agent?: string } = {},
  ): Promise<string> => {
    const result = (await pipeline.run(
      callOf({
        toolName,
        args,
        agent: more.agent,
        declaration: { effects: more.effects ?? ["fs.read"] },
        messages: [new HumanMessage({ id: more.turn ?? "u1", content: "x" })],
      }),
      says(answer, more.status ? { status: more.status } : {}),
    )) as ToolMessage;
    return outcomeOf(result) ?? (textOf(result) === answer ? "ran" : "note");
  };
};

describe("the loop guard trips on what goes in circles", () => {
  it("the same call with the same result: a note, then a refusal, then the run stops", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (let at = 0; at < 9; at += 1) {
      seen.push(await call("grep", at % 2 ? { b: 1, a: 2 } : { a: 2, b: 1 }, "nothing"));
    }
    expect(seen).toEqual(["ran", "ran", "ran", "note", "note", "note", "loop", "loop", "loop"]);
    await expect(call("grep", { a: 2, b: 1 }, "nothing")).rejects.toBeInstanceOf(RunStoppedError);
    expect(await call("grep", { a: 3 }, "nothing")).toBe("ran");
  });

  it("cycles of up to five calls, not of six", async () => {
    for (const length of [2, 3, 4, 5, 6]) {
      const call = setUp();
      const seen: string[] = [];
      for (let at = 0; at < length * 7; at += 1) {
        const which = at % length;
        seen.push(await call(`tool${which}`, { which }, `answer ${which}`, { effects: ["exec"] }));
      }
      expect(seen.includes("loop")).toBe(length <= 5);
      expect(seen.indexOf("note")).toBe(length <= 5 ? length * 4 - 1 : -1);
    }
  });

  it("many different calls that change nothing and all have one answer", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (let at = 0; at < 32; at += 1) seen.push(await call("grep", { pattern: `p${at}` }, "No matches."));
    expect(seen.indexOf("note")).toBe(14);
    expect(seen.indexOf("loop")).toBe(30);
    const failing = setUp();
    const edits: string[] = [];
    for (let at = 0; at < 16; at += 1) {
      edits.push(await failing("edit", { at }, "no match", { effects: ["fs.write"], status: "error" }));
    }
    expect(edits).toContain("note");
  });
});

describe("the loop guard leaves progress alone", () => {
  const never = (seen: readonly string[]) => expect(new Set(seen)).toEqual(new Set(["ran"]));

  it("renaming forty files that all answer ok", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      seen.push(await call("execute", { command: `mv a${at} b${at}` }, "(no output)", { effects: ["exec"] }));
    }
    never(seen);
  });

  it("a cycle of test and fix, in which the tests go on failing in the same way", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      seen.push(await call("run_tests", {}, "1 failed", { effects: ["exec"] }));
      seen.push(await call("edit_file", { to: `try ${at}` }, "ok", { effects: ["fs.write"] }));
    }
    never(seen);
  });

  it("stepping a debugger through a loop of three lines, and tools that are exempt", async () => {
    const call = setUp({ exempt: ["wait"] });
    const seen: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      seen.push(await call("debug_step", {}, `line ${at % 3}`, { effects: ["debug"] }));
      seen.push(await call("wait", {}, "still building"));
    }
    never(seen);
  });

  it("the same call with another result each time, and reading forty different files", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      seen.push(await call("status", {}, `${at} %`));
      seen.push(await call("read_file", { path: `/f${at}` }, `content ${at}`));
    }
    never(seen);
  });

  it("what the user asks for again, and what two agents do side by side", async () => {
    const call = setUp();
    const seen: string[] = [];
    for (const turn of ["u1", "u2", "u3", "u4", "u5"]) {
      for (const agent of ["a", "b"]) seen.push(await call("run_tests", {}, "ok", { turn, agent }));
    }
    never(seen);
  });
});

it("an undeclared tool is guarded like others", async () => {
  const call = setUp();
  const seen: string[] = [];
  for (let at = 0; at < 7; at += 1) seen.push(await call("mcp", {}, "same", { effects: UNDECLARED.effects }));
  expect(seen.at(-1)).toBe("loop");
});
