import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { HostError } from "./errors.js";
import { acquireFileLock, sweepLock, type FileLock } from "./file-lock.js";
import { openFile } from "./open-file.js";
import type { StoreWarning } from "./store-warning.js";

/** What every store on disk takes. */
export interface FileStoreOptions {
  /** Hears of a corrupt file when it is found, besides the warning in that call's result. */
  readonly onWarning?: (warning: StoreWarning) => void;
  /** How long a change waits for other processes before it is refused with "busy"; default 20,000. */
  readonly lockWaitMs?: number;
  readonly now?: () => number;
}

export interface JsonFileOptions<T> extends FileStoreOptions {
  readonly file: string;
  readonly empty: T;
  /** What is wrong with what was read, or nothing. */
  readonly faultOf: (value: unknown) => string | undefined;
  /** Written at the top; a higher one in the file is refused, for a newer release knows better. */
  readonly version: number;
  readonly maxBytes: number;
}

export interface JsonFile<T> {
  read(signal: AbortSignal | undefined): Promise<{ value: T; warnings: StoreWarning[] }>;
  /** What `change` throws leaves the file as it is. */
  update<R>(
    change: (value: T) => { value: T; result: R },
    signal: AbortSignal | undefined,
  ): Promise<{ result: R; warnings: StoreWarning[] }>;
}

// The changes of one process wait in line here, and only the first of them for the lock.
const lines = new Map<string, Promise<unknown>>();
const inLine = <T>(file: string, work: () => Promise<T>): Promise<T> => {
  const before = lines.get(file) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => {},
    () => {},
  );
  lines.set(file, settled);
  void settled.then(() => lines.get(file) === settled && lines.delete(file));
  return mine;
};

/**
 * A value in a file that survives the end of the process at any moment: the old or the new text is there, whole. A
 * change reads, changes and replaces under a lock, so that none is lost between processes.
 */
export const createJsonFile = <T extends object>(options: JsonFileOptions<T>): JsonFile<T> => {
  const { empty, faultOf, version, maxBytes, onWarning, lockWaitMs = 20_000, now = Date.now } = options;
  const file = path.resolve(options.file);

  type Found = { value: T } | { fault: string };
  const load = async (): Promise<Found> => {
    const text = await readText(file, maxBytes);
    if (text === undefined) return { value: empty };
    if (typeof text !== "string") return text;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return { fault: `it is no JSON (${(error as Error).name})` };
    }
    const written = (value as { version?: unknown } | null)?.version;
    if (typeof written === "number" && written > version)
      throw new HostError(
        "unavailable",
        `${file} was written by a newer release (version ${written}, known is ${version})`,
      );
    const fault = faultOf(value);
    return fault === undefined ? { value: value as T } : { fault };
  };

  /** Under the lock: what cannot be read is moved out of the way, byte for byte. */
  const loadOrSetAside = async (): Promise<{ value: T; warnings: StoreWarning[] }> => {
    const found = await load();
    if ("value" in found) return { value: found.value, warnings: [] };
    const stamp = new Date(now()).toISOString().replaceAll(":", "-");
    let setAsideAs = `${file}.corrupt-${stamp}`;
    for (let count = 2; await exists(setAsideAs); count += 1)
      setAsideAs = `${file}.corrupt-${stamp}-${count}`;
    await rename(file, setAsideAs);
    await syncDirectory(path.dirname(file));
    const warning: StoreWarning = { kind: "corrupt", file, setAsideAs, reason: found.fault };
    onWarning?.(warning);
    return { value: empty, warnings: [warning] };
  };

  const locked = <R>(signal: AbortSignal | undefined, work: (lock: FileLock) => Promise<R>): Promise<R> =>
    inLine(file, async () => {
      signal?.throwIfAborted();
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const lock = await acquireFileLock(file, { signal, waitMs: lockWaitMs });
      try {
        return await work(lock);
      } finally {
        await lock.release();
      }
    });

  const failing = async <R>(work: () => Promise<R>, signal: AbortSignal | undefined): Promise<R> => {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof HostError || typeof code !== "string") throw error;
      throw new HostError("failed", `${file} could not be used (${code})`, { cause: error });
    }
  };

  return {
    read: (signal) =>
      failing(async () => {
        signal?.throwIfAborted();
        const found = await load();
        if ("value" in found) return { value: found.value, warnings: [] };
        // Read again: what looked corrupt may be replaced by now.
        return locked(signal, loadOrSetAside);
      }, signal),

    update: (change, signal) =>
      failing(
        () =>
          locked(signal, async (lock) => {
            await sweep(file);
            const { value: before, warnings } = await loadOrSetAside();
            const { value, result } = change(before);
            if (value === before) return { result, warnings };
            const text = `${JSON.stringify({ version, ...value }, undefined, 2)}\n`;
            if (Buffer.byteLength(text) > maxBytes)
              throw new HostError(
                "too_large",
                `${path.basename(file)} would be larger than ${maxBytes} bytes`,
              );
            await replace(file, text, lock);
            return { result, warnings };
          }),
        signal,
      ),
  };
};

/** Written beside the file, on the disk before it takes the file's name, and its name on the disk before we say so. */
const replace = async (file: string, text: string, lock: FileLock): Promise<void> => {
  const temporary = `${file}.${lock.nonce}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await lock.verify();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
};

const syncDirectory = async (directory: string): Promise<void> => {
  // Windows opens no directories; its file systems keep renames in their own journal.
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const readText = async (file: string, maxBytes: number): Promise<string | { fault: string } | undefined> => {
  let handle;
  try {
    handle = await openFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    if ((await handle.stat()).size > maxBytes) return { fault: `it is larger than ${maxBytes} bytes` };
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};

const exists = async (file: string): Promise<boolean> =>
  (await stat(file).catch(() => undefined)) !== undefined;

/** Removes the temporary files of processes that were killed: they are written under the lock alone. */
const sweep = async (file: string): Promise<void> => {
  const directory = path.dirname(file);
  const name = path.basename(file);
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`${name}.`) && /^\.[0-9a-f]{16}\.tmp$/.test(entry.slice(name.length)))
      await rm(path.join(directory, entry), { force: true });
  }
  await sweepLock(file);
};
