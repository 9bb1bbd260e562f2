import type { Database, SqlValue } from "sql.js";
import { compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";
import { fromStoredText, toStoredText } from "./stored-text.js";
import { inTransaction, queryAll, runEach } from "./sql.js";

/** A value as the serializer left it. */
export interface Serialized {
  readonly type: string;
  readonly value: Uint8Array;
}

export interface CheckpointAddress {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string;
}

export type ChannelVersion = number | string;

export interface CheckpointRecord extends CheckpointAddress {
  readonly parentId: string | undefined;
  /** The checkpoint without its channel values. */
  readonly checkpoint: Serialized;
  readonly metadata: Serialized;
  readonly channelVersions: readonly (readonly [channel: string, version: ChannelVersion])[];
  /** The changed channels; one without a value was emptied. */
  readonly changed: readonly { channel: string; version: ChannelVersion; value: Serialized | undefined }[];
}

export interface WriteRecord {
  readonly taskId: string;
  readonly index: number;
  readonly channel: string;
  readonly taskPath: string;
  readonly value: Serialized;
}

/** One checkpoint with everything its tuple is made of, read in one go so that it is consistent. */
export interface TupleRecord extends CheckpointAddress {
  readonly parentId: string | undefined;
  readonly checkpoint: Serialized;
  readonly metadata: Serialized;
  readonly values: readonly (readonly [channel: string, value: Serialized])[];
  /** In `writesSortKey` order. */
  readonly writes: readonly WriteRecord[];
  /** The parent's, for checkpoints from before format 4, whose pending sends lived there. */
  readonly parentWrites: readonly WriteRecord[];
}

export interface CheckpointQuery {
  readonly threadId?: string;
  readonly namespace?: string;
  readonly checkpointId?: string;
  /** Only checkpoints whose id sorts before this one. */
  readonly before?: string;
}

export interface IndexEntry extends CheckpointAddress {
  readonly metadata: Serialized;
}

export interface ThreadRecord {
  readonly threadId: string;
  readonly updatedAtMs: number;
  readonly checkpoints: number;
  readonly bytes: number;
}

/** 1 and "1" are different versions. */
const versionText = (version: ChannelVersion): string => JSON.stringify(version);

const address = ({ threadId, namespace, checkpointId }: CheckpointAddress): [string, string, string] => [
  toStoredText(threadId),
  toStoredText(namespace),
  toStoredText(checkpointId),
];

const touch = (db: Database, thread: string, nowMs: number): void => {
  db.run("INSERT OR REPLACE INTO threads (thread_id, updated_at) VALUES (?, ?)", [thread, nowMs]);
};

export const putCheckpoint = (db: Database, record: CheckpointRecord, nowMs: number): void =>
  inTransaction(db, () => {
    const [thread, namespace, id] = address(record);
    touch(db, thread, nowMs);
    const removed: SqlValue[][] = [];
    const stored: SqlValue[][] = [];
    for (const { channel, version, value } of record.changed) {
      const key = [thread, namespace, toStoredText(channel), versionText(version)];
      if (value) stored.push([...key, value.type, value.value]);
      else removed.push(key);
    }
    runEach(
      db,
      "DELETE FROM channel_blobs WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ? AND version = ?",
      removed,
    );
    runEach(db, "INSERT OR REPLACE INTO channel_blobs VALUES (?, ?, ?, ?, ?, ?)", stored);
    runEach(db, "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [
      [
        thread,
        namespace,
        id,
        record.parentId === undefined ? null : toStoredText(record.parentId),
        // JSON.stringify escapes NUL and lone surrogates by itself.
        JSON.stringify(record.channelVersions),
        record.checkpoint.type,
        record.checkpoint.value,
        record.metadata.type,
        record.metadata.value,
      ],
    ]);
  });

export const putWrites = (
  db: Database,
  at: CheckpointAddress,
  writes: readonly WriteRecord[],
  nowMs: number,
): void =>
  inTransaction(db, () => {
    const key = address(at);
    touch(db, key[0], nowMs);
    const row = (write: WriteRecord): SqlValue[] => [
      ...key,
      toStoredText(write.taskId),
      write.index,
      toStoredText(write.channel),
      toStoredText(write.taskPath),
      write.value.type,
      write.value.value,
    ];
    // Special writes (errors, interrupts, resumes) have negative indexes and may be replaced; a task that runs again
    // must not replace what it wrote the first time.
    const insert = (policy: "REPLACE" | "IGNORE", rows: SqlValue[][]): void =>
      runEach(db, `INSERT OR ${policy} INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, rows);
    insert("REPLACE", writes.filter((write) => write.index < 0).map(row));
    insert("IGNORE", writes.filter((write) => write.index >= 0).map(row));
  });

/** Removes every row of the thread. The space is given back by the VACUUM that follows, outside of the transaction. */
export const deleteThread = (db: Database, threadId: string): void =>
  inTransaction(db, () => {
    for (const table of ["checkpoints", "channel_blobs", "writes", "threads"])
      db.run(`DELETE FROM ${table} WHERE thread_id = ?`, [toStoredText(threadId)]);
  });

export const hasThread = (db: Database, threadId: string): boolean =>
  queryAll(db, "SELECT 1 FROM threads WHERE thread_id = ?", [toStoredText(threadId)]).length > 0;

/** The checkpoint with this id, or the newest of the namespace. */
export const readTuple = (
  db: Database,
  at: Omit<CheckpointAddress, "checkpointId"> & { checkpointId: string | undefined },
): TupleRecord | undefined => {
  const thread = toStoredText(at.threadId);
  const namespace = toStoredText(at.namespace);
  const [row] = queryAll<[string, string | null, string, string, Uint8Array, string, Uint8Array]>(
    db,
    `SELECT checkpoint_id, parent_id, channel_versions, checkpoint_type, checkpoint, metadata_type, metadata
     FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? ${at.checkpointId === undefined ? "" : "AND checkpoint_id = ?"}
     ORDER BY checkpoint_id DESC LIMIT 1`,
    at.checkpointId === undefined ? [thread, namespace] : [thread, namespace, toStoredText(at.checkpointId)],
  );
  if (!row) return undefined;
  const [id, parent, versions, type, value, metadataType, metadata] = row;
  return {
    threadId: at.threadId,
    namespace: at.namespace,
    checkpointId: fromStoredText(id),
    parentId: parent === null ? undefined : fromStoredText(parent),
    checkpoint: { type, value },
    metadata: { type: metadataType, value: metadata },
    values: readValues(db, thread, namespace, JSON.parse(versions) as [string, ChannelVersion][]),
    writes: readWrites(db, thread, namespace, id),
    parentWrites: parent === null ? [] : readWrites(db, thread, namespace, parent),
  };
};

const readValues = (
  db: Database,
  thread: string,
  namespace: string,
  versions: readonly [string, ChannelVersion][],
): [string, Serialized][] => {
  const statement = db.prepare(
    "SELECT type, value FROM channel_blobs WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ? AND version = ?",
  );
  try {
    const values: [string, Serialized][] = [];
    for (const [channel, version] of versions) {
      statement.bind([thread, namespace, toStoredText(channel), versionText(version)]);
      if (!statement.step()) continue;
      const [type, value] = statement.get() as [string, Uint8Array];
      values.push([channel, { type, value }]);
    }
    return values;
  } finally {
    statement.free();
  }
};

const readWrites = (db: Database, thread: string, namespace: string, checkpoint: string): WriteRecord[] =>
  queryAll<[string, number, string, string, string, Uint8Array]>(
    db,
    `SELECT task_id, idx, channel, task_path, type, value FROM writes
     WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?`,
    [thread, namespace, checkpoint],
  )
    .map(([taskId, index, channel, taskPath, type, value]) => ({
      taskId: fromStoredText(taskId),
      index,
      channel: fromStoredText(channel),
      taskPath: fromStoredText(taskPath),
      value: { type, value },
    }))
    // The one comparator of LangGraph, rather than SQLite's collation.
    .sort((a, b) =>
      compareWritesSortKeys(
        writesSortKey(a.taskPath, a.taskId, a.index),
        writesSortKey(b.taskPath, b.taskId, b.index),
      ),
    );

/** Newest first. */
export const readIndex = (db: Database, query: CheckpointQuery): IndexEntry[] => {
  const conditions = [
    ["thread_id = ?", query.threadId],
    ["checkpoint_ns = ?", query.namespace],
    ["checkpoint_id = ?", query.checkpointId],
    ["checkpoint_id < ?", query.before],
  ].filter((condition): condition is [string, string] => condition[1] !== undefined);
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}` : "";
  return queryAll<[string, string, string, string, Uint8Array]>(
    db,
    `SELECT thread_id, checkpoint_ns, checkpoint_id, metadata_type, metadata FROM checkpoints ${where}
     ORDER BY checkpoint_id DESC, thread_id, checkpoint_ns`,
    conditions.map(([, value]) => toStoredText(value)),
  ).map(([threadId, namespace, checkpointId, type, value]) => ({
    threadId: fromStoredText(threadId),
    namespace: fromStoredText(namespace),
    checkpointId: fromStoredText(checkpointId),
    metadata: { type, value },
  }));
};

export const readThreads = (db: Database): ThreadRecord[] =>
  queryAll<[string, number, number, number]>(
    db,
    `SELECT thread_id, updated_at,
       (SELECT count(*) FROM checkpoints c WHERE c.thread_id = t.thread_id),
       (SELECT coalesce(sum(length(checkpoint) + length(metadata)), 0) FROM checkpoints c WHERE c.thread_id = t.thread_id)
       + (SELECT coalesce(sum(length(value)), 0) FROM channel_blobs b WHERE b.thread_id = t.thread_id)
       + (SELECT coalesce(sum(length(value)), 0) FROM writes w WHERE w.thread_id = t.thread_id)
     FROM threads t`,
  ).map(([threadId, updatedAtMs, checkpoints, bytes]) => ({
    threadId: fromStoredText(threadId),
    updatedAtMs,
    checkpoints,
    bytes,
  }));
