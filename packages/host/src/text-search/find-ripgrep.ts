import { execFile } from "node:child_process";
import { findProgram } from "../find-program.js";

/** Older ones lack flags that are used. */
const OLDEST_MAJOR = 13;

/** A ripgrep that works: the one on the path, or that of an installed `@vscode/ripgrep`. */
export const findRipgrep = async (root: string): Promise<string | undefined> => {
  for (const candidate of [findProgram("rg", root), await fromPackage()]) {
    if (candidate !== undefined && (await works(candidate))) return candidate;
  }
  return undefined;
};

const fromPackage = async (): Promise<string | undefined> => {
  // A bundler that could read the name would pull the package in, and with it its search for a file beside it.
  const name = ["@vscode", "ripgrep"].join("/");
  try {
    const loaded = (await import(/* @vite-ignore */ name)) as {
      rgPath?: unknown;
      default?: { rgPath?: unknown };
    };
    const rgPath = loaded.rgPath ?? loaded.default?.rgPath;
    // Electron shows packed files as if they were there, but can't run them.
    return typeof rgPath === "string" ? rgPath.replace(/\bnode_modules\.asar\b/, "$&.unpacked") : undefined;
  } catch {
    // It is optional: whatever keeps it from loading, the engine in JavaScript gives the same answers.
    return undefined;
  }
};

const works = (file: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(file, ["--version"], { timeout: 5_000, windowsHide: true }, (error, stdout) => {
      const major = /^ripgrep (\d+)\./.exec(stdout)?.[1];
      resolve(!error && major !== undefined && Number(major) >= OLDEST_MAJOR);
    });
  });
