import { createHash } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const userStateDirectory = (): string => {
  const { env } = process;
  if (process.platform === "win32") return env["LOCALAPPDATA"] ?? path.join(os.homedir(), "AppData", "Local");
  if (process.platform === "darwin") return path.join(os.homedir(), "Library", "Application Support");
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification says that a relative path is to be ignored.
  return xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".local", "state");
};

/** Where what belongs to the person and not to a workspace is kept. */
export const personalDirectory = (stateDir: string | undefined): string =>
  path.join(stateDir ?? path.join(userStateDirectory(), "fiveseam"), "user");

/** A short name for a workspace: readable, and different for two directories of one name. */
export const workspaceKey = async (workspace: string): Promise<string> => {
  const real = await realpath(workspace);
  const name =
    path
      .basename(real)
      .replaceAll(/[^A-Za-z0-9._-]/g, "_")
      .slice(0, 40) || "root";
  return `${name}-${createHash("sha256").update(real).digest("hex").slice(0, 12)}`;
};

/**
 * Where an agent keeps its state (checkpoints, large results) when no `stateDir` is given: the user's state directory,
 * keyed by the workspace's real path. Not inside the workspace, where it would be committed, searched and edited.
 *
 * @param workspace path of an existing directory.
 *
 * @example
 * ```ts
 * import { defaultStateDirectory } from "fiveseam";
 *
 * console.log(await defaultStateDirectory(".")); // for instance /home/ada/.local/state/fiveseam/shop-1b2c3d4e5f60
 * ```
 */
export const defaultStateDirectory = async (workspace: string): Promise<string> =>
  path.join(userStateDirectory(), "fiveseam", await workspaceKey(workspace));

/** Makes the directory, readable by its owner alone: conversations hold source code and whatever commands printed. */
export const ensureStateDirectory = async (directory: string): Promise<void> => {
  // The folders in it too: a directory that was there before keeps the mode it has.
  for (const name of ["", "threads", "large_tool_results", "conversation_history"]) {
    await mkdir(path.join(directory, name), { recursive: true, mode: 0o700 });
  }
};
