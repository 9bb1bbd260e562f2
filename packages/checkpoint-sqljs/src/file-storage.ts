import type { Change, FileDependencies } from "./file-dependencies.js";
import { checkFile } from "./file-integrity.js";
import { fileSizes } from "./folding.js";
import type { IntegrityProblem } from "./integrity.js";
import {
  readIndex,
  readThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./queries.js";
import type { WriteOptions } from "./journaled-file.js";
import { leaseFile, type FileLease } from "./registry.js";
import { changeOf, saverModel } from "./saver-model.js";
import type { Storage, StorageSizes } from "./storage.js";
import type { SaverState } from "./thread-state.js";

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

  write<T>(_threadId: string, prepare: (state: SaverState) => Change<T>, options?: WriteOptions): Promise<T> {
    return this.lease.file.write(prepare, options);
  }

  async deleteThread(threadId: string): Promise<void> {
    // Nothing to delete: then no lock is taken and no file made.
    if (!(await this.lease.file.read((state) => state.threads.has(threadId)))) return;
    await this.lease.file.write((state) => changeOf(state, { kind: "delete-thread", threadId }), {
      grows: false,
      alone: true,
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
    const copy = (state: SaverState): Change<boolean> => {
      if (state.threads.has(to)) return { payload: undefined, apply: () => false, undo: () => {} };
      const change = changeOf(state, { kind: "copy-thread", threadId, to, nowMs });
      return { ...change, apply: () => (change.apply(), true) };
    };
    return this.lease.file.write(copy, { alone: true });
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
