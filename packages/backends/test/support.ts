import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A fresh directory, removed when the test ends. */
export const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(path.join(os.tmpdir(), "fiveseam-files-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
};

/** A directory with files in a directory of its own, so that there is an outside. */
export const rootWith = async (files: Record<string, string | Uint8Array> = {}): Promise<string> => {
  const root = path.join(await temporary(), "root");
  await mkdir(root);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return root;
};

/** Every regular file below a directory, byte by byte. */
export const snapshot = async (root: string): Promise<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    found[path.relative(root, file)] = (await readFile(file)).toString("latin1");
  }
  return found;
};
