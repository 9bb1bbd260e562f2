import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Where a program lies on the path of this process, or nothing. */
export const findProgram = (name: string): string | undefined => {
  const endings = process.platform === "win32" ? (process.env["PATHEXT"] ?? ".EXE").split(";") : [""];
  for (const directory of (process.env["PATH"] ?? "").split(path.delimiter)) {
    // An entry that is empty or relative means the working directory, where a repository may have put anything.
    if (!path.isAbsolute(directory)) continue;
    for (const ending of endings) {
      const file = path.join(directory, name + ending);
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
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
