import { join } from "node:path";
import { DatabaseCorruptError, ReadFailedError } from "./errors.js";
import { checkFile } from "./file-integrity.js";
import type { IntegrityProblem } from "./integrity.js";
import type { Change, FileDependencies } from "./file-dependencies.js";
import type { JournaledFile, WriteOptions } from "./journaled-file.js";
import {
  compareNewestFirst,
  readIndex,
  summarizeThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./queries.js";
import { leaseFile, type FileLease } from "./registry.js";
import { saverModel } from "./saver-model.js";
import type { OnDamaged, Storage, StorageSizes } from "./storage.js";
import { fileSizes } from "./folding.js";
import { summarizeFile } from "./thread-listing.js";
import { collectThreads } from "./thread-transfer.js";
import { threadFileName } from "./thread-file-name.js";
import type { SaverState } from "./thread-state.js";

/** Only names that `threadFileName` makes; whatever else lies in the folder is not ours. */
const THREAD_FILE = /^[a-z0-9-]+-[0-9a-f]{32}\.sqlite$/;

/** Threads kept in memory when nobody uses them. Everything is saved, so dropping one costs a read later. */
const KEPT_OPEN = 8;

interface OpenThread {
  readonly lease: FileLease<SaverState>;
  users: number;
}

/** `{ directory }`: a database file and a lock for each thread, opened on first use. */
export class DirectoryStorage implements Storage {
  /** In order of last use. */
  readonly #open = new Map<string, OpenThread>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listed = new Map<string, { version: string; threads: ThreadRecord[] }>();

  private constructor(
    private readonly directory: string,
    private readonly deps: FileDependencies,
    private readonly keptOpen: number,
  ) {}

  static async open(
    directory: string,
    deps: FileDependencies,
    keptOpen: number = KEPT_OPEN,
  ): Promise<DirectoryStorage> {
    const storage = new DirectoryStorage(await deps.fs.canonical(directory), deps, keptOpen);
    // Not a folder, or not readable: said here and not at the first call.
    await storage.#names();
    return storage;
  }

  read<T>(threadId: string, run: (state: SaverState) => T): Promise<T | undefined> {
    return this.#use(threadId, (file) => file.read(run));
  }

  write<T>(threadId: string, prepare: (state: SaverState) => Change<T>, options?: WriteOptions): Promise<T> {
    return this.#use(threadId, (file) => file.write(prepare, options));
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#use(threadId, (file) => file.remove());
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    const read = (state: SaverState): IndexEntry[] => readIndex(state, query);
    if (query.threadId !== undefined) return (await this.read(query.threadId, read)) ?? [];
    return (await this.eachState(read)).flat().sort(compareNewestFirst);
  }

  async threads(onDamaged?: OnDamaged): Promise<ThreadRecord[]> {
    const threads: ThreadRecord[] = [];
    const names = await this.#names();
    const paths = this.#pathsAmong(names);
    for (const path of paths) {
      try {
        threads.push(...(await this.#threadsOf(path, names)));
      } catch (error) {
        if (!onDamaged || !(error instanceof DatabaseCorruptError)) throw error;
        onDamaged(error);
      }
    }
    const present = new Set(paths);
    for (const path of this.#listed.keys()) if (!present.has(path)) this.#listed.delete(path);
    return threads;
  }

  async sync(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), ({ lease }) => lease.file.sync()));
  }

  async compact(): Promise<void> {
    await this.#each((file) => file.fold());
  }

  eachState<T>(run: (state: SaverState) => T): Promise<T[]> {
    return this.#each((file) => file.read(run)).then(
      (results) => results.filter((one) => one !== undefined) as T[],
    );
  }

  async copyThread(from: string, to: string, nowMs: number): Promise<boolean> {
    const copy = await this.read(from, (state) => {
      const thread = state.threads.get(from);
      return thread && collectThreads([[to, state, { ...thread, updatedAtMs: nowMs }]]);
    });
    return copy ? this.#use(to, (file) => file.create(() => copy)) : true;
  }

  async sizes(): Promise<StorageSizes> {
    const names = await this.#names();
    const total = { snapshot: 0, journal: 0, previous: 0 };
    for (const path of this.#pathsAmong(names)) {
      const sizes = await fileSizes(path, this.deps.fs, names);
      total.snapshot += sizes.snapshot;
      total.journal += sizes.journal;
      total.previous += sizes.previous;
    }
    return total;
  }

  async check(): Promise<IntegrityProblem[]> {
    const problems: IntegrityProblem[] = [];
    for (const path of this.#pathsAmong(await this.#names()))
      problems.push(...(await checkFile(path, this.deps)));
    return problems;
  }

  async close(): Promise<void> {
    for (const { lease } of this.#open.values()) this.#release(lease);
    this.#open.clear();
    await Promise.all(this.#closing);
  }

  /** A thread list is asked for often and its files rarely change, so a file is looked into only when it did. */
  async #threadsOf(path: string, names: readonly string[]): Promise<ThreadRecord[]> {
    const { fs } = this.deps;
    const sizes = await fileSizes(path, fs, names);
    const identity = await fs.identity(path);
    if (identity === undefined) return [];
    // The journal only grows while the snapshot stays.
    const version = `${identity} ${sizes.journal}`;
    const known = this.#listed.get(path);
    if (known?.version === version) return known.threads;
    const summaries =
      (await summarizeFile(path, fs)) ??
      (await this.#once(path, (file) => file.read(summarizeThreads))) ??
      [];
    const threads = summaries.map((thread) => ({ ...thread, bytes: sizes.all }));
    this.#listed.set(path, { version, threads });
    return threads;
  }

  async #names(): Promise<string[]> {
    try {
      return await this.deps.fs.list(this.directory);
    } catch (error) {
      throw new ReadFailedError(this.directory, error);
    }
  }

  #pathsAmong(names: readonly string[]): string[] {
    return names.filter((name) => THREAD_FILE.test(name)).map((name) => join(this.directory, name));
  }

  /** For walks over the whole folder, which must not push the threads in use out of memory. */
  async #each<T>(call: (file: JournaledFile<SaverState>) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (const path of this.#pathsAmong(await this.#names())) results.push(await this.#once(path, call));
    return results;
  }

  async #once<T>(path: string, call: (file: JournaledFile<SaverState>) => Promise<T>): Promise<T> {
    const lease = leaseFile(path, saverModel, this.deps);
    try {
      return await call(lease.file);
    } finally {
      await lease.release();
    }
  }

  async #use<T>(threadId: string, call: (file: JournaledFile<SaverState>) => Promise<T>): Promise<T> {
    const path = join(this.directory, threadFileName(threadId));
    const thread = this.#open.get(path) ?? { lease: leaseFile(path, saverModel, this.deps), users: 0 };
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

  #release(lease: FileLease<SaverState>): void {
    const closing: Promise<void> = lease.release().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
