import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { OnEvent } from "./events.js";
import type { Durability } from "./file-dependencies.js";
import type { WasmSource } from "./wasm.js";

/** A folder with one database per thread, one file for all threads, or nothing on disk. */
export type SaverLocation = { readonly directory: string } | { readonly file: string } | ":memory:";

/** How to open; see {@link SqlJsSaver.open}. */
export interface SqlJsSaverOptions extends WasmSource {
  /** Turns values into bytes and back. LangGraph's `JsonPlusSerializer` unless given. */
  readonly serde?: SerializerProtocol;
  /**
   * Keep other processes from writing the same file. Default true. Without it the last writer wins and can undo what
   * another process saved: only for files that provably have one writer, on disks without usable lock files.
   */
  readonly lock?: boolean;
  /**
   * When a call counts as done. `"grouped"` (the default): when it is synced to the disk; calls that wait together share
   * one fsync. `"sync"`: the same, with an fsync for each. `"relaxed"`: when the system has it; a crash of the process
   * loses nothing, a power cut or a crash of the system may lose the last seconds, in order. `flush()` syncs.
   */
  readonly durability?: Durability;
  /** No more is put into a database file of this size; see `DatabaseFullError`. Default: no limit. */
  readonly maxBytes?: number;
  /** Told what was repaired, recovered or lost, and of folds. */
  readonly onEvent?: OnEvent;
}

/** One line of {@link SqlJsSaver.listThreads}. */
export interface ThreadInfo {
  readonly threadId: string;
  /** When the last checkpoint or write was put. */
  readonly updatedAt: Date;
  /** Number of checkpoints, over all namespaces. */
  readonly checkpoints: number;
  /** The size of the thread's files in a directory; else what it stores, where shared content counts for each thread. */
  readonly bytes: number;
  /** The beginning of the first message of the user, if the state has `messages`. */
  readonly title?: string;
}

/** What {@link SqlJsSaver.prune} removes. */
export interface PruneOptions {
  /** Only this thread; all of them unless given. */
  readonly threadId?: string;
  /** How many checkpoints of each namespace stay, the newest. Default and least: 1. */
  readonly keepLast?: number;
  /** Checkpoints that are younger stay. */
  readonly olderThanMs?: number;
}

/** What {@link SqlJsSaver.prune} did. */
export interface PruneResult {
  /** How many were removed. */
  readonly checkpoints: number;
  /** Threads that were left as they are because they wait for an answer. */
  readonly waiting: readonly string[];
}

/** See {@link SqlJsSaver.stats}. In memory all bytes are 0. */
export interface SaverStats {
  readonly threads: number;
  readonly checkpoints: number;
  readonly databaseBytes: number;
  /** What is not folded yet. */
  readonly journalBytes: number;
  /** The database before the last fold, kept in case that the present one is damaged. */
  readonly previousBytes: number;
}
