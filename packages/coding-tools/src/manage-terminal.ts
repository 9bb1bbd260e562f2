import type {
  TerminalEnding,
  TerminalPort,
  TerminalReadResult,
  TerminalRunResult,
  TerminalSession,
} from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { changeLines, type CommandChanges } from "./command-bracket.js";
import { threadOf } from "./caller.js";
import { needed, ToolInputError } from "./errors.js";
import { endingLine } from "./process-report.js";
import {
  checkCommand,
  rejected,
  runChecked,
  type CheckedCommand,
  type CommandGate,
  type JudgedSegment,
} from "./shell-check.js";
import { timeoutSchema } from "./shell-run.js";
import { resolveDirectory } from "./working-directory.js";

const MAX_WAIT_MS = 60_000;

const endedBy = (ending: TerminalEnding, durationMs?: number): string =>
  ending.kind === "stopped"
    ? `stopped by ${ending.by}`
    : endingLine(durationMs === undefined ? { ending } : { ending, durationMs });

/** What changes the meaning of later commands in the same shell, which are judged without it. */
const SESSION =
  /(?:^|[\s;&|({])(?:alias|function|enable|hash|shopt|set|trap|bind|complete|command_not_found_handle)\b|\(\)\s*[{(]|\b(?:PATH|BASH_ENV|PROMPT_COMMAND|IFS|CDPATH|GIT_\w+)=/;

const doubtsOfSession = (command: string): JudgedSegment[] =>
  SESSION.test(command)
    ? [{ text: command, verdict: "ask", why: "it may change what later commands in this shell mean" }]
    : [];

const sessionLine = ({ id, state, command, queued, cwd, restarts }: TerminalSession): string =>
  [
    `${id}: ${state}${command === undefined ? "" : ` ($ ${command})`}, in ${cwd}`,
    ...(queued > 0 ? [`${queued} waiting`] : []),
    ...(restarts > 0 ? [`restarted ${restarts} times`] : []),
  ].join(", ");

const runText = (result: TerminalRunResult, changes: CommandChanges | undefined): string =>
  [
    `${endedBy(result.ending, result.durationMs)}, now in ${result.cwd}`,
    ...(result.restarted
      ? ["[the shell ended with the command and was started anew: variables are gone]"]
      : []),
    ...(result.truncated ? [`[${result.omittedBytes} bytes were cut from the middle of the output]`] : []),
    ...changeLines(changes),
    result.output,
  ]
    .join("\n")
    .trimEnd();

const readText = (result: TerminalReadResult): string =>
  [
    sessionLine(result.session),
    ...(result.session.state !== "running" && result.lastEnding
      ? [`last command: ${endedBy(result.lastEnding)}`]
      : []),
    `[cursor ${result.cursor}]`,
    ...(result.omittedBytes > 0 ? [`[${result.omittedBytes} bytes before this are no longer kept]`] : []),
    result.output === "" ? "[no new output]" : result.output,
    ...(result.truncated && result.output !== "" ? ["[there is more: read on from the cursor]"] : []),
  ].join("\n");

const schema = z.object({
  action: z.enum(["open", "run", "start", "read", "write", "interrupt", "close", "list"]),
  session: z.string().min(1).optional().describe("The session; needed but for open and list."),
  command: z.string().min(1).optional().describe("Shell command, for run and start."),
  cwd: z.string().optional().describe("Directory to open in, below /workspace/; default /workspace/."),
  cursor: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("For read: where to go on, as the last answer said; default 0."),
  wait_ms: z
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe("For read: how long to wait for something new; default 0."),
  input: z.string().optional().describe('For write: text for the program\'s input; end a line with "\\n".'),
  timeout_ms: timeoutSchema,
});

/** The tool that keeps shells open between calls. */
export const createManageTerminalTool = (port: TerminalPort, gate: CommandGate): StructuredTool => {
  const { root } = gate;
  // A conversation sees its own sessions only: a server's threads share one host.
  const owners = new Map<string, string | undefined>();
  const own = (session: string, thread: string | undefined): string => {
    if (owners.has(session) && owners.get(session) === thread) return session;
    throw new ToolInputError(`There is no session "${session}"; open one, or list them.`);
  };

  const checked = async (id: string, command: string): Promise<CheckedCommand> => {
    const session = (await port.list()).find((each) => each.id === id);
    // It would be judged for the directory of now, and run in that of later.
    if (session?.state === "running")
      throw new ToolInputError(
        `"${session.command}" runs in ${id}; wait for its end, interrupt it, or open another.`,
      );
    return checkCommand(gate, command, session?.cwd ?? root, doubtsOfSession(command));
  };

  /** What is typed into a program is no command that could be judged, and many programs run some. */
  const checkInput = async (id: string, input: string): Promise<void> => {
    const { approvals } = gate;
    if (!approvals) return;
    const program = (await port.list()).find((each) => each.id === id)?.command ?? "the shell";
    const answer = await approvals.ask({
      description: `Type into \`${program}\` in ${id}: ${JSON.stringify(input)}`,
      details: {
        kind: "command",
        command: input,
        cwd: id,
        segments: [{ text: input, verdict: "ask", why: `it is typed into \`${program}\`, which may run it` }],
      },
      allowed: ["approve", "reject"],
      remember: {
        key: JSON.stringify(["input", id, program]),
        label: `all that is typed into \`${program}\` in ${id}, in this run`,
      },
    });
    if (answer.type === "reject") throw rejected(answer.reason, "Nothing was typed");
  };
  const noted = ({ note }: CheckedCommand, text: string): string => (note ? `${note}\n${text}` : text);

  return defineTool({
    name: "manage_terminal",
    description:
      "Keeps shells open between calls: directory, variables and background jobs stay. Use it for a server or watcher that " +
      "runs on while you work (start, then read), for a program that asks (start, write, read), and for commands that " +
      "need each other's environment (run). For a single command use run_command. `open` names a session; `run` waits " +
      "for the end and says how it ended; `start` does not wait; `read` gives the output from a cursor on, which each " +
      "answer names; `interrupt` is Ctrl-C; `close` ends the session and all that runs in it. Close what you no longer need.",
    schema,
    effects: ["exec"],
    polls: ({ action }) => action === "read",
    async run(args, { signal, config }) {
      const thread = threadOf({ config });
      const { action } = args;
      const call = signal ? { signal } : {};
      if (action === "list") {
        const sessions = (await port.list(call)).filter(
          ({ id }) => owners.has(id) && owners.get(id) === thread,
        );
        return sessions.length === 0 ? "No sessions." : sessions.map(sessionLine).join("\n");
      }
      if (action === "open") {
        const session = await port.open({ ...call, cwd: await resolveDirectory(root, args.cwd) });
        owners.set(session.id, thread);
        return { content: `Opened ${sessionLine(session)}`, artifact: session };
      }
      const id = own(needed(args.session, "session", action), thread);
      switch (action) {
        case "run": {
          const check = await checked(id, needed(args.command, "command", action));
          const { result, changes } = await runChecked(gate, check, () =>
            port.run(id, check.command, {
              ...call,
              ...(args.timeout_ms === undefined ? {} : { timeoutMs: args.timeout_ms }),
            }),
          );
          signal?.throwIfAborted();
          return {
            content: noted(check, runText(result, changes)),
            artifact: { ...result, output: undefined },
          };
        }
        case "start": {
          const check = await checked(id, needed(args.command, "command", action));
          const { cursor } = await port.start(id, check.command);
          return noted(check, `Started. Read its output with cursor ${cursor}.`);
        }
        case "read": {
          const result = await port.read(id, {
            ...call,
            cursor: args.cursor ?? 0,
            waitMs: args.wait_ms ?? 0,
          });
          return { content: readText(result), artifact: { ...result, output: undefined } };
        }
        case "write":
          await checkInput(id, needed(args.input, "input", action));
          await port.write(id, needed(args.input, "input", action), call);
          return "Written.";
        case "interrupt":
          return (await port.interrupt(id, call)) ? "Sent Ctrl-C." : "Nothing was running.";
        case "close":
          await port.kill(id, call);
          owners.delete(id);
          return `Closed ${id}.`;
      }
    },
  });
};
