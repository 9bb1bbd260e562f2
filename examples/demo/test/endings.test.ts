import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ScriptedTurn } from "@fiveseam/models";
import { describe, expect, it } from "vitest";
import { ATTEMPT_LIMIT, demoPolicy } from "../src/policy/index.js";

const named = (...names: string[]) => names.map((name) => ({ name, description: "", parameters: {} }));
const MAIN = named("run_tests", "read_file", "edit_file", "task", "write_todos");
const DELEGATE = named("ls", "read_file", "glob", "grep");

const turnOf = (messages: readonly BaseMessage[], tools = MAIN): ScriptedTurn => {
  const turn = demoPolicy(messages, tools);
  return typeof turn === "string" ? { text: turn } : turn;
};

/** What a tool answers to a call. An answer that starts with "Error" has that status too. */
type World = (tool: string, args: Record<string, unknown>) => string;

/** Plays the policy against a world until it answers or the turns run out. */
const play = (world: World, before: readonly BaseMessage[] = [], turns = 400): readonly BaseMessage[] => {
  const messages: BaseMessage[] = [...before, new HumanMessage("Fix the tests.")];
  for (let turn = 0; turn < turns; turn += 1) {
    const { text = "", toolCalls = [] } = turnOf(messages);
    const calls = toolCalls.map(({ name, args = {} }, index) => ({
      name,
      args,
      id: `${messages.length}-${index}`,
    }));
    messages.push(new AIMessage({ content: text, tool_calls: calls }));
    if (calls.length === 0) return messages;
    for (const { name, args, id } of calls) {
      const content = world(name, args);
      messages.push(
        new ToolMessage({
          content,
          name,
          tool_call_id: id,
          status: content.startsWith("Error") ? "error" : "success",
        }),
      );
    }
  }
  return messages;
};

const answer = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";
const tools = (messages: readonly BaseMessage[]): readonly string[] =>
  messages.flatMap((message) =>
    AIMessage.isInstance(message) ? (message.tool_calls ?? []).map(({ name }) => name) : [],
  );

const GREEN = "Tests passed.\n$ npm test\n\nTAP version 13\nok 1 - a\n# tests 1\n# pass 1\n# fail 0\n";
const RED = `Tests failed (exit code 1).
$ npm test

TAP version 13
not ok 1 - adds
  ---
  location: '/real/test/sum.test.js:3:1'
  failureType: 'testCodeFailure'
  error: 'expected more'
  name: 'AssertionError'
  expected: 3
  actual: -1
  ...
# tests 1
# pass 0
# fail 1
`;
const SOURCE = "export const sum = (a, b) => a - b;";
const REPORT =
  "Suspects, most likely first:\n\n1. /workspace/src/sum.js:1-1 `sum` (score 0.950): named by the failing test\n";

/** A project of one line, whose tests pass once that line is right, or never. */
const project = (right: string | undefined, overrides: Partial<Record<string, World>> = {}) => {
  const state = { text: SOURCE };
  const world: World = (tool, args) => {
    const other = overrides[tool];
    if (other) return other(tool, args);
    if (tool === "run_tests") return state.text === right ? GREEN : RED;
    if (tool === "task") return REPORT;
    if (tool === "read_file") return `@@ lines 1-1 of 1 @@\n${state.text}`;
    if (tool === "edit_file") {
      state.text = state.text.replace(String(args["old_string"]), () => String(args["new_string"]));
      return "Successfully replaced 1 occurrence(s)";
    }
    return "done";
  };
  return { state, world };
};

describe("the policy ends", () => {
  it("at once when the tests already pass", () => {
    const messages = play(() => GREEN);
    expect(answer(messages)).toMatch(/already pass \(1 of 1 pass\).*I changed nothing/);
    expect(tools(messages)).toEqual(["write_todos", "run_tests"]);
  });

  it("at once in a project without tests", () => {
    const messages = play(() => "Error: No test command was found: package.json has no test script.");
    expect(answer(messages)).toMatch(/no tests that I can run.*changed nothing/);
  });

  it("at once when the output names no failing test", () => {
    const messages = play(() => "Tests failed (exit code 139).\n$ npm test\n\nSegmentation fault");
    expect(answer(messages)).toMatch(/names no failing test.*Segmentation fault/s);
  });

  it("at once without the tools for the work, naming them", () => {
    expect(turnOf([new HumanMessage("Fix it.")], named("task", "read_file")).text).toMatch(
      /not given run_tests, edit_file/,
    );
    expect(turnOf([new HumanMessage("Survey.")], named("ls")).text).toMatch(/no tools to list and read/);
    expect(turnOf([new HumanMessage("Survey.")], DELEGATE).text).toMatch(/names no failing test/);
  });

  it("with cause, change and counts when it is green", () => {
    const { state, world } = project("export const sum = (a, b) => a + b;");
    const text = answer(play(world));
    expect(state.text).toBe("export const sum = (a, b) => a + b;");
    expect(text).toMatch(/"adds": expected 3, got -1/);
    expect(text).toMatch(
      /src\/sum\.js:1: `export const sum = \(a, b\) => a - b;` → `export const sum = \(a, b\) => a \+ b;`/,
    );
    expect(text).toMatch(/before: 0 of 1 pass\. Tests after: 1 of 1 pass\./);
  });

  it("honestly when nothing helps, with the files as they were and a bounded number of attempts", () => {
    const { state, world } = project(undefined);
    const messages = play(world);
    expect(answer(messages)).toMatch(/^Not fixed: \d+ small changes tried.*the files are as they were/s);
    expect(state.text).toBe(SOURCE);
    expect(tools(messages).filter((name) => name === "run_tests").length).toBeLessThanOrEqual(
      ATTEMPT_LIMIT + 1,
    );
  });

  it("when a change cannot be taken back, saying which file to look at", () => {
    const { state, world } = project(undefined);
    const messages = play((tool, args) =>
      tool === "edit_file" && state.text !== SOURCE ? "Error: the disk is full" : world(tool, args),
    );
    expect(answer(messages)).toMatch(/\/workspace\/src\/sum\.js could not be taken back/);
  });
});

describe("the policy goes on", () => {
  it("by looking at the file when an edit was cut off, whether it was made or not", () => {
    for (const made of [true, false]) {
      const { state, world } = project("export const sum = (a, b) => a + b;");
      let first = true;
      const messages = play((tool, args) => {
        if (tool !== "edit_file" || !first) return world(tool, args);
        first = false;
        if (made) world(tool, args);
        return "Tool call edit_file with id x was cancelled - another message came in before it could be completed.";
      });
      expect(answer(messages)).toMatch(/^Fixed/);
      expect(state.text).toBe("export const sum = (a, b) => a + b;");
    }
  });

  it("with the next task on a thread that has an answer already", () => {
    const first = play(() => GREEN);
    const { world } = project("export const sum = (a, b) => a + b;");
    expect(answer(play(world, first))).toMatch(/^Fixed/);
  });

  it("undisturbed by notes that stand after the last result", () => {
    const { world } = project("export const sum = (a, b) => a + b;");
    const messages = play(world);
    const at = messages.findLastIndex((message) => message.getType() === "tool");
    const noted = [...messages.slice(0, at + 1), new HumanMessage("Note: it is noon.")];
    expect(turnOf(noted)).toEqual(turnOf(messages.slice(0, at + 1)));
  });
});
