import type { Database } from "sql.js";
import type { DatabaseCorruptError } from "./errors.js";
import {
  readIndex,
  readThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./records.js";
import * as records from "./records.js";
import { createDatabase } from "./schema.js";
import type { DatabaseFileDependencies } from "./database-file.js";
import { leaseFile, type FileLease } from "./registry.js";

export type OnDamaged = (error: DatabaseCorruptError) => void;

/** Where threads live: one database in memory, one file, or a folder with a file for each thread. */
export interface Storage {
  /** Undefined when nothing is stored there. */
  read<T>(threadId: string, run: (db: Database) => T): Promise<T | undefined>;
  /** Resolves when the result is durable. */
  write<T>(threadId: string, run: (db: Database) => T): Promise<T>;
  deleteThread(threadId: string): Promise<void>;
  /** Newest first, over all threads unless the query names one. */
  index(query: CheckpointQuery): Promise<IndexEntry[]>;
  threads(onDamaged?: OnDamaged): Promise<ThreadRecord[]>;
  close(): Promise<void>;
}

/** `":memory:"`: nothing is ever written. */
export class MemoryStorage implements Storage {
  readonly #db: Database;

  constructor(deps: Pick<DatabaseFileDependencies, "sql">) {
    this.#db = createDatabase(deps.sql);
  }

  async read<T>(_threadId: string, run: (db: Database) => T): Promise<T> {
    return run(this.#db);
  }

  async write<T>(_threadId: string, run: (db: Database) => T): Promise<T> {
    return run(this.#db);
  }

  async deleteThread(threadId: string): Promise<void> {
    records.deleteThread(this.#db, threadId);
    this.#db.run("VACUUM");
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    return readIndex(this.#db, query);
  }

  async threads(): Promise<ThreadRecord[]> {
    return readThreads(this.#db);
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

/** `{ file }`: every thread in one database file. */
export class FileStorage implements Storage {
  private constructor(private readonly lease: FileLease) {}

  /** Reads the file, if there is one, so that a damaged one is reported here and not at the first call. */
  static async open(file: string, deps: DatabaseFileDependencies): Promise<FileStorage> {
    const lease = leaseFile(await deps.fs.canonical(file), deps);
    try {
      await lease.file.read(() => undefined);
    } catch (error) {
      await lease.release();
      throw error;
    }
    return new FileStorage(lease);
  }

  read<T>(_threadId: string, run: (db: Database) => T): Promise<T | undefined> {
    return this.lease.file.read(run);
  }

  write<T>(_threadId: string, run: (db: Database) => T): Promise<T> {
    return this.lease.file.write(run);
  }

  async deleteThread(threadId: string): Promise<void> {
    // Nothing to delete: then no lock is taken and no file made.
    if (!(await this.lease.file.read((db) => records.hasThread(db, threadId)))) return;
    await this.lease.file.write((db) => records.deleteThread(db, threadId), { compact: true });
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    return (await this.lease.file.read((db) => readIndex(db, query))) ?? [];
  }

  async threads(): Promise<ThreadRecord[]> {
    return (await this.lease.file.read(readThreads)) ?? [];
  }

  close(): Promise<void> {
    return this.lease.release();
  }
}
