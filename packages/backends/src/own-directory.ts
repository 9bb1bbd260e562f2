import path from "node:path";
import { BackendError } from "./errors.js";
import type { GuardedBackend } from "./workspace/change-guard.js";

/**
 * The directory where a decorator keeps what is its own.
 *
 * @throws {BackendError} `invalid_option` for none, and for one where the agent could read and change what is kept.
 */
export const ownDirectory = (backend: GuardedBackend, directory: string): string => {
  if (typeof directory !== "string" || directory === "")
    throw new BackendError("invalid_option", "`directory` is empty; give the path of a directory.");
  if (backend.contains?.(directory))
    throw new BackendError(
      "invalid_option",
      `\`directory\` lies inside the workspace: "${directory}". Give one outside, or name it in \`hiddenPaths\` of the WorkspaceBackend.`,
    );
  return path.resolve(directory);
};
