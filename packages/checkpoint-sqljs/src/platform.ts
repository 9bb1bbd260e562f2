import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SqlJsStatic } from "sql.js";
import { DirectoryStorage } from "./directory-storage.js";
import { WasmLoadError } from "./errors.js";
import type { FileDependencies } from "./file-dependencies.js";
import { FileStorage } from "./file-storage.js";
import { nodeFileSystem } from "./file-system.js";
import { replaceFile } from "./folding.js";
import type { Model } from "./loading.js";
import { systemProcesses } from "./process-identity.js";
import { leaseFile, type FileLease } from "./registry.js";
import type { Storage } from "./storage.js";

// All that needs files or processes. In the browser build platform.browser.ts takes its place.

export type FileSettings = Omit<FileDependencies, "sql" | "fs" | "processes">;

const dependencies = (sql: SqlJsStatic, settings: FileSettings): FileDependencies => ({
  ...settings,
  sql,
  fs: nodeFileSystem,
  processes: systemProcesses(),
});

export const openStorage = (
  where: { readonly directory: string } | { readonly file: string },
  sql: SqlJsStatic,
  settings: FileSettings,
): Promise<Storage> =>
  "file" in where
    ? FileStorage.open(where.file, dependencies(sql, settings))
    : DirectoryStorage.open(where.directory, dependencies(sql, settings));

/** Reads the file, if there is one, so that damage is reported here. */
export const openModel = async <S>(
  file: string,
  model: Model<S>,
  sql: SqlJsStatic,
  settings: FileSettings,
): Promise<FileLease<S>> => {
  const lease = leaseFile(await nodeFileSystem.canonical(file), model, dependencies(sql, settings));
  try {
    await lease.file.read(() => undefined);
  } catch (error) {
    await lease.release();
    throw error;
  }
  return lease;
};

export const writeFileAtOnce = (path: string, bytes: Uint8Array): Promise<void> =>
  replaceFile(path, bytes, nodeFileSystem);

const WASM = "sql-wasm.wasm";

export const readWasm = async (locateFile: ((name: string) => string) | undefined): Promise<Uint8Array> => {
  if (locateFile) return readFile(locateFile(WASM));
  // Evaluated here and not at load time: a CJS bundle has no `import.meta.url`, an ES module no `__filename`.
  const here = typeof __filename === "string" ? __filename : fileURLToPath(import.meta.url);
  let path: string;
  try {
    path = createRequire(here).resolve(`sql.js/dist/${WASM}`);
  } catch {
    path = join(dirname(here), WASM);
  }
  try {
    return await readFile(path);
  } catch (cause) {
    throw new WasmLoadError(`it is neither in an installed sql.js package nor at ${path}`, { cause });
  }
};
