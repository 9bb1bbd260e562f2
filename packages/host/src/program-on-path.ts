import { accessSync, constants, realpathSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Where a program lies on the path of this process, or nothing. A relative entry means the working directory, and an
 * entry below the workspace is the workspace's own: a repository could bring a program of that name.
 */
export const programOnPath = (name: string, workspace: string): string | undefined => {
  const root = realOf(workspace) ?? path.resolve(workspace);
  const endings = process.platform === "win32" ? (process.env["PATHEXT"] ?? ".EXE").split(";") : [""];
  for (const directory of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(directory)) continue;
    for (const ending of endings) {
      const file = path.join(directory, name + ending);
      const real = realOf(file);
      if (real === undefined || real.startsWith(root + path.sep) || !isExecutable(real)) continue;
      return file;
    }
  }
  return undefined;
};

const realOf = (file: string): string | undefined => {
  try {
    return realpathSync(file);
  } catch {
    // Not there, or not for us.
    return undefined;
  }
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // It may not be run.
    return false;
  }
};
