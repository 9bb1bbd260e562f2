import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";

/**
 * A program on PATH, looked up here and not by a shell. A relative entry of PATH, and a program of the workspace's own,
 * are not trusted.
 */
export const findProgram = async (name: string, workspace: string): Promise<string | undefined> => {
  const root = await realpath(workspace).catch(() => workspace);
  for (const directory of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(directory)) continue;
    try {
      const file = path.join(directory, process.platform === "win32" ? `${name}.exe` : name);
      const real = await realpath(file);
      if (real.startsWith(root + path.sep) || file.startsWith(root + path.sep)) continue;
      await access(real, constants.X_OK);
      if ((await stat(real)).isFile()) return real;
    } catch (error) {
      // Not here, or not to be run: the next one.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }
  return undefined;
};
