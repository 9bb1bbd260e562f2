import { ScriptedChatModel, type ScriptedTurn } from "@fiveseam/models";

const call = (name: string, args: Record<string, unknown>): ScriptedTurn => ({ toolCalls: [{ name, args }] });

/** What it does first, by a word of the request. */
const FIRST: readonly [RegExp, (file: string, request: string) => ScriptedTurn][] = [
  [
    /^write (\S+)/,
    (file, request) => call("write_file", { file_path: `/workspace/${file}`, content: `${request}\n` }),
  ],
  [/^delete (\S+)/, (file) => call("delete", { file_path: `/workspace/${file}` })],
  [/^review (\S+)/, (file) => call("task", { subagent_type: "reviewer", description: `look at ${file}` })],
  [/^look at (\S+)/, (file) => call("read_file", { file_path: `/workspace/${file}` })],
  [/^count (\S+)/, (file) => call("count_lines", { files: [file] })],
  [
    /^wait (\S+)/,
    (seconds) => call("run_command", { command: `echo $$ > pid-${seconds}; sleep ${seconds}` }),
  ],
];

/** Stands in for a language model: it knows a few words, calls one tool, and says what the tool answered. */
export const standIn = (): ScriptedChatModel =>
  new ScriptedChatModel({
    policy: (messages, tools) => {
      const asked = messages.findLastIndex((message) => message.getType() === "human");
      const request = messages[asked]?.text ?? "";
      if (asked < messages.length - 1) return `The answer was: ${messages.at(-1)?.text}`;
      for (const [words, first] of FIRST) {
        const file = words.exec(request)?.[1];
        if (file === undefined) continue;
        const turn = first(file, request);
        const wanted = turn.toolCalls?.[0]?.name;
        // In plan mode what changes anything is not on offer.
        return tools.some(({ name }) => name === wanted) ? turn : `I would call ${wanted} for: ${request}`;
      }
      return `You said: ${request}`;
    },
  });
