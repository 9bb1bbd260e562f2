import { randomBytes } from "node:crypto";
import { link, lstat, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HostError } from "./errors.js";
import { openFile } from "./open-file.js";
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

/** What is found in the place of a lock or a claim. */
interface Found {
  readonly text: string;
  /** Tells it apart from a later one: a nonce is never used twice, and what has none is known by its file. */
  readonly identity: string;
}

/**
 * Since when this process has seen a lock as it is. Kept between calls: a caller's wait may be shorter than it takes to
 * be sure, and a second try must not begin from nothing.
 */
const firstSeenMs = new Map<string, { identity: string; sinceMs: number }>();

/** Takes `<file>.lock`, waiting for who holds it and breaking what a dead process left. */
export const acquireFileLock = async (
  file: string,
  { signal, waitMs }: FileLockOptions,
): Promise<FileLock> => {
  const path = `${file}.lock`;
  const deadline = performance.now() + waitMs;
  let self: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    self = await tryToTake(path);
    if (self !== undefined) break;
    if (performance.now() > deadline)
      throw new HostError("busy", `another process has held ${path} for ${Math.round(waitMs)} ms`);
    await systemClock.sleep(POLL_MS + Math.random() * POLL_MS, { signal });
  }
  firstSeenMs.delete(path);
  const mine = async (): Promise<boolean> => (await find(path))?.text === self;
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

/** Our text, when the lock is ours now. */
const tryToTake = async (path: string): Promise<string | undefined> => {
  const found = await find(path);
  if (found) return isStale(path, found) ? takeOver(path, found) : undefined;
  const self = ownText();
  return (await create(path, self)) ? self : undefined;
};

const isStale = (path: string, { text, identity }: Found): boolean => {
  const nowMs = performance.now();
  const seen = firstSeenMs.get(path);
  const sinceMs = seen?.identity === identity ? seen.sinceMs : nowMs;
  firstSeenMs.set(path, { identity, sinceMs });
  const holder = parse(text);
  if (!holder) return nowMs - sinceMs > UNREADABLE_STALE_MS;
  const state = stateOf(holder);
  return state === "dead" || (state === "unknown" && nowMs - sinceMs > UNSEEN_STALE_MS);
};

/**
 * Replaces a stale file by ours. Of several that found it stale only one may: the one that can create a claim named
 * after it, and that still finds it under the claim. The path is never free meanwhile, so that nobody else can come in
 * between. A claim that a dead process left is taken over in the same way.
 */
const takeOver = async (path: string, stale: Found): Promise<string | undefined> => {
  const self = ownText();
  const claim = `${path}.${parse(stale.text)?.nonce ?? "unreadable"}`;
  if (!(await create(claim, self))) {
    const other = await find(claim);
    // Who acts on a claim is waited for; the next try looks again.
    if (!other || !isStale(claim, other) || (await takeOver(claim, other)) === undefined) return undefined;
  }
  try {
    if ((await find(path))?.identity !== stale.identity) return undefined;
    const draft = draftOf(path, self);
    await writeFile(draft, self, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
    return self;
  } finally {
    firstSeenMs.delete(claim);
    await rm(claim, { force: true });
  }
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
    const owner = parse((await find(left))?.text ?? "");
    if (!owner || stateOf(owner) === "dead") await rm(left, { force: true });
  }
};

const MAX_LOCK_BYTES = 4_096;

const find = async (path: string): Promise<Found | undefined> => {
  const entry = await lstat(path).catch(absent);
  if (!entry) return undefined;
  const handle = await openFile(path).catch(absent);
  // A link that leads nowhere names nobody, but is there.
  let text = "";
  if (handle) {
    try {
      const { size } = await handle.stat();
      text = size > MAX_LOCK_BYTES ? "" : await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  }
  return { text, identity: parse(text)?.nonce ?? `${entry.ino}/${entry.mtimeMs}/${text}` };
};

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
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
