import path from "node:path";
import type { Approvals } from "@fiveseam/tool-pipeline";
import { ToolDeniedError } from "./errors.js";

interface JudgedSegment {
  readonly text: string;
  readonly verdict: string;
  readonly why: string;
}

/** Says what is to happen with a shell command; `@fiveseam/shell-policy` makes one. */
export interface CommandPolicy {
  judge(
    command: string,
    options?: { readonly cwd?: string },
  ): {
    readonly verdict: "deny" | "ask" | "allow";
    readonly segments: readonly JudgedSegment[];
  };
}

/** What stands between a command and the shell. */
export interface CommandGate {
  readonly policy?: CommandPolicy | undefined;
  /** Asks the user; without it, what the policy would ask about is run. */
  readonly approvals?: Pick<Approvals, "ask"> | undefined;
  /** Absolute path of the workspace. */
  readonly root: string;
}

/** A command that may run, and what is to be said of it in the result. */
export interface CheckedCommand {
  readonly command: string;
  readonly note?: string;
}

const denied = (segments: readonly JudgedSegment[]): ToolDeniedError => {
  const reasons = segments
    .filter(({ verdict }) => verdict === "deny")
    .map(({ text, why }) => `\`${text}\`: ${why}`);
  return new ToolDeniedError(
    `The command was not run, and will not be: ${reasons.join("; ") || "the policy denies it"}. Do it in another way, or ` +
      "say in your answer what the user would have to do.",
  );
};

const rejected = (reason: string | undefined): ToolDeniedError =>
  new ToolDeniedError(
    "The command was not run: the user rejected it." +
      (reason === undefined
        ? " Do not try it in another way; ask what is wanted, or go on without it."
        : ` The reason: ${reason}`),
  );

const shown = (root: string, cwd: string): string =>
  path.posix.join("/workspace", path.relative(root, cwd).split(path.sep).join("/"));

/**
 * Judges a command, and asks where the policy is in doubt.
 *
 * @throws {ToolDeniedError} when the policy denies it, or the user rejects it.
 */
export const checkCommand = async (
  { policy, approvals, root }: CommandGate,
  command: string,
  cwd: string,
): Promise<CheckedCommand> => {
  const judged = policy?.judge(command, { cwd });
  if (!judged || judged.verdict === "allow") return { command };
  if (judged.verdict === "deny") throw denied(judged.segments);
  if (!approvals) return { command };
  const where = shown(root, cwd);
  const answer = await approvals.ask({
    description: `Run \`${command}\` in ${where}.`,
    args: { command },
    details: {
      kind: "command",
      command,
      cwd: where,
      segments: judged.segments
        .filter(({ verdict }) => verdict === "ask")
        .map(({ text, verdict, why }) => ({ text, verdict, why })),
    },
    allowed: ["approve", "edit", "reject"],
    remember: {
      key: `command ${where} ${command}`,
      label: "this very command in this directory, in this run",
    },
  });
  switch (answer.type) {
    case "approve":
      return { command };
    case "reject":
      throw rejected(answer.reason);
    case "edit": {
      const { command: changed } = answer.args;
      if (typeof changed !== "string" || changed.trim() === "")
        throw rejected("The user changed the command and left none.");
      // The user may run what is in doubt, and nobody what is denied.
      const again = policy?.judge(changed, { cwd });
      if (again?.verdict === "deny") throw denied(again.segments);
      return { command: changed, note: `[The user changed the command; this was run: ${changed}]` };
    }
  }
};
