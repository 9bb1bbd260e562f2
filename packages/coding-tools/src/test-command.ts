import { readFile } from "node:fs/promises";
import path from "node:path";

/** npm's placeholder in a fresh package.json, which is not a test. */
const PLACEHOLDER = /no test specified/;

/**
 * The command that runs a project's tests: the `test` script of its package.json, by the package manager whose lock
 * file is there. Undefined when the project has none.
 */
export const detectTestCommand = async (root: string): Promise<string | undefined> => {
  const read = (name: string): Promise<string | undefined> =>
    readFile(path.join(root, name), "utf8").catch(() => undefined);
  const manifest = await read("package.json");
  if (manifest === undefined) return undefined;
  let script: unknown;
  try {
    script = (JSON.parse(manifest) as { scripts?: { test?: unknown } }).scripts?.test;
  } catch {
    // npm would say what is wrong with the file better than we can.
    return "npm test";
  }
  if (typeof script !== "string" || script.trim() === "" || PLACEHOLDER.test(script)) return undefined;
  if ((await read("pnpm-lock.yaml")) !== undefined) return "pnpm test";
  if ((await read("yarn.lock")) !== undefined) return "yarn test";
  return "npm test";
};
