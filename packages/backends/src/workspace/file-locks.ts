import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import path from "node:path";
import { FileError } from "./file-error.js";

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, "" where that is not known. */
  readonly started: string;
  /** On Linux the pid namespace, for instance of a container: a pid says nothing outside it. */
  readonly pidNamespace?: string;
  /** A temporary file that is to go when the holder is gone. */
  readonly temporary?: string;
  /** The record of a change set that is to be brought to its end when the holder is gone. */
  readonly commit?: string;
}

const WAIT_MS = 10_000;
const POLL_MS = 4;
const RECLAIM_MS = 10_000;
/** A lock is held for one change. The holder of one that is older, and cannot be looked for from here, is gone. */
const UNSEEN_MS = 10 * 60_000;

const startOf = (pid: number): string => {
  try {
    // The 22nd field of proc(5)'s stat; the second may contain spaces and ends with the last ")".
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[19] ?? "";
  } catch {
    return "";
  }
};

const namespaceOf = (): string | undefined => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined; // Not Linux, or /proc is not mounted.
  }
};

const ageMs = (file: string): number => {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
};

const isGone = (holder: Holder, file: string): boolean => {
  if (holder.host !== hostname()) return false;
  // Containers may share a host's name and this folder, each with pids of its own.
  if (holder.pidNamespace !== undefined && holder.pidNamespace !== namespaceOf())
    return ageMs(file) > UNSEEN_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const started = startOf(holder.pid);
  return started !== "" && holder.started !== "" && started !== holder.started;
};

const thisProcess = (): Holder => {
  const pidNamespace = namespaceOf();
  const { pid } = process;
  return {
    host: hostname(),
    pid,
    started: startOf(pid),
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
  };
};

const readHolder = (file: string): Holder | undefined => {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8")) as Partial<Holder>;
    return typeof holder.host === "string" &&
      typeof holder.pid === "number" &&
      typeof holder.started === "string"
      ? (holder as Holder)
      : undefined;
  } catch {
    // Being written this moment, or gone.
    return undefined;
  }
};

const createOnly = (file: string, text: string): boolean => {
  let fd: number;
  try {
    fd = openSync(file, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return true;
};

/** At once: a lock that is half written would be nobody's. */
const rewrite = (file: string, holder: Holder): void => {
  const temporary = `${file}.new`;
  writeFileSync(temporary, JSON.stringify(holder), { mode: 0o600 });
  renameSync(temporary, file);
};

/** Does something while nobody else does it to the same file; false, without doing it, while somebody does. */
const alone = (file: string, work: () => boolean): boolean => {
  const reclaim = `${file}.reclaim`;
  if (!createOnly(reclaim, "")) {
    // Left behind by a crash in these lines.
    if (ageMs(reclaim) > RECLAIM_MS) rmSync(reclaim, { force: true });
    return false;
  }
  try {
    return work();
  } finally {
    rmSync(reclaim, { force: true });
  }
};

/** In this process: who waits for a file, in their order. One for the process, whichever backends there are. */
const queues = new Map<string, Promise<void>>();

const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const before = queues.get(key) ?? Promise.resolve();
  let done!: () => void;
  const mine = before.then(() => new Promise<void>((resolve) => (done = resolve)));
  queues.set(key, mine);
  await before;
  try {
    return await work();
  } finally {
    done();
    if (queues.get(key) === mine) queues.delete(key);
  }
};

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A lock that is held. */
export interface HeldLock {
  /** Notes a file that whoever finds the lock of a dead process removes. */
  noteTemporary(file: string): void;
  /** Notes the record of a change set, which whoever finds the lock of a dead process brings to its end. */
  noteCommit(record: string): void;
}

/**
 * Locks by real file, across the backends of this process and the processes of this user on this machine. A lock is a small
 * file in a folder of this user's; the lock of a process that is gone is broken, and what it left half done is removed.
 */
export class FileLocks {
  readonly directory: string;
  readonly #recover: (record: string) => void;
  readonly #me: Holder = thisProcess();
  #ready = false;

  /** @param recover brings the change set of a process that is gone to its end, and removes its record. */
  constructor(root: string, directory: string | undefined, recover: (record: string) => void) {
    this.#recover = recover;
    const key = createHash("sha256").update(root).digest("hex").slice(0, 24);
    this.directory = path.join(
      directory ?? path.join(tmpdir(), `fiveseam-${FileLocks.#user()}`),
      "locks",
      key,
    );
  }

  static #user(): string {
    if (process.getuid) return String(process.getuid());
    return createHash("sha256").update(userInfo().username).digest("hex").slice(0, 8);
  }

  #prepare(): void {
    if (this.#ready) return;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const own = process.getuid?.();
    // The system's folder for temporary files is everybody's: a folder that somebody else has laid there locks nothing.
    for (let at = this.directory, up = 0; up < 3; at = path.dirname(at), up += 1) {
      const found = lstatSync(at);
      if (!found.isDirectory() || (own !== undefined && found.uid !== own)) {
        throw new FileError(
          "failed",
          "The folder for locks is not this user's; give the backend a `lockDirectory`.",
        );
      }
    }
    this.#ready = true;
    this.sweep();
  }

  /** Once, before anything is read: what a process that is gone has left half done is brought to its end. */
  settle(): void {
    if (!this.#ready && existsSync(this.directory)) this.#prepare();
  }

  /** Removes the locks of processes that are gone, with what they left. */
  sweep(): void {
    for (const name of readdirSync(this.directory)) {
      if (name.endsWith(".lock")) this.#break(path.join(this.directory, name));
    }
  }

  /** True when the lock was that of a process which is gone, and is free now. */
  #break(file: string): boolean {
    const before = readHolder(file);
    // A process that was killed between making the lock and writing into it has changed nothing yet.
    if (!before && ageMs(file) < RECLAIM_MS) return false;
    if (before && !isGone(before, file)) return false;
    // Only who holds this may remove the lock of a process that is gone, so what is read under it stays true.
    return alone(file, () => {
      const now = readHolder(file);
      if (now ? !isGone(now, file) : ageMs(file) < RECLAIM_MS) return false;
      // All files of a set are locked: two processes may come to it by two of them.
      if (now?.commit !== undefined && !this.#finish(now.commit)) return false;
      if (now?.temporary !== undefined) rmSync(now.temporary, { force: true, recursive: true });
      rmSync(file, { force: true });
      return true;
    });
  }

  #finish(record: string): boolean {
    return alone(record, () => {
      this.#recover(record);
      return true;
    });
  }

  /** Holds several files. In the order of their keys, so that no two wait for each other. */
  async holdAll<T>(
    keys: readonly string[],
    shown: string,
    work: (locks: HeldLock[]) => Promise<T>,
  ): Promise<T> {
    const sorted = [...new Set(keys)].sort();
    const held: HeldLock[] = [];
    const next = (at: number): Promise<T> => {
      const key = sorted[at];
      if (key === undefined) return work(held);
      return this.hold(key, shown, (lock) => {
        held.push(lock);
        return next(at + 1);
      });
    };
    return next(0);
  }

  /** Does something while nobody else holds the file. */
  async hold<T>(key: string, shown: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return inTurn(`${this.directory}\n${key}`, async () => {
      this.#prepare();
      const file = path.join(
        this.directory,
        `${createHash("sha256").update(key).digest("hex").slice(0, 40)}.lock`,
      );
      const deadline = performance.now() + WAIT_MS;
      while (!createOnly(file, JSON.stringify(this.#me))) {
        if (this.#break(file)) continue;
        if (performance.now() > deadline)
          throw new FileError("conflict", `${shown} is being changed by another process; try again.`);
        await delay(POLL_MS + Math.random() * POLL_MS);
      }
      try {
        return await work({
          noteTemporary: (temporary) => rewrite(file, { ...this.#me, temporary }),
          noteCommit: (commit) => rewrite(file, { ...this.#me, commit }),
        });
      } finally {
        rmSync(file, { force: true });
      }
    });
  }
}
