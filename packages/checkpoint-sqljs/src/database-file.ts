import { dirname } from "node:path";
import type { Database, SqlJsStatic } from "sql.js";
import { ReadFailedError, SaveFailedError, SaverClosedError, SqlJsSaverError } from "./errors.js";
import { acquireLock, newNonce, temporaryPathOf, type HeldLock, type LockDependencies } from "./lock.js";
import { createDatabase, openDatabase } from "./schema.js";

export interface DatabaseFileDependencies extends LockDependencies {
  readonly sql: SqlJsStatic;
  readonly lock: boolean;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
type Job =
  | (Waiting & { kind: "read"; run: (db: Database) => unknown })
  | (Waiting & { kind: "write"; run: (db: Database) => unknown; compact: boolean })
  | (Waiting & { kind: "remove" });
type WriteJob = Extract<Job, { kind: "write" }>;

/**
 * One SQLite file: an in-memory copy, and saves that replace the whole file by a rename.
 *
 * Calls queue up; whatever waits when a save begins goes into that save (group commit). A read runs between saves, so
 * it sees every call made before it and never anything that is not on disk. When a save fails, the in-memory copy is
 * thrown away: a rejected write must not reappear with the next successful one.
 */
export class DatabaseFile {
  readonly #queue: Job[] = [];
  #draining: Promise<void> | undefined;
  #db: Database | undefined;
  /** Identity of the file that `#db` is a copy of; undefined while there is none. */
  #identity: string | undefined;
  #lock: HeldLock | undefined;
  #closed = false;
  readonly #nonce = newNonce();
  #locking: boolean;

  /** `after`: the closing of an earlier instance on this path, whose lock must be gone first. */
  constructor(
    readonly path: string,
    private readonly deps: DatabaseFileDependencies,
    private readonly after: Promise<void> = Promise.resolve(),
  ) {
    this.#locking = deps.lock;
  }

  /** A second user of this file wants the lock that the first one did without. */
  requireLock(): void {
    this.#locking = true;
  }

  /** Runs `read` on the newest saved state; undefined when there is no file. Takes no lock. */
  read<T>(read: (db: Database) => T): Promise<T | undefined> {
    return this.#enqueue<T | undefined>({ kind: "read", run: read });
  }

  /** Runs `write`, which must be all or nothing, and resolves when its result is on disk. */
  write<T>(write: (db: Database) => T, options: { compact?: boolean } = {}): Promise<T> {
    return this.#enqueue<T>({ kind: "write", run: write, compact: options.compact ?? false });
  }

  /** Deletes the file. */
  remove(): Promise<void> {
    return this.#enqueue<void>({ kind: "remove" });
  }

  /** Waits for the queue, then gives back the lock and the memory. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining) await this.#draining;
    this.#forget();
    await this.#unlock();
  }

  #enqueue<T>(
    job:
      | { kind: "read"; run: (db: Database) => T }
      | { kind: "write"; run: (db: Database) => T; compact: boolean }
      | { kind: "remove" },
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new SaverClosedError());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...job, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    await this.after;
    while (this.#queue.length > 0) {
      const removal = this.#queue.findIndex((job) => job.kind === "remove");
      const jobs = this.#queue.splice(0, removal < 0 ? this.#queue.length : removal);
      await this.#commit(jobs.filter((job) => job.kind === "write"));
      for (const job of jobs) if (job.kind === "read") await this.#read(job);
      if (removal >= 0) await this.#remove(this.#queue.shift()!);
    }
    this.#draining = undefined;
  }

  async #read(job: Extract<Job, { kind: "read" }>): Promise<void> {
    try {
      const db = await this.#load();
      job.resolve(db && job.run(db));
    } catch (error) {
      job.reject(error);
    }
  }

  async #commit(jobs: WriteJob[]): Promise<void> {
    if (jobs.length === 0) return;
    let unsaved: Waiting[] = jobs;
    try {
      await this.#acquire();
      const db = (await this.#load()) ?? this.#create();
      const applied: { job: WriteJob; result: unknown }[] = [];
      for (const job of jobs) {
        try {
          applied.push({ job, result: job.run(db) });
        } catch (error) {
          job.reject(error);
        }
      }
      unsaved = applied.map(({ job }) => job);
      if (applied.length === 0) return;
      if (applied.some(({ job }) => job.compact)) db.run("VACUUM");
      await this.#save(db);
      for (const { job, result } of applied) job.resolve(result);
    } catch (error) {
      await this.#failed(error, unsaved);
    }
  }

  async #save(db: Database): Promise<void> {
    const { fs } = this.deps;
    const temporary = temporaryPathOf(this.path, this.#lock?.nonce ?? this.#nonce);
    try {
      const identity = await fs.writeTemporary(temporary, db.export(), this.path);
      // As late as possible: what is left is the moment between this and the rename.
      await this.#lock?.verify();
      await fs.rename(temporary, this.path);
      this.#identity = identity;
    } catch (error) {
      await fs.remove(temporary).catch(() => {
        // The save's own error is the one to report; the next breaker of our lock removes the file.
      });
      throw error;
    }
    await fs.syncDirectory(dirname(this.path));
  }

  async #remove(job: Job): Promise<void> {
    const { fs } = this.deps;
    try {
      if ((await fs.identity(this.path)) !== undefined) {
        await this.#acquire();
        await this.#lock?.verify();
        this.#forget();
        await fs.remove(this.path);
        await fs.syncDirectory(dirname(this.path));
      }
      await this.#unlock();
      job.resolve(undefined);
    } catch (error) {
      await this.#failed(error, [job]);
    }
  }

  async #failed(cause: unknown, waiting: readonly Waiting[]): Promise<void> {
    this.#forget();
    const error = cause instanceof SqlJsSaverError ? cause : new SaveFailedError(this.path, cause);
    if (error.code === "LOCK_LOST") this.#lock = undefined;
    for (const job of waiting) job.reject(error);
  }

  async #acquire(): Promise<void> {
    if (!this.#locking || this.#lock) return;
    await this.deps.fs.ensureDirectory(dirname(this.path));
    this.#lock = await acquireLock(this.path, this.deps);
  }

  async #unlock(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    await lock?.release().catch(() => {
      // A lock that cannot be removed is found stale once this process has ended.
    });
  }

  /** The current state, read again when another file has taken the path since; undefined when there is no file. */
  async #load(): Promise<Database | undefined> {
    try {
      const identity = await this.deps.fs.identity(this.path);
      if (this.#db && identity !== undefined && identity === this.#identity) return this.#db;
      this.#forget();
      const snapshot = identity === undefined ? undefined : await this.deps.fs.read(this.path);
      if (!snapshot) return undefined;
      this.#db = openDatabase(this.deps.sql, snapshot.bytes, this.path);
      this.#identity = snapshot.identity;
      return this.#db;
    } catch (error) {
      throw error instanceof SqlJsSaverError ? error : new ReadFailedError(this.path, error);
    }
  }

  #create(): Database {
    this.#db = createDatabase(this.deps.sql);
    return this.#db;
  }

  #forget(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#identity = undefined;
    try {
      db?.close();
    } catch {
      // After a failure inside SQLite its handle may be unusable; the state is read from the disk again anyway.
    }
  }
}
