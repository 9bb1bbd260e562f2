import type { DatabaseCorruptError } from "./errors.js";
import type { Change } from "./file-dependencies.js";
import type { IntegrityProblem } from "./integrity.js";
import type { WriteOptions } from "./journaled-file.js";
import type { CheckpointQuery, IndexEntry, ThreadRecord } from "./queries.js";
import type { SaverState } from "./thread-state.js";

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
  write<T>(threadId: string, prepare: (state: SaverState) => Change<T>, options?: WriteOptions): Promise<T>;
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
