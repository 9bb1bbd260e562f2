import { covers, currentCall, type ToolDeclaration } from "@fiveseam/tool-pipeline";
import { ToolDeniedError } from "./errors.js";
import { resolveDirectory } from "./working-directory.js";
import { checkReadsEverything } from "./workspace-paths.js";

/** Says what is to happen with a shell command; `@fiveseam/shell-policy` makes one. */
export interface CommandPolicy {
  judge(
    command: string,
    options?: { readonly cwd?: string },
  ): {
    readonly verdict: "deny" | "ask" | "allow";
    /** True when no part of it can change anything. Left out, it is taken to change something. */
    readonly readOnly?: boolean;
    readonly segments: readonly { readonly text: string; readonly verdict: string; readonly why: string }[];
  };
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
const surelyReads = (policy: CommandPolicy | undefined, command: string, cwd: string): boolean => {
  const judged = policy?.judge(command, { cwd });
  return judged?.readOnly === true && judged.verdict === "allow";
};

/**
 * @throws {ToolDeniedError} when the policy denies the command, or the caller may only read and it does more. What the policy
 *   would ask about is the approvals' matter.
 */
export const checkCommand = (policy: CommandPolicy | undefined, command: string, cwd: string): void => {
  if (onlyReads()) {
    checkReadsEverything("A command");
    if (surelyReads(policy, command, cwd)) return;
    throw new ToolDeniedError(
      "The command was not run: you may only run commands that surely change nothing here. Say in your answer what is to be run.",
    );
  }
  const judged = policy?.judge(command, { cwd });
  if (judged?.verdict !== "deny") return;
  const reasons = judged.segments
    .filter(({ verdict }) => verdict === "deny")
    .map(({ text, why }) => `\`${text}\`: ${why}`);
  throw new ToolDeniedError(
    `The command was not run, and will not be: ${reasons.join("; ") || "the policy denies it"}. Do it in another way, or ` +
      "say in your answer what the user would have to do.",
  );
};

/** For a tool whose arguments are `command` and `cwd`: a command that surely reads only needs no right to run commands. */
export const readingCommands = (
  policy: CommandPolicy | undefined,
  root: string,
): Pick<ToolDeclaration, "lesser"> =>
  policy === undefined
    ? {}
    : {
        lesser: {
          effects: ["fs.read"],
          when: async ({ command, cwd }) =>
            typeof command === "string" &&
            (cwd === undefined || typeof cwd === "string") &&
            surelyReads(policy, command, await resolveDirectory(root, cwd)),
        },
      };
