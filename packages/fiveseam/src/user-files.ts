import { readdir, readFile, realpath, stat } from "node:fs/promises";
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

const MAX_BYTES = 1024 * 1024;

/** @throws {Error} on what is no file, which could be read for ever, and on what is too large for a prompt. */
const readText = async (file: string): Promise<string> => {
  const facts = await stat(file);
  if (!facts.isFile()) throw new Error(`${file} is no regular file`);
  if (facts.size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
  return readFile(file, "utf8");
};

/** @throws {Error} when a link leads out of the folder, of those in the directory, that the file is in. */
const staysInFolder = async (file: string, directory: string): Promise<void> => {
  const [name = ""] = path.relative(directory, file).split(path.sep);
  const [folder, real] = await Promise.all([realpath(path.join(directory, name)), realpath(file)]);
  if (real !== folder && !real.startsWith(`${folder}${path.sep}`))
    throw new Error(`${file} leads out of its folder`);
};

/**
 * The person's own files, which the agent does not see as files. With a directory each folder in it is a world of its own:
 * a skill from elsewhere must not reach the person's other files by a link.
 */
export const userFiles = (foldersOf?: string): ContextFiles => ({
  read: (file) =>
    unlessAbsent(
      (async () => {
        if (foldersOf !== undefined) await staysInFolder(file, foldersOf);
        return readText(file);
      })(),
    ),
  async list(directory) {
    const entries = await unlessAbsent(readdir(directory, { withFileTypes: true }));
    return (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  },
});
