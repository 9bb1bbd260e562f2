import { accessSync, constants, realpathSync, statSync } from "node:fs";
import path from "node:path";

const real = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us.
    return false;
  }
};

/**
 * Where a program lies on the path of this process; looked up here and not by a shell. An empty or relative entry of the path
 * means the working directory, where a repository may have put anything: it is not trusted, and neither is a program of the
 * workspace's own.
 */
export const findProgram = (name: string, workspace: string): string | undefined => {
  const root = real(workspace) + path.sep;
  const endings = process.platform === "win32" ? (process.env["PATHEXT"] ?? ".EXE").split(";") : [""];
  for (const directory of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(directory)) continue;
    for (const ending of endings) {
      const file = path.join(directory, name + ending);
      if (isExecutable(file) && !file.startsWith(root) && !real(file).startsWith(root)) return file;
    }
  }
  return undefined;
};
