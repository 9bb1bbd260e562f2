import { randomBytes } from "node:crypto";
import { link, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HostError } from "./errors.js";
import { stateOf, thisProcess, type ProcessIdentity } from "./process-identity.js";
import { systemClock } from "./system-clock.js";

/** The right to replace one file, kept beside it until it is given back. It is held for one read and one write. */
export interface FileLock {
  readonly nonce: string;
  /** Rejects with "busy" when somebody has broken the lock. To be asked right before the file is replaced. */
  verify(): Promise<void>;
  release(): Promise<void>;
}

export interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for others. */
  readonly waitMs: number;
}

interface Holder extends ProcessIdentity {
  readonly nonce: string;
}

const POLL_MS = 5;
/**
 * A lock is held for milliseconds. One whose owner cannot be seen (another machine, another container) and that stays
 * the same for so long while we watch was left behind; one that names nobody was left in the middle of being written.
 * We count our own time and compare no clocks.
 */
const UNSEEN_STALE_MS = 15_000;
const UNREADABLE_STALE_MS = 1_000;

/** Takes `<file>.lock`, waiting for who holds it and breaking what a dead process left. */
export const acquireFileLock = async (
  file: string,
  { signal, waitMs }: FileLockOptions,
): Promise<FileLock> => {
  const path = `${file}.lock`;
  let self = ownText();
  const deadline = performance.now() + waitMs;
  let watched: { text: string; sinceMs: number } | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const text = await read(path);
    if (text === undefined) {
      if (await create(path, self)) break;
      continue;
    }
    if (watched?.text !== text) watched = { text, sinceMs: performance.now() };
    const taken = isStale(text, performance.now() - watched.sinceMs) ? await takeOver(path, text) : undefined;
    if (taken !== undefined) {
      self = taken;
      break;
    }
    if (performance.now() > deadline)
      throw new HostError("busy", `another process has held ${path} for ${Math.round(waitMs)} ms`);
    await systemClock.sleep(POLL_MS + Math.random() * POLL_MS, { signal });
  }
  const mine = async (): Promise<boolean> => (await read(path)) === self;
  return {
    nonce: parse(self)?.nonce ?? "",
    async verify() {
      if (!(await mine())) throw new HostError("busy", `${path} was taken over by another process`);
    },
    async release() {
      if (await mine()) await rm(path, { force: true });
    },
  };
};

const isStale = (text: string, watchedMs: number): boolean => {
  const holder = parse(text);
  if (!holder) return watchedMs > UNREADABLE_STALE_MS;
  const state = stateOf(holder);
  return state === "dead" || (state === "unknown" && watchedMs > UNSEEN_STALE_MS);
};

/**
 * Replaces a stale file by ours. Of several that found it stale only one may: the one that can create a claim named
 * after it, and that still finds it under the claim. The path is never free meanwhile, so that nobody else can come in
 * between. A claim that a dead process left is taken over in the same way.
 */
const takeOver = async (path: string, stale: string): Promise<string | undefined> => {
  const self = ownText();
  const claim = `${path}.${parse(stale)?.nonce ?? "unreadable"}`;
  if (!(await create(claim, self))) {
    const text = await read(claim);
    if (text === undefined || !(await isLeft(claim, text)) || (await takeOver(claim, text)) === undefined)
      return undefined;
  }
  try {
    if ((await read(path)) !== stale) return undefined;
    const draft = draftOf(path, self);
    await writeFile(draft, self, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
    return self;
  } finally {
    await rm(claim, { force: true });
  }
};

/** Whether nobody acts on a claim any more. */
const isLeft = async (claim: string, text: string): Promise<boolean> => {
  const owner = parse(text);
  if (owner) return stateOf(owner) === "dead";
  await systemClock.sleep(UNREADABLE_STALE_MS);
  return (await read(claim)) === text;
};

const ownText = (): string =>
  JSON.stringify({ ...thisProcess(), nonce: randomBytes(8).toString("hex") } satisfies Holder);
const draftOf = (path: string, self: string): string => `${path}.${parse(self)?.nonce}.draft`;

/** Creates a file that was not there. Whole from the first moment on, where there are hard links. */
const create = async (path: string, text: string): Promise<boolean> => {
  const draft = draftOf(path, text);
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    return await createWithoutLinks(path, text);
  } finally {
    await rm(draft, { force: true });
  }
};

const createWithoutLinks = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
};

const LEFTOVER_MS = 60_000;

/** Removes the drafts and claims that killed processes left beside a lock. */
export const sweepLock = async (file: string): Promise<void> => {
  const directory = dirname(file);
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith(`${basename(file)}.lock.`)) continue;
    const left = join(directory, entry);
    const written = await stat(left).catch(() => undefined);
    if (!written || Date.now() - written.mtimeMs < LEFTOVER_MS) continue;
    const owner = parse((await read(left)) ?? "");
    if (!owner || stateOf(owner) === "dead") await rm(left, { force: true });
  }
};

const read = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

const parse = (text: string): Holder | undefined => {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    // The nonce becomes a part of file names, so nothing but our own hex is taken.
    return Number.isInteger(value?.pid) &&
      typeof value?.host === "string" &&
      /^[0-9a-f]{16}$/.test(value.nonce ?? "")
      ? (value as Holder)
      : undefined;
  } catch {
    // Cut off in the middle of being written.
    return undefined;
  }
};
