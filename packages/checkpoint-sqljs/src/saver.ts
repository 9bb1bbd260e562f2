import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  getCheckpointId,
  JsonPlusSerializer,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { checkPruneOptions, checkSaverOptions, listening } from "./check-options.js";
import { Encoder } from "./encoder.js";
import {
  InvalidConfigError,
  SaverClosedError,
  ThreadExistsError,
  type DatabaseCorruptError,
} from "./errors.js";
import { named, optionalId, requiredId } from "./config-ids.js";
import { countStorage, exportStorage, pruneThreads } from "./maintenance.js";
import { matchesFilter } from "./metadata-filter.js";
import type { Step } from "./message-cache.js";
import type { IntegrityProblem } from "./integrity.js";
import { readTuple, type CheckpointQuery } from "./queries.js";
import { bytesRope } from "./rope.js";
import { changeOf } from "./saver-model.js";
import type {
  PruneOptions,
  PruneResult,
  SaverLocation,
  SaverStats,
  SqlJsSaverOptions,
  ThreadInfo,
} from "./saver-options.js";
import { MemoryStorage } from "./memory-storage.js";
import { openStorage } from "./platform.js";
import type { Storage } from "./storage.js";
import { draftPut, draftWrites, toTuple, type Encode } from "./tuple.js";
import { loadSqlJs } from "./wasm.js";

/** Smaller journals are not worth a snapshot: reading a megabyte again takes some milliseconds. */
const FOLD_FROM_BYTES = 1_000_000;

/** What a test may put in place of the real thing. */
interface Sources {
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

const systemSources: Sources = { nowMs: Date.now, random: Math.random };

/**
 * A LangGraph checkpointer on sql.js: SQLite as WebAssembly, no native module. A call that has resolved is on disk.
 *
 * @example
 * ```ts
 * import { StateGraph, Annotation, START } from "@langchain/langgraph";
 * import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
 *
 * const State = Annotation.Root({ count: Annotation<number> });
 * const checkpointer = await SqlJsSaver.open({ directory: ".threads" });
 * const graph = new StateGraph(State)
 *   .addNode("increment", (state) => ({ count: (state.count ?? 0) + 1 }))
 *   .addEdge(START, "increment")
 *   .compile({ checkpointer });
 * await graph.invoke({ count: 1 }, { configurable: { thread_id: "a" } });
 * await checkpointer.close();
 * ```
 */
export class SqlJsSaver extends BaseCheckpointSaver {
  readonly #storage: Storage;
  readonly #sources: Sources;
  /** Undefined: a serializer of the user's own, whose values are stored as the bytes that it makes. */
  readonly #encoder: Encoder | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  /** The directory or file that was opened, as it was given; undefined in memory. Savers of one place share its threads. */
  readonly location: string | undefined;

  private constructor(
    storage: Storage,
    serde?: SerializerProtocol,
    sources: Sources = systemSources,
    location?: string,
  ) {
    super(serde);
    this.location = location;
    this.#storage = storage;
    this.#sources = sources;
    if (!serde || serde.constructor === JsonPlusSerializer) this.#encoder = new Encoder();
  }

  /**
   * Opens a saver. Files and folders are made at the first write, and locks taken then; a file that exists is read at
   * once, so that a damaged one rejects here.
   *
   * @throws InvalidOptionError, DatabaseCorruptError, DatabaseVersionError, ReadFailedError, WasmLoadError
   *
   * @example
   * ```ts
   * import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
   *
   * export const perThread = await SqlJsSaver.open({ directory: ".threads" });
   * export const oneFile = await SqlJsSaver.open({ file: "threads.sqlite" });
   * export const forTests = await SqlJsSaver.open(":memory:");
   * ```
   */
  static async open(where: SaverLocation, options: SqlJsSaverOptions = {}): Promise<SqlJsSaver> {
    checkSaverOptions(where, options);
    const sql = await loadSqlJs(options);
    const storage =
      where === ":memory:"
        ? new MemoryStorage()
        : await openStorage(where, sql, {
            lock: options.lock ?? true,
            durability: options.durability ?? "grouped",
            maxBytes: options.maxBytes ?? Number.POSITIVE_INFINITY,
            onEvent: listening(options.onEvent),
            foldFromBytes: FOLD_FROM_BYTES,
          });
    const location = where === ":memory:" ? undefined : "file" in where ? where.file : where.directory;
    return new SqlJsSaver(storage, options.serde, systemSources, location);
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#run(async () => {
      const threadId = optionalId(config, "thread_id");
      if (threadId === undefined) return undefined;
      return this.#readTuple({
        threadId,
        namespace: optionalId(config, "checkpoint_ns") ?? "",
        checkpointId: getCheckpointId(config) || undefined,
      });
    });
  }

  /** Newest first by checkpoint id, over all threads when the config names none. Each tuple is read when it is asked for. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    const query: CheckpointQuery = {
      ...named("threadId", optionalId(config, "thread_id")),
      ...named("namespace", optionalId(config, "checkpoint_ns")),
      ...named("checkpointId", optionalId(config, "checkpoint_id") || undefined),
      ...named("before", (options.before && optionalId(options.before, "checkpoint_id")) || undefined),
    };
    for (const { metadata, ...at } of await this.#run(() => this.#storage.index(query))) {
      if (options.filter) {
        const found = (await this.serde.loadsTyped(metadata.type, metadata.value)) as Record<string, unknown>;
        if (!matchesFilter(found, options.filter)) continue;
      }
      // Deleted since the index was read: then it is no longer part of the list.
      const tuple = await this.#run(() => this.#readTuple(at));
      if (!tuple) continue;
      yield tuple;
      left -= 1;
      if (left <= 0) return;
    }
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#run(async () => {
      const threadId = requiredId(config, "thread_id");
      const namespace = optionalId(config, "checkpoint_ns") ?? "";
      const parentId = optionalId(config, "checkpoint_id") || undefined;
      const at = { threadId, namespace, checkpointId: checkpoint.id, parentId };
      const readable = this.#encoder !== undefined;
      const draft = await draftPut(this.#encode(undefined), at, checkpoint, metadata, newVersions, readable);
      await this.#storage.write(threadId, (state) => changeOf(state, draft(state, this.#sources.nowMs())));
      return {
        configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpoint.id },
      };
    });
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath: string = "",
  ): Promise<void> {
    return this.#run(async () => {
      const threadId = requiredId(config, "thread_id");
      const namespace = optionalId(config, "checkpoint_ns") ?? "";
      const checkpointId = requiredId(config, "checkpoint_id");
      const at = { threadId, namespace, checkpointId };
      const draft = await draftWrites(
        this.#encode(`${threadId}/${checkpointId}`),
        at,
        writes,
        taskId,
        taskPath,
      );
      await this.#storage.write(threadId, (state) => changeOf(state, draft(state, this.#sources.nowMs())));
    });
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#run(async () => {
      if (typeof threadId !== "string") throw new InvalidConfigError("thread_id", threadId);
      await this.#storage.deleteThread(threadId);
    });
  }

  /**
   * The stored threads, the one written last first. In a directory one damaged file rejects the call, unless
   * `onDamaged` is given: then it is told and the others are listed.
   *
   * @example
   * ```ts
   * import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
   *
   * const saver = await SqlJsSaver.open({ directory: ".threads" });
   * const threads = await saver.listThreads({ onDamaged: (error) => console.error(error.message) });
   * for (const { threadId, updatedAt } of threads) console.log(threadId, updatedAt.toISOString());
   * ```
   */
  listThreads(options: { onDamaged?: (error: DatabaseCorruptError) => void } = {}): Promise<ThreadInfo[]> {
    return this.#run(async () =>
      (await this.#storage.threads(options.onDamaged))
        .sort((a, b) => b.updatedAtMs - a.updatedAtMs)
        .map(({ updatedAtMs, title, ...thread }) => ({
          ...thread,
          updatedAt: new Date(updatedAtMs),
          ...(title === undefined ? {} : { title }),
        })),
    );
  }

  /**
   * Whole steps, made unique by a random fraction. Two branches from one checkpoint would else give different values
   * the same version, and a value is stored by its version.
   */
  override getNextVersion(current: number | undefined): number {
    // A thread that another saver began with string versions: the base class says what to do.
    if (typeof current === "string") return super.getNextVersion(current);
    // Nine digits: with all of them the versions would be most of what a checkpoint stores.
    return Math.floor(current ?? 0) + 1 + Math.floor(this.#sources.random() * 1e9) / 1e9;
  }

  /**
   * Resolves when every call made so far has settled and, with `durability: "relaxed"`, is on disk. The errors of the
   * calls go to them, not here.
   */
  async flush(): Promise<void> {
    if (this.#closing) throw new SaverClosedError();
    await Promise.allSettled(this.#running);
    await this.#storage.sync();
  }

  /**
   * Folds the journals into their databases and leaves out what nothing refers to any more. It happens by itself when a
   * journal grows large; call it before copying files, or to have the space of deleted threads back at once.
   */
  compact(): Promise<void> {
    return this.#run(() => this.#storage.compact());
  }

  /**
   * Removes old checkpoints and the namespaces of delegates that are done. A thread that waits for an answer is left as it
   * is, and so are the ancestors that a delta channel is made of. Each thread is one durable change; the space is given
   * back at its next fold, or by {@link compact}.
   *
   * @example
   * ```ts
   * import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
   *
   * const saver = await SqlJsSaver.open({ directory: ".threads" });
   * const { checkpoints, waiting } = await saver.prune({ keepLast: 20, olderThanMs: 7 * 86_400_000 });
   * console.log(`${checkpoints} removed, ${waiting.length} threads wait for an answer`);
   * ```
   */
  prune(options: PruneOptions = {}): Promise<PruneResult> {
    return this.#run(async () => {
      checkPruneOptions(options);
      return pruneThreads(this.#storage, options, this.#sources.nowMs());
    });
  }

  /**
   * Copies a thread with everything it holds. Nothing happens when there is none.
   *
   * @throws ThreadExistsError when there is a thread `to`.
   */
  copyThread(from: string, to: string): Promise<void> {
    return this.#run(async () => {
      for (const id of [from, to]) if (typeof id !== "string") throw new InvalidConfigError("thread_id", id);
      if (!(await this.#storage.copyThread(from, to, this.#sources.nowMs()))) throw new ThreadExistsError(to);
    });
  }

  /** How much there is. */
  stats(): Promise<SaverStats> {
    return this.#run(() => countStorage(this.#storage));
  }

  /** Reads every file anew and looks whether each checkpoint can be put together. Empty: all is well. */
  integrityCheck(): Promise<IntegrityProblem[]> {
    return this.#run(() => this.#storage.check());
  }

  /**
   * Writes everything to one SQLite file, without a journal: a copy to keep, to look into with the sqlite3 program, or to
   * open with `{ file }`. A file that is there is replaced.
   */
  exportTo(path: string): Promise<void> {
    return this.#run(() => exportStorage(this.#storage, path));
  }

  /** Waits for the calls under way, then releases locks and memory. Nothing is lost when it is never called. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#storage.close());
    return this.#closing;
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #readTuple(at: Parameters<typeof readTuple>[1]): Promise<CheckpointTuple | undefined> {
    const record = await this.#storage.read(at.threadId, (state) => readTuple(state, at));
    return record && toTuple(this.serde, record, () => this.getNextVersion(undefined));
  }

  #encode(step: Step): Encode {
    if (this.#encoder) {
      const pass = this.#encoder.begin(step);
      return (value) => pass.encode(value);
    }
    return async (value) => {
      const [type, bytes] = await this.serde.dumpsTyped(value);
      return { type, rope: bytesRope(bytes) };
    };
  }

  #run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new SaverClosedError());
    const running = call();
    this.#running.add(running);
    const done = (): void => void this.#running.delete(running);
    running.then(done, done);
    return running;
  }
}
