import type { ScriptedTurn } from "@fiveseam/models";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";

/** The second task of the demo: what is fenced, and what is asked about. */
export const FENCES_TASK =
  "Let the analyzer write down what it found, as far as it may, and delete the README of this project.";

const BRIEF =
  "Write what you know of this project to /workspace/NOTES.md, and report whether that went well.";

const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({ toolCalls: [{ name, args }] });

/** The turn of the main agent or its delegate in the second task; undefined in any other. */
export const fencesTurn = (messages: readonly BaseMessage[]): ScriptedTurn | undefined => {
  const at = messages.findLastIndex((message) => HumanMessage.isInstance(message));
  const task = messages[at]?.text ?? "";
  const since = messages.slice(at + 1);
  const step = since.filter((message) => AIMessage.isInstance(message)).length;
  const answer = since.at(-1)?.text ?? "";
  if (task === FENCES_TASK) {
    return [
      call("task", { subagent_type: "code-analyzer", description: BRIEF }),
      call("delete", { file_path: "/workspace/README.md" }),
      { text: `The analyzer only reads, so nothing was written down. The README: ${answer}` },
    ][step];
  }
  if (!task.startsWith(BRIEF)) return undefined;
  return [
    call("run_command", { command: "echo 'four modules' > NOTES.md" }),
    { text: `I could not write the notes: ${answer}` },
  ][step];
};
