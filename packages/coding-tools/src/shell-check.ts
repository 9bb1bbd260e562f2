import { ToolDeniedError } from "./errors.js";

/** Says what is to happen with a shell command; `@fiveseam/shell-policy` makes one. */
export interface CommandPolicy {
  judge(
    command: string,
    options?: { readonly cwd?: string },
  ): {
    readonly verdict: "deny" | "ask" | "allow";
    readonly segments: readonly { readonly text: string; readonly verdict: string; readonly why: string }[];
  };
}

/** @throws {ToolDeniedError} when the policy denies the command. What it would ask about is the approvals' matter. */
export const checkCommand = (policy: CommandPolicy | undefined, command: string, cwd: string): void => {
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
