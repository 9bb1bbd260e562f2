import { parseArgs } from "node:util";

export type Command =
  | { name: "run"; task: string; threadId: string | undefined }
  | {
      name: "resume";
      threadId: string;
      decision: "approve" | "reject" | undefined;
      reason: string | undefined;
    }
  | { name: "threads" }
  | { name: "help" };

export interface Invocation {
  command: Command;
  workspace: string;
  model: string;
  stateDir: string | undefined;
  /** Tools that wait for an approval. */
  ask: string[];
}

export const HELP = `fiveseam-cli run "task" [--thread ID]             work on a task
fiveseam-cli resume ID [--approve | --reject [--reason TEXT]]   go on with a thread
fiveseam-cli threads                              list the threads of the workspace

  --workspace PATH   directory to work in; default the current one
  --model P:NAME     for instance anthropic:claude-sonnet-4-6; default FIVESEAM_MODEL, else the scripted stand-in
  --ask TOOLS        tools that wait for an approval, by comma; default delete
  --state-dir PATH   where threads are stored; default the user's state directory, by workspace

Exit codes: 0 done, 1 failed or stopped, 2 wrong usage, 3 waiting for an approval.`;

/** The call was not understood; the message says what is right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws {UsageError} when the words do not make a command. */
export const readInvocation = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Invocation => {
  const parse = () =>
    parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        workspace: { type: "string", default: "." },
        model: { type: "string" },
        thread: { type: "string" },
        ask: { type: "string", default: "delete" },
        "state-dir": { type: "string" },
        approve: { type: "boolean", default: false },
        reject: { type: "boolean", default: false },
        reason: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [name, subject, ...rest] = positionals;

  const commandOf = (): Command => {
    if (values.help || name === undefined) return { name: "help" };
    if (rest.length > 0) throw new UsageError(`Put the task into quotes: "${[subject, ...rest].join(" ")}".`);
    switch (name) {
      case "run":
        if (!subject) throw new UsageError('run needs a task: fiveseam-cli run "fix the failing test".');
        return { name, task: subject, threadId: values.thread };
      case "resume":
        if (!subject) throw new UsageError("resume needs a thread; fiveseam-cli threads lists them.");
        if (values.approve && values.reject) throw new UsageError("Give one of --approve and --reject.");
        return {
          name,
          threadId: subject,
          decision: values.approve ? "approve" : values.reject ? "reject" : undefined,
          reason: values.reason,
        };
      case "threads":
        return { name };
      default:
        throw new UsageError(`There is no command "${name}"; the commands are run, resume and threads.`);
    }
  };
  return {
    command: commandOf(),
    workspace: values.workspace,
    model: values.model ?? (env["FIVESEAM_MODEL"] || "scripted"),
    stateDir: values["state-dir"],
    ask: values.ask.split(",").filter(Boolean),
  };
};
