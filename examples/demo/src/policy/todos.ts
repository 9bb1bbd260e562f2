import type { ScriptedToolCall } from "@fiveseam/models";

type Status = "pending" | "in_progress" | "completed";

/** The plan, in order; every moment of the work is a point in it. */
const PHASES = ["reproduce", "survey", "fix", "verify", "done"] as const;
export type Phase = (typeof PHASES)[number];

const CONTENT: Readonly<Record<Exclude<Phase, "done">, string>> = {
  reproduce: "Reproduce: run the tests and read the failure",
  survey: "Survey: let the code-analyzer find where it comes from",
  fix: "Fix: try the smallest change that explains it, keep what turns tests green",
  verify: "Verify: all tests pass and nothing else changed",
};

const todosFor = (phase: Phase): readonly { content: string; status: Status }[] => {
  const at = PHASES.indexOf(phase);
  return (Object.keys(CONTENT) as Exclude<Phase, "done">[]).map((name, index) => ({
    content: CONTENT[name],
    status: index < at ? "completed" : index === at ? "in_progress" : "pending",
  }));
};

/** The call that brings the todos to a phase, or none when they are there or cannot be written. */
export const todosCall = (
  phase: Phase,
  written: string,
  offered: ReadonlySet<string>,
): readonly ScriptedToolCall[] => {
  const todos = todosFor(phase);
  if (!offered.has("write_todos") || JSON.stringify(todos) === written) return [];
  return [{ name: "write_todos", args: { todos } }];
};
