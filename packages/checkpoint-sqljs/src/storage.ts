import type { DatabaseCorruptError } from "./errors.js";
import { fileSizes } from "./folding.js";
import { checkFile, checkState, type IntegrityProblem } from "./integrity.js";
import type { Change, FileDependencies } from "./file-dependencies.js";
import {
  readIndex,
  readThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./queries.js";
import { leaseFile, type FileLease } from "./registry.js";
import { changeOf, saverModel } from "./saver-model.js";
import { SaverState } from "./thread-state.js";

export type OnDamaged = (error: DatabaseCorruptError) => void;

export interface StorageSizes {
  readonly snapshot: number;
  readonly journal: number;
  /** The snapshots before the present ones and their journals. */
  readonly previous: number;
}

/** Where threads live: in memory, in one file, or in a folder with a file for each thread. */
export interface Storage {
  /** Undefined when nothing is stored there. */
  read<T>(threadId: string, run: (state: SaverState) => T): Promise<T | undefined>;
  /** Resolves when the result is durable. */
  write<T>(
    threadId: string,
    prepare: (state: SaverState) => Change<T>,
    options?: { grows?: boolean },
  ): Promise<T>;
  deleteThread(threadId: string): Promise<void>;
  /** Newest first, over all threads unless the query names one. */
  index(query: CheckpointQuery): Promise<IndexEntry[]>;
  threads(onDamaged?: OnDamaged): Promise<ThreadRecord[]>;
  /** Makes durable what `relaxed` durability left to the system. */
  sync(): Promise<void>;
  /** Runs on each database, one after the other. */
  eachState<T>(run: (state: SaverState) => T): Promise<T[]>;
  /** False when there is a thread `to` already; without a thread `from` nothing happens. */
  copyThread(from: string, to: string, nowMs: number): Promise<boolean>;
  /** Bytes on disk. */
  sizes(): Promise<StorageSizes>;
  /** Reads everything anew, as another process would. */
  check(): Promise<IntegrityProblem[]>;
  /** Writes new snapshots without what nothing refers to. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** `":memory:"`: nothing is ever written. */
export class MemoryStorage implements Storage {
  readonly #state = new SaverState();

  async read<T>(_threadId: string, run: (state: SaverState) => T): Promise<T> {
    return run(this.#state);
  }

  async write<T>(_threadId: string, prepare: (state: SaverState) => Change<T>): Promise<T> {
    return prepare(this.#state).apply();
  }

  async deleteThread(threadId: string): Promise<void> {
    changeOf(this.#state, { kind: "delete-thread", threadId }).apply();
    this.#state.sweep();
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    return readIndex(this.#state, query);
  }

  async threads(): Promise<ThreadRecord[]> {
    return readThreads(this.#state);
  }

  async sync(): Promise<void> {}

  async compact(): Promise<void> {
    this.#state.sweep();
  }

  async eachState<T>(run: (state: SaverState) => T): Promise<T[]> {
    return [run(this.#state)];
  }

  async copyThread(threadId: string, to: string, nowMs: number): Promise<boolean> {
    if (!this.#state.threads.has(threadId)) return true;
    if (this.#state.threads.has(to)) return false;
    changeOf(this.#state, { kind: "copy-thread", threadId, to, nowMs }).apply();
    return true;
  }

  async sizes(): Promise<StorageSizes> {
    return { snapshot: 0, journal: 0, previous: 0 };
  }

  async check(): Promise<IntegrityProblem[]> {
    return checkState(this.#state, "");
  }

  async close(): Promise<void> {}
}

/** `{ file }`: every thread in one database file. */
export class FileStorage implements Storage {
  private constructor(
    private readonly lease: FileLease<SaverState>,
    private readonly deps: FileDependencies,
  ) {}

  /** Reads the file, if there is one, so that a damaged one is reported here and not at the first call. */
  static async open(file: string, deps: FileDependencies): Promise<FileStorage> {
    const lease = leaseFile(await deps.fs.canonical(file), saverModel, deps);
    try {
      await lease.file.read(() => undefined);
    } catch (error) {
      await lease.release();
      throw error;
    }
    return new FileStorage(lease, deps);
  }

  read<T>(_threadId: string, run: (state: SaverState) => T): Promise<T | undefined> {
    return this.lease.file.read(run);
  }

  write<T>(
    _threadId: string,
    prepare: (state: SaverState) => Change<T>,
    options?: { grows?: boolean },
  ): Promise<T> {
    return this.lease.file.write(prepare, options);
  }

  async deleteThread(threadId: string): Promise<void> {
    // Nothing to delete: then no lock is taken and no file made.
    if (!(await this.lease.file.read((state) => state.threads.has(threadId)))) return;
    await this.lease.file.write((state) => changeOf(state, { kind: "delete-thread", threadId }), {
      grows: false,
    });
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    return (await this.lease.file.read((state) => readIndex(state, query))) ?? [];
  }

  async threads(): Promise<ThreadRecord[]> {
    return (await this.lease.file.read(readThreads)) ?? [];
  }

  sync(): Promise<void> {
    return this.lease.file.sync();
  }

  compact(): Promise<void> {
    return this.lease.file.fold();
  }

  async eachState<T>(run: (state: SaverState) => T): Promise<T[]> {
    return (await this.lease.file.read((state) => [run(state)])) ?? [];
  }

  async copyThread(threadId: string, to: string, nowMs: number): Promise<boolean> {
    if (!(await this.lease.file.read((state) => state.threads.has(threadId)))) return true;
    return this.lease.file.write((state) => {
      if (state.threads.has(to)) return { payload: undefined, apply: () => false, undo: () => {} };
      const change = changeOf(state, { kind: "copy-thread", threadId, to, nowMs });
      return { ...change, apply: () => (change.apply(), true) };
    });
  }

  sizes(): Promise<StorageSizes> {
    return fileSizes(this.lease.file.path, this.deps.fs);
  }

  check(): Promise<IntegrityProblem[]> {
    return checkFile(this.lease.file.path, this.deps);
  }

  close(): Promise<void> {
    return this.lease.release();
  }
}
