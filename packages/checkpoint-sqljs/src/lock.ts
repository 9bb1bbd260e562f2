import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseLockedError, LockLostError } from "./errors.js";
import type { OnEvent } from "./events.js";
import type { FileSystem } from "./file-system.js";
import type { LockHolder, ProcessTable } from "./process-identity.js";

/** The right to write one database file, kept as `<file>.lock` until it is released. */
export interface HeldLock {
  readonly nonce: string;
  /**
   * It was taken from a process that cannot be seen from here, which may live after all and be in the middle of a write.
   * Whoever has this lock goes on in files that the other one does not write to.
   */
  readonly brokeUnseen: boolean;
  /**
   * Rejects with `LockLostError` when the lock file is not ours any more. Called right before each write and rename, and
   * again before a write is acknowledged.
   */
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
  let brokeUnseen = false;
  const blocker = await take(path, self, deps, async (stale) => {
    await sweepLeftovers(file, deps.fs);
    if (!stale) return;
    // A holder killed during a save leaves its half-written temporary file; only its nonce names it. One that lives after
    // all cannot rename it over ours any more; if it writes another now, it asks for its lock before the rename.
    await deps.fs.remove(temporaryPathOf(file, stale.nonce));
    if (deps.processes.judge(stale) !== "unknown") return;
    brokeUnseen = true;
    deps.onEvent?.({ type: "lock-broken", file, holder: stale });
  });
  if (blocker) throw new DatabaseLockedError(file, path, blocker.holder);
  heldLocks.add(path, { nonce, beat: () => deps.fs.touch(path, JSON.stringify(self)) });
  const isOurs = async (): Promise<boolean> => parse(await deps.fs.readText(path))?.nonce === nonce;
  return {
    nonce,
    brokeUnseen,
    async verify() {
      if (await isOurs()) return;
      heldLocks.delete(path);
      throw new LockLostError(file, path);
    },
    async release() {
      heldLocks.delete(path);
      await deps.fs.removeIf(path, (text) => parse(text)?.nonce === nonce);
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
      await fs.replaceText(path, text, `${path}.${self.nonce}.draft`);
      await onBroken(holder);
      return undefined;
    } finally {
      await fs.remove(claim);
    }
  }
  return blocker ?? { holder: undefined };
};

/**
 * A holder that can be seen is asked for. Of another one only the heartbeat tells: silence for long, and then for some
 * more while we watch, since a clock that was set forward makes every lock look old. One that is dated ahead, by a clock
 * that was set back since, says nothing by its age and is watched at once.
 */
const isStale = async (
  path: string,
  holder: LockHolder | undefined,
  { fs, processes, beats = BEATS }: LockDependencies,
): Promise<boolean> => {
  if (holder && processes.judge(holder) !== "unknown") return processes.judge(holder) === "dead";
  const before = await fs.lastWrite(path);
  if (!before) return false;
  if (!holder) return before.ageMs > UNREADABLE_STALE_MS;
  if (before.ageMs >= 0 && before.ageMs < beats.silentMs) return false;
  await new Promise((wake) => setTimeout(wake, beats.watchMs));
  return (await fs.lastWrite(path))?.atMs === before.atMs;
};

/** What a crash may leave beside a database: drafts, claims, probes and half-written snapshots. */
const LEFTOVER = /\.lock\..+$|\.[0-9a-f]{16}\.tmp(\.prev)?$/;
const LEFTOVER_MS = 60_000;

/** Removes what nobody can be using any more. */
export const sweepLeftovers = async (file: string, fs: FileSystem): Promise<void> => {
  const name = basename(file);
  for (const each of await fs.list(dirname(file))) {
    if (!each.startsWith(`${name}.`) || !LEFTOVER.test(each.slice(name.length))) continue;
    const path = join(dirname(file), each);
    if (((await fs.lastWrite(path))?.ageMs ?? 0) > LEFTOVER_MS) await fs.remove(path);
  }
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
