import { readdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { ContextFiles } from "@fiveseam/context";

/**
 * Where a person keeps what their agents should know in every project: `AGENTS.md` and `skills/`. Configuration, not
 * state, so beside their other configuration unless a state directory was named.
 */
export const userConfigDirectory = (stateDir: string | undefined): string => {
  if (stateDir !== undefined) return path.join(path.resolve(stateDir), "user");
  const { env } = process;
  if (process.platform === "win32") return path.join(env["APPDATA"] ?? os.homedir(), "fiveseam");
  const xdg = env["XDG_CONFIG_HOME"];
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".config"), "fiveseam");
};

const unlessAbsent = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
};

/** The person's own files, which the agent does not see as files. */
export const userFiles = (): ContextFiles => ({
  read: (file) => unlessAbsent(readFile(file, "utf8")),
  async list(directory) {
    const entries = await unlessAbsent(readdir(directory, { withFileTypes: true }));
    return (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  },
});
