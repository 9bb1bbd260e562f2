import {
  BaseStore,
  JsonPlusSerializer,
  validateNamespace,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { langGraphText } from "./encoder.js";
import { checkStoreOptions, listening } from "./check-options.js";
import { InvalidOptionError, SaverClosedError, SqlJsSaverError } from "./errors.js";
import type { OnEvent } from "./events.js";
import type { Change, Durability } from "./file-dependencies.js";
import { openModel } from "./platform.js";
import type { FileLease } from "./registry.js";
import { isUnder, matchesCondition, matchesItemFilter, rankByText } from "./store-search.js";
import {
  applyStoreOperation,
  encodeStoreOperation,
  isExpired,
  storeModel,
  StoreState,
  type ItemChange,
  type StoredItem,
} from "./store-state.js";
import { loadSqlJs, type WasmSource } from "./wasm.js";

/** How to open; see {@link SqlJsStore.open}. */
export interface SqlJsStoreOptions extends WasmSource {
  /** See `SqlJsSaverOptions.durability`. */
  readonly durability?: Durability;
  /** Items vanish so long after they were last put. Default: never. */
  readonly ttlMs?: number;
  /** How long a write waits for another process that is writing. Default 5,000. */
  readonly lockWaitMs?: number;
  readonly onEvent?: OnEvent;
}

const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 15;
const FOLD_FROM_BYTES = 250_000;

const serde = new JsonPlusSerializer();

/**
 * A LangGraph store on sql.js: what `/docs/` and memories live in, kept across restarts. Several processes may use one
 * file: the lock is held for each write only, and a read sees what others have written.
 *
 * @example
 * ```ts
 * import { SqlJsStore } from "@fiveseam/checkpoint-sqljs";
 *
 * const store = await SqlJsStore.open({ file: "memories.sqlite" });
 * await store.put(["users", "ada"], "editor", { likes: "dark themes" });
 * for (const { key, score } of await store.search(["users"], { query: "dark theme" })) console.log(key, score);
 * await store.close();
 * ```
 */
export class SqlJsStore extends BaseStore {
  readonly #lease: FileLease<StoreState> | undefined;
  readonly #memory = new StoreState();
  readonly #options: SqlJsStoreOptions;
  readonly #nowMs: () => number;
  #closed = false;

  private constructor(
    lease: FileLease<StoreState> | undefined,
    options: SqlJsStoreOptions,
    nowMs: () => number = Date.now,
  ) {
    super();
    this.#lease = lease;
    this.#options = options;
    this.#nowMs = nowMs;
  }

  /**
   * Opens a store. The file is made at the first write; one that is there is read at once, so that damage rejects here.
   *
   * @throws InvalidOptionError, DatabaseCorruptError, DatabaseVersionError, ReadFailedError, WasmLoadError
   */
  static async open(
    where: { readonly file: string } | ":memory:",
    options: SqlJsStoreOptions = {},
  ): Promise<SqlJsStore> {
    checkStoreOptions(where, options);
    if (where === ":memory:") return new SqlJsStore(undefined, options);
    const lease = await openModel(where.file, storeModel(Date.now), await loadSqlJs(options), {
      lock: true,
      unlockWhenIdle: true,
      durability: options.durability ?? "grouped",
      maxBytes: Number.POSITIVE_INFINITY,
      onEvent: listening(options.onEvent),
      foldFromBytes: FOLD_FROM_BYTES,
    });
    return new SqlJsStore(lease, options);
  }

  /** Reads see the store as it was before the batch; of several puts of one item the last counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    if (this.#closed) throw new SaverClosedError("SqlJsStore");
    const changes = new Map<string, ItemChange>();
    const reads: ((state: StoreState) => () => Promise<unknown>)[] = [];
    for (const operation of operations) {
      if ("namespace" in operation) validateNamespace(operation.namespace, { allowReservedRoot: true });
      if ("value" in operation) {
        changes.set(JSON.stringify([operation.namespace, operation.key]), toChange(operation));
        reads.push(() => async () => undefined);
      } else reads.push(this.#reader(operation));
    }
    const run = (state: StoreState): (() => Promise<unknown>)[] => reads.map((read) => read(state));
    const results =
      changes.size === 0
        ? await this.#read(run)
        : await this.#write(run, Array.from(changes.values()), reads.length > changes.size);
    return (await Promise.all(results.map((decode) => decode()))) as OperationResults<Op>;
  }

  /** Waits for the calls under way, then releases the memory. Nothing is lost when it is never called. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#lease?.release();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #read<T>(run: (state: StoreState) => T): Promise<T> {
    if (!this.#lease) return run(this.#memory);
    return (
      (await this.#lease.file.read((state) => ({ result: run(state) })))?.result ?? run(new StoreState())
    );
  }

  /** `alone`: the batch reads too, and what was put before it has to be there. */
  async #write<T>(run: (state: StoreState) => T, changes: ItemChange[], alone: boolean): Promise<T> {
    const { ttlMs } = this.#options;
    const prepare = (state: StoreState): Change<T> => {
      const nowMs = this.#nowMs();
      const operation = { nowMs, expiresAtMs: ttlMs === undefined ? 0 : nowMs + ttlMs, changes };
      const result = run(state);
      return {
        payload: () => encodeStoreOperation(operation),
        apply: () => (applyStoreOperation(state, operation), result),
        undo: () => {},
      };
    };
    if (!this.#lease) return prepare(this.#memory).apply();
    const until = Date.now() + (this.#options.lockWaitMs ?? LOCK_WAIT_MS);
    for (;;) {
      try {
        return await this.#lease.file.write(prepare, { alone });
      } catch (error) {
        const busy = error instanceof SqlJsSaverError && error.code === "DATABASE_LOCKED";
        if (!busy || Date.now() >= until) throw error;
        await new Promise((wake) => setTimeout(wake, LOCK_RETRY_MS * (0.5 + Math.random())));
      }
    }
  }

  /** Looks at the state at once, and decodes what it found afterwards. */
  #reader(
    operation: GetOperation | SearchOperation | ListNamespacesOperation,
  ): (state: StoreState) => () => Promise<unknown> {
    return (state) => {
      const nowMs = this.#nowMs();
      if ("namespacePrefix" in operation) {
        const page = search(state, operation, nowMs);
        return () => Promise.all(page.map(async ({ item, score }) => ({ ...(await toItem(item)), score })));
      }
      if ("namespace" in operation) {
        const item = state.get(operation.namespace, operation.key);
        return async () => (item && !isExpired(item, nowMs) ? toItem(item) : null);
      }
      const namespaces = listNamespaces(state, operation, nowMs);
      return async () => namespaces;
    };
  }
}

/** What LangGraph's serializer writes in place of a value that JSON cannot hold, or begins so. */
const UNWRITABLE = '"[unable to serialize';

const toChange = ({ namespace, key, value, index }: PutOperation): ItemChange => {
  if (typeof key !== "string") throw new InvalidOptionError("key", "a string", key);
  const text = value === null || value === undefined ? undefined : langGraphText(value);
  if (text?.startsWith(UNWRITABLE))
    throw new InvalidOptionError("value", "something that JSON can hold: no BigInt, nothing circular", value);
  // Copies, for the caller may go on using them while the call waits.
  return { namespace: [...namespace], key, value: text, index: Array.isArray(index) ? [...index] : index };
};

const toItem = async ({ namespace, key, value, createdAtMs, updatedAtMs }: StoredItem): Promise<Item> => ({
  namespace: [...namespace],
  key,
  value: (await serde.loadsTyped("json", value)) as Record<string, unknown>,
  createdAt: new Date(createdAtMs),
  updatedAt: new Date(updatedAtMs),
});

const search = (
  state: StoreState,
  { namespacePrefix, filter, query, limit = 10, offset = 0 }: SearchOperation,
  nowMs: number,
): { item: StoredItem; score: SearchItem["score"] }[] => {
  if (namespacePrefix.length > 0) validateNamespace(namespacePrefix, { allowReservedRoot: true });
  const found: { item: StoredItem; value: Record<string, unknown> }[] = [];
  for (const item of state.items()) {
    if (isExpired(item, nowMs) || !isUnder(item.namespace, namespacePrefix)) continue;
    // Plain JSON is enough to compare; only what is returned becomes objects again.
    const value = filter || query ? (JSON.parse(item.value) as Record<string, unknown>) : {};
    if (!filter || matchesItemFilter(value, filter)) found.push({ item, value });
  }
  const ranked = query
    ? rankByText(found, query).map(({ entry: { item }, score }) => ({ item, score }))
    : found.map(({ item }) => ({ item, score: undefined }));
  return ranked.slice(offset, offset + limit);
};

const listNamespaces = (
  state: StoreState,
  { matchConditions, maxDepth, limit = 100, offset = 0 }: ListNamespacesOperation,
  nowMs: number,
): string[][] => {
  const names = new Map<string, string[]>();
  for (const items of state.namespaces.values()) {
    const alive = Array.from(items.values()).find((item) => !isExpired(item, nowMs));
    if (!alive || matchConditions?.some((condition) => !matchesCondition(condition, alive.namespace)))
      continue;
    const name = alive.namespace.slice(0, maxDepth);
    names.set(JSON.stringify(name), name);
  }
  return Array.from(names.values())
    .sort((a, b) => a.join(":").localeCompare(b.join(":")))
    .slice(offset, offset + limit);
};
