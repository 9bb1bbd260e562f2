import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SqlJsStatic } from "sql.js";
import { DirectoryStorage } from "./directory-storage.js";
import {
  InvalidOptionError,
  ReadFailedError,
  SaveFailedError,
  SqlJsSaverError,
  WasmLoadError,
} from "./errors.js";
import type { FileDependencies } from "./file-dependencies.js";
import { FileStorage } from "./file-storage.js";
import { nodeFileSystem } from "./file-system.js";
import { removeSiblings, replaceFile } from "./folding.js";
import type { Model } from "./loading.js";
import { acquireLock, sweepLeftovers } from "./lock.js";
import { systemProcesses } from "./process-identity.js";
import { isLeased, leaseFile, type FileLease } from "./registry.js";
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
    ? reading(where.file, () => FileStorage.open(where.file, dependencies(sql, settings)))
    : reading(where.directory, () => DirectoryStorage.open(where.directory, dependencies(sql, settings)));

/** What the system says of a path, as an error of this package. */
const reading = async <T>(path: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    throw error instanceof SqlJsSaverError ? error : new ReadFailedError(path, error);
  }
};

/** Reads the file, if there is one, so that damage is reported here. */
export const openModel = async <S>(
  file: string,
  model: Model<S>,
  sql: SqlJsStatic,
  settings: FileSettings,
): Promise<FileLease<S>> => {
  const path = await reading(file, () => nodeFileSystem.canonical(file));
  const lease = leaseFile(path, model, dependencies(sql, settings));
  try {
    await lease.file.read(() => undefined);
  } catch (error) {
    await lease.release();
    throw error;
  }
  return lease;
};

/**
 * Puts a finished database at this path, alone: what lay beside an older one there would not belong to it.
 *
 * @throws InvalidOptionError when it is open in this process, DatabaseLockedError when in another.
 */
export const writeExport = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await reading(path, () => nodeFileSystem.canonical(path));
  if (isLeased(file, nodeFileSystem))
    throw new InvalidOptionError("path", "the path of a file that is not open here", path);
  await nodeFileSystem.ensureDirectory(dirname(file)).catch((cause: unknown) => {
    throw new SaveFailedError(file, cause);
  });
  const lock = await acquireLock(file, { fs: nodeFileSystem, processes: systemProcesses() });
  try {
    await sweepLeftovers(file, nodeFileSystem);
    await replaceFile(file, bytes, nodeFileSystem);
    await removeSiblings(file, nodeFileSystem);
  } finally {
    await lock.release();
  }
};

const WASM = "sql-wasm.wasm";

export const readWasm = async (locateFile: ((name: string) => string) | undefined): Promise<Uint8Array> => {
  if (locateFile) return readFile(locateFile(WASM));
  // Evaluated here and not at load time: a CJS bundle has no `import.meta.url`, an ES module no `__filename`.
  // `node -e` has a `__filename` that is no path, also around ES modules.
  const here =
    typeof __filename === "string" && isAbsolute(__filename) ? __filename : fileURLToPath(import.meta.url);
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
