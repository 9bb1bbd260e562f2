import { join } from "node:path";
import type { Database } from "sql.js";
import type { DatabaseFile, DatabaseFileDependencies } from "./database-file.js";
import { DatabaseCorruptError, ReadFailedError } from "./errors.js";
import {
  readIndex,
  readThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./records.js";
import { leaseFile, type FileLease } from "./registry.js";
import type { OnDamaged, Storage } from "./storage.js";
import { threadFileName } from "./thread-file-name.js";

/** Only names that `threadFileName` makes; whatever else lies in the folder is not ours. */
const THREAD_FILE = /^[a-z0-9-]+-[0-9a-f]{32}\.sqlite$/;

/** Threads kept in memory when nobody uses them. Everything is saved, so dropping one costs a read later. */
const KEPT_OPEN = 8;

interface OpenThread {
  readonly lease: FileLease;
  users: number;
}

/** `{ directory }`: a database file and a lock for each thread, opened on first use. */
export class DirectoryStorage implements Storage {
  /** In order of last use. */
  readonly #open = new Map<string, OpenThread>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listed = new Map<string, { identity: string; threads: ThreadRecord[] }>();

  private constructor(
    private readonly directory: string,
    private readonly deps: DatabaseFileDependencies,
    private readonly keptOpen: number,
  ) {}

  static async open(
    directory: string,
    deps: DatabaseFileDependencies,
    keptOpen: number = KEPT_OPEN,
  ): Promise<DirectoryStorage> {
    const storage = new DirectoryStorage(await deps.fs.canonical(directory), deps, keptOpen);
    // Not a folder, or not readable: said here and not at the first call.
    await storage.#paths();
    return storage;
  }

  read<T>(threadId: string, run: (db: Database) => T): Promise<T | undefined> {
    return this.#use(threadId, (file) => file.read(run));
  }

  write<T>(threadId: string, run: (db: Database) => T): Promise<T> {
    return this.#use(threadId, (file) => file.write(run));
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#use(threadId, (file) => file.remove());
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    const read = (db: Database): IndexEntry[] => readIndex(db, query);
    if (query.threadId !== undefined) return (await this.read(query.threadId, read)) ?? [];
    const entries: IndexEntry[] = [];
    for (const path of await this.#paths()) entries.push(...((await this.#readOnce(path, read)) ?? []));
    return entries.sort((a, b) =>
      a.checkpointId < b.checkpointId ? 1 : a.checkpointId > b.checkpointId ? -1 : 0,
    );
  }

  async threads(onDamaged?: OnDamaged): Promise<ThreadRecord[]> {
    const threads: ThreadRecord[] = [];
    const paths = await this.#paths();
    for (const path of paths) {
      try {
        threads.push(...(await this.#threadsOf(path)));
      } catch (error) {
        if (!onDamaged || !(error instanceof DatabaseCorruptError)) throw error;
        onDamaged(error);
      }
    }
    const present = new Set(paths);
    for (const path of this.#listed.keys()) if (!present.has(path)) this.#listed.delete(path);
    return threads;
  }

  async close(): Promise<void> {
    for (const { lease } of this.#open.values()) this.#release(lease);
    this.#open.clear();
    await Promise.all(this.#closing);
  }

  /** A thread list is asked for often and its files rarely change, so a file is read again only when it did. */
  async #threadsOf(path: string): Promise<ThreadRecord[]> {
    const identity = await this.deps.fs.identity(path);
    if (identity === undefined) return [];
    const known = this.#listed.get(path);
    if (known?.identity === identity) return known.threads;
    const bytes = (await this.deps.fs.sizeBytes(path)) ?? 0;
    const threads = ((await this.#readOnce(path, readThreads)) ?? []).map((thread) => ({ ...thread, bytes }));
    this.#listed.set(path, { identity, threads });
    return threads;
  }

  async #paths(): Promise<string[]> {
    try {
      const names = await this.deps.fs.list(this.directory);
      return names.filter((name) => THREAD_FILE.test(name)).map((name) => join(this.directory, name));
    } catch (error) {
      throw new ReadFailedError(this.directory, error);
    }
  }

  /** For walks over the whole folder, which must not push the threads in use out of memory. */
  async #readOnce<T>(path: string, run: (db: Database) => T): Promise<T | undefined> {
    const lease = leaseFile(path, this.deps);
    try {
      return await lease.file.read(run);
    } finally {
      await lease.release();
    }
  }

  async #use<T>(threadId: string, call: (file: DatabaseFile) => Promise<T>): Promise<T> {
    const path = join(this.directory, threadFileName(threadId));
    const thread = this.#open.get(path) ?? { lease: leaseFile(path, this.deps), users: 0 };
    this.#open.delete(path);
    this.#open.set(path, thread);
    thread.users += 1;
    try {
      return await call(thread.lease.file);
    } finally {
      thread.users -= 1;
      this.#evict();
    }
  }

  #evict(): void {
    for (const [path, thread] of this.#open) {
      if (this.#open.size <= this.keptOpen) return;
      if (thread.users > 0) continue;
      this.#open.delete(path);
      this.#release(thread.lease);
    }
  }

  #release(lease: FileLease): void {
    const closing: Promise<void> = lease.release().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
