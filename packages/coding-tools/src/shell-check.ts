import path from "node:path";
import { covers, currentCall, type Approvals, type ToolDeclaration } from "@fiveseam/tool-pipeline";
import type { CommandBracket, CommandChanges } from "./command-bracket.js";
import { ToolDeniedError } from "./errors.js";
import { resolveDirectory } from "./working-directory.js";
import { checkReadsEverything } from "./workspace-paths.js";

export interface JudgedSegment {
  readonly text: string;
  readonly verdict: string;
  readonly why: string;
}

export interface CommandVerdict {
  readonly verdict: "deny" | "ask" | "allow";
  /** True when no part of it can change anything. Left out, it is taken to change something. */
  readonly readOnly?: boolean;
  readonly segments: readonly JudgedSegment[];
}

/** Says what is to happen with a shell command; `@fiveseam/shell-policy` makes one. What it throws, the command is not run. */
export interface CommandPolicy {
  judge(command: string, options?: { readonly cwd?: string }): CommandVerdict | Promise<CommandVerdict>;
}

/** What stands between a command and the shell. */
export interface CommandGate {
  readonly policy?: CommandPolicy | undefined;
  /** Asks the user; without it, what the policy would ask about is run. */
  readonly approvals?: Pick<Approvals, "ask"> | undefined;
  /** How many staged changes are not on the disk, where a command runs. */
  readonly pending?: (() => number) | undefined;
  /** Finds out what a command changed. */
  readonly bracket?: CommandBracket | undefined;
  /** Absolute path of the workspace. */
  readonly root: string;
}

/** A command that may run, and what is to be said of it in the result. */
export interface CheckedCommand {
  readonly command: string;
  readonly note?: string;
  /** It surely changes nothing. */
  readonly readOnly: boolean;
}

/** True for a caller that may not run whatever it likes: a role that only reads, or anybody in plan mode. */
export const onlyReads = (): boolean => {
  const rights = currentCall()?.rights;
  return rights !== undefined && !covers(rights, "exec");
};

/**
 * A command for callers without `exec`: one that changes nothing, and that nobody would have to be asked about. Reading a file
 * of secrets changes nothing either.
 */
const surelyReads = async (
  policy: CommandPolicy | undefined,
  command: string,
  cwd: string,
): Promise<boolean> => {
  const judged = await policy?.judge(command, { cwd });
  return judged?.readOnly === true && judged.verdict === "allow";
};

const denied = (segments: readonly JudgedSegment[]): ToolDeniedError => {
  const reasons = segments
    .filter(({ verdict }) => verdict === "deny")
    .map(({ text, why }) => `\`${text}\`: ${why}`);
  return new ToolDeniedError(
    `The command was not run, and will not be: ${reasons.join("; ") || "the policy denies it"}. Do it in another way, or ` +
      "say in your answer what the user would have to do.",
  );
};

export const rejected = (reason: string | undefined, what = "The command was not run"): ToolDeniedError =>
  new ToolDeniedError(
    `${what}: the user rejected it.` +
      (reason === undefined
        ? " Do not try it in another way; ask what is wanted, or go on without it."
        : ` The reason: ${reason}`),
  );

const shown = (root: string, cwd: string): string =>
  path.posix.join("/workspace", path.relative(root, cwd).split(path.sep).join("/"));

/**
 * Judges a command, and asks where the policy is in doubt.
 *
 * @throws {ToolDeniedError} when the policy denies it, the user rejects it, or the caller may only read and it does more.
 */
export const checkCommand = async (
  { policy, approvals, pending, root }: CommandGate,
  command: string,
  cwd: string,
  further: readonly JudgedSegment[] = [],
): Promise<CheckedCommand> => {
  if (onlyReads()) {
    checkReadsEverything("A command");
    if (await surelyReads(policy, command, cwd)) return { command, readOnly: true };
    throw new ToolDeniedError(
      "The command was not run: you may only run commands that surely change nothing here. Say in your answer what is to be run.",
    );
  }
  const judged = await policy?.judge(command, { cwd });
  if (judged?.verdict === "deny") throw denied(judged.segments);
  const readOnly = judged?.readOnly === true;
  const staged = pending?.() ?? 0;
  const unseen = `${staged} staged change${staged > 1 ? "s are" : " is"} not on the disk, where the command runs`;
  const doubts: JudgedSegment[] = [
    ...(judged?.segments ?? []).filter(({ verdict }) => verdict === "ask"),
    ...(judged ? further : []),
    ...(staged > 0 && !readOnly ? [{ text: command, verdict: "ask", why: `${unseen}.` }] : []),
  ];
  if (!approvals || (judged?.verdict !== "ask" && doubts.length === 0))
    return { command, readOnly, ...(staged > 0 ? { note: `[${unseen}]` } : {}) };
  const where = shown(root, cwd);
  const answer = await approvals.ask({
    description: `Run \`${command}\` in ${where}.`,
    args: { command },
    details: {
      kind: "command",
      command,
      cwd: where,
      segments: doubts.map(({ text, verdict, why }) => ({ text, verdict, why })),
    },
    allowed: ["approve", "edit", "reject"],
    remember: {
      key: JSON.stringify(["command", where, command]),
      label: "this very command in this directory, in this run",
    },
  });
  switch (answer.type) {
    case "approve":
      return { command, readOnly };
    case "reject":
      throw rejected(answer.reason);
    case "edit": {
      const { command: changed } = answer.args;
      if (typeof changed !== "string" || changed.trim() === "")
        throw rejected("The user changed the command and left none.");
      // The user may run what is in doubt, and nobody what is denied.
      const again = await policy?.judge(changed, { cwd });
      if (again?.verdict === "deny") throw denied(again.segments);
      return {
        command: changed,
        readOnly: false,
        note: `[The user changed the command; this was run: ${changed}]`,
      };
    }
  }
};

/** Runs a command that was checked, and finds out what it changed unless that is surely nothing. */
export const runChecked = async <Result>(
  { bracket }: CommandGate,
  { readOnly }: Pick<CheckedCommand, "readOnly">,
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly changes?: CommandChanges }> =>
  bracket && !readOnly ? bracket(run) : { result: await run() };

/** For a tool whose arguments are `command` and `cwd`: a command that surely reads only needs no right to run commands. */
export const readingCommands = ({ policy, root }: CommandGate): Pick<ToolDeclaration, "lesser"> =>
  policy === undefined
    ? {}
    : {
        lesser: {
          effects: ["fs.read"],
          when: async ({ command, cwd }) =>
            typeof command === "string" &&
            (cwd === undefined || typeof cwd === "string") &&
            (await surelyReads(policy, command, await resolveDirectory(root, cwd))),
        },
      };
