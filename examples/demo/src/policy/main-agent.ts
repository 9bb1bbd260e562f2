import type { BaseMessage } from "@langchain/core/messages";
import type { ScriptedTool, ScriptedToolCall, ScriptedTurn } from "@fiveseam/models";
import { candidatesFor, editablePaths, firstUntried } from "./candidates.js";
import {
  answerGivenUp,
  answerGreen,
  answerNothingToDo,
  answerNoTests,
  answerNoTools,
  answerUnreadable,
} from "./answers.js";
import { applyEdit, changedLine, editCall, inverse, sameEdit } from "./edits.js";
import { stepsOf } from "./history.js";
import { nextRead } from "./known-files.js";
import { keptAttempts, openAttempt, progressOf, textIn, type Attempt, type Progress } from "./progress.js";
import { ROOT } from "./project-files.js";
import { readReport, readTestPaths, whatFailed, writeBrief } from "./survey.js";
import { hasNoTests } from "./test-output.js";
import { todosCall, type Phase } from "./todos.js";

/** Changes tried before giving up. */
export const ATTEMPT_LIMIT = 40;
/** Changes tried on top of one that helped before it is doubted. */
const PATIENCE = 10;
/** Files asked for in one turn. */
const READS_A_TURN = 4;

const NEEDED = ["run_tests", "read_file", "edit_file"];

const short = (path: string): string => (path.startsWith(ROOT) ? path.slice(ROOT.length) : path);

/** A change can make a loop endless, so a run gets several times what the first one took and no more. */
const testCall = (progress: Progress, tools: readonly ScriptedTool[]): ScriptedToolCall => {
  const tool = tools.find(({ name }) => name === "run_tests");
  const properties = (tool?.parameters["properties"] ?? {}) as Record<string, unknown>;
  const took = progress.baseline?.durationMs ?? 0;
  if (!progress.baseline || took === 0 || !("timeout_ms" in properties))
    return { name: "run_tests", args: {} };
  const timeout_ms = Math.min(120_000, Math.max(10_000, Math.ceil((took * 10) / 1000) * 1000));
  return { name: "run_tests", args: { timeout_ms } };
};

const describe = (attempt: Attempt): string => {
  const { line, before, after } = changedLine(attempt.source, attempt.edit);
  return `${short(attempt.edit.path)}:${line}: \`${before}\` → \`${after}\``;
};

/** The move that finishes the attempt under way, if there is one. */
const finishAttempt = (progress: Progress, tools: readonly ScriptedTool[]): ScriptedTurn | undefined => {
  const attempt = openAttempt(progress);
  if (!attempt) return undefined;
  const path = attempt.edit.path;
  switch (attempt.state) {
    case "applied":
      return { text: "Running the tests on it.", toolCalls: [testCall(progress, tools)] };
    case "rejected":
      return { text: "That does not help. Taking it back.", toolCalls: [editCall(inverse(attempt.edit))] };
    default: {
      const read = nextRead(path, progress.files.get(path));
      return (
        read && {
          text: `The edit did not go as planned; looking at ${short(path)} again.`,
          toolCalls: [read],
        }
      );
    }
  }
};

/** All tests pass: read what was changed once more, then say what was done. */
const verify = (progress: Progress, todos: (phase: Phase) => readonly ScriptedToolCall[]): ScriptedTurn => {
  const kept = keptAttempts(progress);
  // From the top, whatever was read before: this is about what is on the disk now.
  const reads = [...new Set(kept.map((attempt) => attempt.edit.path))].flatMap(
    (path) => nextRead(path, progress.rereading.get(path)) ?? [],
  );
  if (reads.length > 0) {
    return {
      text: "All tests pass. Reading what I changed once more.",
      toolCalls: [...todos("verify"), ...reads],
    };
  }
  // The last change to a file saw all earlier ones, so it alone says what the file has to be.
  const others = kept.filter((attempt, index) => {
    const last = !kept.slice(index + 1).some((later) => later.edit.path === attempt.edit.path);
    const text = progress.rereading.get(attempt.edit.path)?.lines.join("\n");
    return last && text !== applyEdit(attempt.source, attempt.edit);
  });
  const surprise = others.map((attempt) => short(attempt.edit.path));
  const last = todos("done");
  if (last.length > 0) {
    const text =
      surprise.length > 0 ? "It holds other changes too." : "It holds that change and nothing else.";
    return { text, toolCalls: last };
  }
  return { text: answerGreen(progress, kept.map(describe), surprise) };
};

/** The next turn of the main agent. */
export const mainTurn = (messages: readonly BaseMessage[], tools: readonly ScriptedTool[]): ScriptedTurn => {
  const offered = new Set(tools.map((tool) => tool.name));
  const missing = NEEDED.filter((name) => !offered.has(name));
  if (missing.length > 0) return { text: answerNoTools(missing) };

  const progress = progressOf(stepsOf(messages));
  const todos = (phase: Phase): readonly ScriptedToolCall[] => todosCall(phase, progress.todos, offered);
  const { baseline, accepted } = progress;

  if (!baseline || !accepted) {
    return {
      text: "Running the tests first, to see the failure with my own eyes.",
      toolCalls: [...todos("reproduce"), testCall(progress, tools)],
    };
  }
  if (progress.attempts.length === 0) {
    if (hasNoTests(baseline)) return { text: answerNoTests(baseline) };
    if (baseline.verdict === "passed") return { text: answerNothingToDo(baseline) };
    if (baseline.failures.length === 0) return { text: answerUnreadable(baseline) };
  }

  const finishing = finishAttempt(progress, tools);
  if (finishing) return finishing;
  if (accepted.verdict === "passed") return verify(progress, todos);

  if (progress.report === undefined) {
    const names = accepted.failures.map((failure) => `"${failure.name}" (${whatFailed(failure)})`);
    const more = progress.reports > 0 ? "Better, and kept. Still failing" : "Failing";
    return {
      text: `${more}: ${names.slice(0, 3).join("; ")}. Asking the code-analyzer where that comes from.`,
      toolCalls: [
        ...todos("survey"),
        { name: "task", args: { description: writeBrief(accepted), subagent_type: "code-analyzer" } },
      ],
    };
  }

  const suspects = readReport(progress.report);
  const unread = [...editablePaths(suspects), ...readTestPaths(progress.report)].flatMap(
    (path) => nextRead(path, progress.files.get(path)) ?? [],
  );
  if (unread.length > 0) {
    const best = suspects[0];
    return {
      text: `The survey points at \`${best?.name ?? ""}\` in ${short(best?.path ?? "")} first. Reading the suspects.`,
      toolCalls: [...todos("fix"), ...unread.slice(0, READS_A_TURN)],
    };
  }

  const stuck = progress.attempts.some(({ state }) => state === "stuck");
  const candidates =
    stuck || progress.attempts.length >= ATTEMPT_LIMIT ? [] : candidatesFor(progress, suspects);
  const next = firstUntried(progress, candidates);
  const kept = keptAttempts(progress);
  const last = kept.at(-1);
  const since = last ? progress.attempts.length - 1 - progress.attempts.indexOf(last) : 0;
  if (last && candidates.length > 0 && (!next || since >= PATIENCE)) {
    return {
      text: `${describe(last)} helped, but nothing small makes the rest pass after it. Taking it back to look for a change that does more.`,
      toolCalls: [editCall(inverse(last.edit))],
    };
  }
  if (!next) {
    // Half a repair is better than none: what helped and was taken back in vain is made again.
    const helped = progress.attempts.find(({ state }) => state === "withdrawn");
    const again = helped && progress.attempts.filter(({ edit }) => sameEdit(edit, helped.edit)).length > 1;
    if (helped && !again && !stuck && kept.length === 0) {
      return {
        text: "Nothing better found. Making the change that helped once more.",
        toolCalls: [editCall(helped.edit)],
      };
    }
    return { text: answerGivenUp(progress, kept.map(describe)) };
  }
  const source = textIn(progress, next.edit.path) ?? "";
  const change = changedLine(source, next.edit);
  return {
    text:
      `Attempt ${progress.attempts.length + 1}, in \`${next.suspect.name}\` (${next.mutation.kind}), ` +
      `${short(next.edit.path)}:${change.line}: \`${change.before}\` → \`${change.after}\`.`,
    toolCalls: [...todos("fix"), editCall(next.edit)],
  };
};
