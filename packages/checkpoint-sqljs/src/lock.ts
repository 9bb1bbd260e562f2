import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { DatabaseLockedError, LockLostError } from "./errors.js";
import type { FileSystem } from "./file-system.js";
import type { LockHolder, ProcessTable } from "./process-identity.js";

/** The right to write one database file, kept as `<file>.lock` until it is released. */
export interface HeldLock {
  readonly nonce: string;
  /** Rejects with `LockLostError` when the lock file is not ours any more. Called right before each rename. */
  verify(): Promise<void>;
  /** Removes the lock file if it is still ours. */
  release(): Promise<void>;
}

export interface LockDependencies {
  readonly fs: FileSystem;
  readonly processes: ProcessTable;
}

/** A lock file without readable content is left by a crash on a disk without hard links; it is written in well under this. */
const UNREADABLE_STALE_MS = 5_000;
const CLAIM_WAIT_MS = 5;
const CLAIM_TRIES = 100;

export const lockPathOf = (file: string): string => `${file}.lock`;
export const temporaryPathOf = (file: string, nonce: string): string => `${file}.${nonce}.tmp`;
export const newNonce = (): string => randomBytes(8).toString("hex");

/** Takes the lock of `file`, breaking a stale one, or rejects with `DatabaseLockedError`. */
export const acquireLock = async (file: string, deps: LockDependencies): Promise<HeldLock> => {
  const path = lockPathOf(file);
  const nonce = newNonce();
  const blocker = await take(path, { ...deps.processes.self, nonce }, deps, async (stale) => {
    // A holder killed during a save leaves its half-written temporary file; only its nonce names it.
    if (stale !== undefined) await deps.fs.remove(temporaryPathOf(file, stale));
  });
  if (blocker) throw new DatabaseLockedError(file, path, blocker.holder);
  heldLocks.add(path, nonce);
  const isOurs = async (): Promise<boolean> => parse(await deps.fs.readText(path))?.nonce === nonce;
  return {
    nonce,
    async verify() {
      if (await isOurs()) return;
      heldLocks.delete(path);
      throw new LockLostError(file, path);
    },
    async release() {
      heldLocks.delete(path);
      if (await isOurs()) await deps.fs.remove(path);
    },
  };
};

/**
 * Creates the lock file at `path`, or replaces a stale one. Returns who is in the way, if someone is.
 *
 * Two breakers must not both win, so whoever breaks first takes a claim named after the nonce of the stale lock: one
 * file, created exclusively. Under the claim the lock is read again; only if it is still the stale one is it replaced,
 * by a rename, so that the path is never free for a third process. A claim whose owner died is itself broken the same
 * way.
 */
const take = async (
  path: string,
  self: LockHolder,
  deps: LockDependencies,
  onBroken: (staleNonce: string | undefined) => Promise<void>,
): Promise<{ holder: LockHolder | undefined } | undefined> => {
  const { fs } = deps;
  const text = JSON.stringify(self);
  let blocker: { holder: LockHolder | undefined } | undefined;
  for (let attempt = 0; attempt < CLAIM_TRIES; attempt += 1) {
    if (await fs.createExclusive(path, text)) return undefined;
    const found = await fs.readText(path);
    if (found === undefined) continue;
    const holder = parse(found);
    if (!(await isStale(path, holder, deps))) return { holder };

    const claim = `${path}.${holder?.nonce ?? "unreadable"}`;
    blocker = await take(claim, { ...self, nonce: newNonce() }, deps, async () => {});
    if (blocker) {
      await new Promise((wake) => setTimeout(wake, CLAIM_WAIT_MS));
      continue;
    }
    try {
      if ((await fs.readText(path)) !== found) continue;
      await onBroken(holder?.nonce);
      await fs.replaceText(path, text, `${path}.${self.nonce}.draft`);
      return undefined;
    } finally {
      await fs.remove(claim);
    }
  }
  return blocker ?? { holder: undefined };
};

const isStale = async (
  path: string,
  holder: LockHolder | undefined,
  deps: LockDependencies,
): Promise<boolean> =>
  holder ? !deps.processes.isAlive(holder) : ((await deps.fs.ageMs(path)) ?? 0) > UNREADABLE_STALE_MS;

const parse = (text: string | undefined): LockHolder | undefined => {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<LockHolder> | null;
    // The nonce becomes part of file names, so nothing but our own hex is accepted.
    return value &&
      Number.isInteger(value.pid) &&
      typeof value.host === "string" &&
      /^[0-9a-f]{16}$/.test(value.nonce ?? "")
      ? (value as LockHolder)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Releases, as far as a synchronous exit handler can, what is still held when the process ends. */
const heldLocks = {
  paths: new Map<string, string>(),
  add(path: string, nonce: string): void {
    if (this.paths.size === 0) process.on("exit", releaseAtExit);
    this.paths.set(path, nonce);
  },
  delete(path: string): void {
    if (this.paths.delete(path) && this.paths.size === 0) process.off("exit", releaseAtExit);
  },
};

const releaseAtExit = (): void => {
  for (const [path, nonce] of heldLocks.paths) {
    try {
      if (parse(readFileSync(path, "utf8"))?.nonce === nonce) rmSync(path, { force: true });
    } catch {
      // The next process finds a lock whose owner is dead and breaks it.
    }
  }
};
