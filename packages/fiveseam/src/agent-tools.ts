import { readFile, realpath, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createCodingTools, type CodingToolsOptions, type CommandPolicy } from "@fiveseam/coding-tools";
import { createShellPolicy } from "@fiveseam/shell-policy";
import type { StructuredTool } from "@langchain/core/tools";
import { errorFacts } from "./error-facts.js";
import { ConfigError } from "./errors.js";
import type { CodingAgentOptions } from "./options.js";

/** Where a workspace may narrow what commands may do. */
const POLICY_FILE = ".fiveseam/shell-policy.json";
const MAX_POLICY_BYTES = 256 * 1024;

/** The workspace's own say on commands; what cannot be read says nothing that could be followed. */
const workspacePolicy = async (workspace: string): Promise<string | undefined> => {
  const file = path.join(workspace, POLICY_FILE);
  try {
    return (await stat(file)).size > MAX_POLICY_BYTES ? "" : await readFile(file, "utf8");
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "") ? undefined : "";
  }
};

const makePolicy = async (workspace: string, warn: (message: string) => void): Promise<CommandPolicy> => {
  try {
    const config = await workspacePolicy(workspace);
    const policy = await createShellPolicy({
      workspace: await realpath(workspace),
      home: os.homedir(),
      ...(config === undefined ? {} : { workspaceConfig: config }),
    });
    if (policy.problem !== undefined)
      warn(
        `${POLICY_FILE} cannot be followed (${policy.problem}): commands that do more than read are asked about.`,
      );
    return policy;
  } catch (cause) {
    throw new ConfigError(
      "shellPolicy",
      `The shell policy could not be made: ${errorFacts(cause).message} Pass one that was made with \`wasm\`, or false.`,
      { cause },
    );
  }
};

/**
 * The standard policy, made when the first command is to be judged: its grammar takes longer to load than all the rest of an
 * agent. Where it cannot be made nothing is run, and the next command tries again.
 */
const standardPolicy = (workspace: string, warn: (message: string) => void): CommandPolicy => {
  let making: Promise<CommandPolicy> | undefined;
  return {
    async judge(command, options) {
      making ??= makePolicy(workspace, warn).catch((error: unknown) => {
        making = undefined;
        throw error;
      });
      return (await making).judge(command, options);
    },
  };
};

/** The coding tools that the host can serve, behind the shell policy. */
export const codingToolsOf = (
  { codingTools: choice, shellPolicy }: CodingAgentOptions,
  parts: Omit<CodingToolsOptions, "shellPolicy">,
  warn: (message: string) => void,
): StructuredTool[] => {
  if (choice === false) return [];
  const policy = shellPolicy === undefined ? standardPolicy(parts.root, warn) : shellPolicy || undefined;
  try {
    return createCodingTools({ ...parts, ...(policy ? { shellPolicy: policy } : {}), ...choice });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ConfigError("codingTools", cause.message, { cause });
  }
};
