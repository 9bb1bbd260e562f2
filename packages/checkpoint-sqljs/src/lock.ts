import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { DatabaseLockedError, LockLostError } from "./errors.js";
import type { OnEvent } from "./events.js";
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
  readonly onEvent?: OnEvent;
  /** Tests do not wait so long. */
  readonly beats?: Beats;
}

interface Beats {
  /** Silent for so long, a holder that cannot be seen counts as gone … */
  readonly silentMs: number;
  /** … if it stays so while we watch. */
  readonly watchMs: number;
}

/** Ten beats may be lost, to a program that blocks its event loop or a slow disk, before a lock is broken. */
const BEATS = { everyMs: 2_000, silentMs: 20_000, watchMs: 5_000 };

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
  const self: LockHolder = { ...deps.processes.self, nonce };
  const blocker = await take(path, self, deps, async (stale) => {
    if (!stale) return;
    // A holder killed during a save leaves its half-written temporary file; only its nonce names it.
    await deps.fs.remove(temporaryPathOf(file, stale.nonce));
    if (deps.processes.judge(stale) === "unknown")
      deps.onEvent?.({ type: "lock-broken", file, holder: stale });
  });
  if (blocker) throw new DatabaseLockedError(file, path, blocker.holder);
  heldLocks.add(path, { nonce, beat: () => deps.fs.touch(path, JSON.stringify(self)) });
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
  onBroken: (stale: LockHolder | undefined) => Promise<void>,
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
      await onBroken(holder);
      await fs.replaceText(path, text, `${path}.${self.nonce}.draft`);
      return undefined;
    } finally {
      await fs.remove(claim);
    }
  }
  return blocker ?? { holder: undefined };
};

/**
 * A holder that can be seen is asked for. Of another one only the heartbeat tells: silence for long, and then for some
 * more while we watch, since a clock that was set forward makes every lock look old.
 */
const isStale = async (
  path: string,
  holder: LockHolder | undefined,
  { fs, processes, beats = BEATS }: LockDependencies,
): Promise<boolean> => {
  if (!holder) return ((await fs.ageMs(path)) ?? 0) > UNREADABLE_STALE_MS;
  const seen = processes.judge(holder);
  if (seen !== "unknown") return seen === "dead";
  const before = await fs.ageMs(path);
  if (before === undefined || before < beats.silentMs) return false;
  await new Promise((wake) => setTimeout(wake, beats.watchMs));
  const after = await fs.ageMs(path);
  return after !== undefined && after >= before;
};

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

interface Held {
  readonly nonce: string;
  /** Says that this process lives, to those who cannot see it. */
  beat(): Promise<void>;
}

/** Beats while locks are held, and releases, as far as a synchronous exit handler can, what is held at the end. */
const heldLocks = {
  paths: new Map<string, Held>(),
  timer: undefined as NodeJS.Timeout | undefined,
  add(path: string, held: Held): void {
    if (this.paths.size === 0) {
      process.on("exit", releaseAtExit);
      this.timer = setInterval(() => {
        // A beat that fails costs nothing yet: the nonce is verified before anything is written.
        for (const each of this.paths.values()) each.beat().catch(() => {});
      }, BEATS.everyMs).unref();
    }
    this.paths.set(path, held);
  },
  delete(path: string): void {
    if (!this.paths.delete(path) || this.paths.size > 0) return;
    process.off("exit", releaseAtExit);
    clearInterval(this.timer);
  },
};

const releaseAtExit = (): void => {
  for (const [path, { nonce }] of heldLocks.paths) {
    try {
      if (parse(readFileSync(path, "utf8"))?.nonce === nonce) rmSync(path, { force: true });
    } catch {
      // The next process finds a lock whose owner is dead and breaks it.
    }
  }
};
