import { covers, currentCall } from "@fiveseam/tool-pipeline";
import { ToolDeniedError } from "../errors.js";
import { isChangeable, type ChangeableFiles } from "../tool-files.js";
import { changesEverything } from "../workspace-paths.js";

/**
 * The files as whoever makes the call that we are in may use them. A tool is shared by agents of different rights; a backend
 * that can narrow itself looks at the file that a path really leads to, so that no symbolic link gets past a rule.
 *
 * @throws {ToolDeniedError} when the caller may change nothing.
 */
export const callersFiles = (files: ChangeableFiles): ChangeableFiles => {
  const call = currentCall();
  if (!call || changesEverything() || !files.restrict) return files;
  const narrowed = files.restrict({
    who: call.role ?? call.agent ?? "this agent",
    mayRead: (path) => covers(call.rights, { read: path }),
    mayWrite: (path) => covers(call.rights, { write: path }),
  });
  if (!isChangeable(narrowed)) throw new ToolDeniedError("You may not change files here.");
  return narrowed;
};
