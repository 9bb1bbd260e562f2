import type { Database } from "sql.js";
import { ByteReader, ByteWriter } from "./byte-codec.js";
import type { Model } from "./loading.js";
import { forEachRow, insertRows } from "./snapshot.js";
import { fromStoredText, toStoredText } from "./stored-text.js";

export interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  /** As LangGraph's serializer writes it. */
  readonly value: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** 0: never. */
  readonly expiresAtMs: number;
  /** What a text search looks at: everything unless given, nothing if false, else these paths. */
  readonly index: readonly string[] | false | undefined;
}

/** One change of an item; without `value` it is removed. */
export interface ItemChange {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: string | undefined;
  readonly index: readonly string[] | false | undefined;
}

export interface StoreOperation {
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly changes: readonly ItemChange[];
}

/** The items of a store, in the order in which they were first put. */
export class StoreState {
  readonly namespaces = new Map<string, Map<string, StoredItem>>();

  get(namespace: readonly string[], key: string): StoredItem | undefined {
    return this.namespaces.get(JSON.stringify(namespace))?.get(key);
  }

  *items(): Generator<StoredItem> {
    for (const items of this.namespaces.values()) yield* items.values();
  }

  set(item: StoredItem): void {
    const name = JSON.stringify(item.namespace);
    let items = this.namespaces.get(name);
    if (!items) this.namespaces.set(name, (items = new Map()));
    items.set(item.key, item);
  }

  delete(namespace: readonly string[], key: string): void {
    const name = JSON.stringify(namespace);
    const items = this.namespaces.get(name);
    items?.delete(key);
    if (items?.size === 0) this.namespaces.delete(name);
  }
}

/** A new value keeps the time of creation, unless the old one had expired. */
export const applyStoreOperation = (
  state: StoreState,
  { nowMs, expiresAtMs, changes }: StoreOperation,
): void => {
  for (const { namespace, key, value, index } of changes) {
    const known = state.get(namespace, key);
    const alive = known && !isExpired(known, nowMs) ? known : undefined;
    if (value === undefined) state.delete(namespace, key);
    else {
      const createdAtMs = alive?.createdAtMs ?? nowMs;
      state.set({ namespace, key, value, createdAtMs, updatedAtMs: nowMs, expiresAtMs, index });
    }
  }
};

export const isExpired = ({ expiresAtMs }: StoredItem, nowMs: number): boolean =>
  expiresAtMs !== 0 && expiresAtMs <= nowMs;

export const encodeStoreOperation = ({ nowMs, expiresAtMs, changes }: StoreOperation): Uint8Array => {
  const to = new ByteWriter().uint(nowMs).uint(expiresAtMs).uint(changes.length);
  for (const { namespace, key, value, index } of changes)
    to.text(JSON.stringify(namespace))
      .text(toStoredText(key))
      .optionalText(value)
      .text(JSON.stringify(index ?? null));
  return to.bytes();
};

const decodeStoreOperation = (payload: Uint8Array): StoreOperation => {
  const from = new ByteReader(payload);
  return {
    nowMs: from.uint(),
    expiresAtMs: from.uint(),
    changes: from.many(() => ({
      namespace: JSON.parse(from.text()) as string[],
      key: fromStoredText(from.text()),
      value: from.optionalText(),
      index: (JSON.parse(from.text()) as string[] | false | null) ?? undefined,
    })),
  };
};

const TABLES = `
  CREATE TABLE items (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, search_index TEXT NOT NULL
  );
`;

const write = (state: StoreState, db: Database): void =>
  insertRows(db, "items", 7, function* () {
    for (const item of state.items())
      yield [
        JSON.stringify(item.namespace),
        toStoredText(item.key),
        item.value,
        item.createdAtMs,
        item.updatedAtMs,
        item.expiresAtMs,
        JSON.stringify(item.index ?? null),
      ];
  });

const read = (db: Database): StoreState => {
  const state = new StoreState();
  forEachRow<[string, string, string, number, number, number, string]>(
    db,
    "items",
    "namespace, key, value, created_at, updated_at, expires_at, search_index",
    ([namespace, key, value, createdAtMs, updatedAtMs, expiresAtMs, index]) =>
      state.set({
        namespace: JSON.parse(namespace) as string[],
        key: fromStoredText(key),
        value,
        createdAtMs,
        updatedAtMs,
        expiresAtMs,
        index: (JSON.parse(index) as string[] | false | null) ?? undefined,
      }),
  );
  return state;
};

/** The database of a `SqlJsStore`. */
export const storeModel = (nowMs: () => number): Model<StoreState> => ({
  kind: "store",
  schema: { tables: TABLES, write, read },
  create: () => new StoreState(),
  replay: (state, payload) => applyStoreOperation(state, decodeStoreOperation(payload)),
  sweep: (state) => {
    const now = nowMs();
    for (const item of Array.from(state.items()))
      if (isExpired(item, now)) state.delete(item.namespace, item.key);
  },
  summarize: () => null,
});
