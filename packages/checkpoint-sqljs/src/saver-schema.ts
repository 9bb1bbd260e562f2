import { bytesOf, latin1Of } from "./latin1.js";
import type { Database } from "sql.js";
import { BYTES_PREFIX, isBytes, type Stored } from "./rope.js";
import { forEachRow, forEachRowOf, insertRows, type SnapshotSchema } from "./snapshot.js";
import { fromStoredText, toStoredText } from "./stored-text.js";
import { namespaceOf, SaverState, writeKey, type StoredCheckpoint } from "./thread-state.js";

/** Values are JSON text with references (see rope.ts); `type` is empty for it, as it nearly always is. */
const TABLES = `
  CREATE TABLE content (id INTEGER PRIMARY KEY, data NOT NULL);
  CREATE TABLE threads (
    id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, updated_at INTEGER NOT NULL, title TEXT
  );
  CREATE TABLE namespaces (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, checkpoint_ns TEXT NOT NULL);
  CREATE TABLE checkpoints (
    ns INTEGER NOT NULL, checkpoint_id TEXT NOT NULL, parent_id TEXT, versions TEXT,
    checkpoint_type TEXT, checkpoint TEXT NOT NULL, metadata_type TEXT, metadata TEXT NOT NULL
  );
  CREATE TABLE channel_values (
    ns INTEGER NOT NULL, channel TEXT NOT NULL, version TEXT NOT NULL, type TEXT, value TEXT NOT NULL
  );
  CREATE TABLE writes (
    ns INTEGER NOT NULL, checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL,
    channel TEXT NOT NULL, task_path TEXT NOT NULL, type TEXT, value TEXT NOT NULL
  );
`;

const JSON_TYPE = "json";
const typeColumn = (type: string): string | null => (type === JSON_TYPE ? null : toStoredText(type));
const stored = (type: string | null, text: string): Stored => ({
  type: type === null ? JSON_TYPE : fromStoredText(type),
  text,
});

const write = (state: SaverState, db: Database): void => {
  insertRows(db, "content", 2, function* () {
    for (const [id, text] of state.content.entries())
      yield [id, isBytes(text) ? bytesOf(text.slice(1)) : text];
  });
  let threadCount = 0;
  insertRows(db, "threads", 4, function* () {
    for (const [threadId, { updatedAtMs, title }] of state.threads)
      yield [
        (threadCount += 1),
        toStoredText(threadId),
        updatedAtMs,
        title === undefined ? null : toStoredText(title),
      ];
  });
  const namespaces = Array.from(state.threads.values()).flatMap((thread, index) =>
    Array.from(thread.namespaces, ([name, namespace]) => ({ thread: index + 1, name, namespace })),
  );
  insertRows(db, "namespaces", 3, function* () {
    for (const [index, { thread, name }] of namespaces.entries())
      yield [index + 1, thread, toStoredText(name)];
  });
  insertRows(db, "checkpoints", 8, function* () {
    for (const [index, { namespace }] of namespaces.entries())
      for (const [id, { parentId, versions, checkpoint, metadata }] of namespace.checkpoints)
        yield [
          index + 1,
          toStoredText(id),
          parentId === undefined ? null : toStoredText(parentId),
          versions ?? null,
          typeColumn(checkpoint.type),
          checkpoint.text,
          typeColumn(metadata.type),
          metadata.text,
        ];
  });
  insertRows(db, "channel_values", 5, function* () {
    for (const [index, { namespace }] of namespaces.entries())
      for (const [channel, versions] of namespace.values)
        for (const [version, { type, text }] of versions)
          yield [index + 1, toStoredText(channel), version, typeColumn(type), text];
  });
  insertRows(db, "writes", 8, function* () {
    for (const [index, { namespace }] of namespaces.entries())
      for (const [id, tasks] of namespace.writes)
        for (const { taskId, index: position, channel, taskPath, value } of tasks.values())
          yield [
            index + 1,
            toStoredText(id),
            toStoredText(taskId),
            position,
            toStoredText(channel),
            toStoredText(taskPath),
            typeColumn(value.type),
            value.text,
          ];
  });
};

const read = (db: Database): SaverState => {
  const state = new SaverState();
  const text = "CASE typeof(data) WHEN 'text' THEN data END";
  forEachRow<[number, string | null]>(db, "content", `id, ${text}`, ([id, data]) => {
    if (data !== null) state.content.add(id, data);
  });
  const bytes = "SELECT id, data FROM content WHERE typeof(data) = 'blob'";
  forEachRowOf<[number, Uint8Array]>(db, bytes, ([id, data]) =>
    state.content.add(id, BYTES_PREFIX + latin1Of(new Uint8Array(data.buffer))),
  );
  const threads: string[] = [];
  forEachRow<[number, string, number, string | null]>(
    db,
    "threads",
    "id, thread_id, updated_at, title",
    ([id, name, at, title]) => {
      const threadId = (threads[id] = fromStoredText(name));
      const thread = state.thread(threadId);
      thread.updatedAtMs = at;
      thread.title = title === null ? undefined : fromStoredText(title);
    },
  );
  const namespaces: ReturnType<typeof namespaceOf>[] = [];
  forEachRow<[number, number, string]>(
    db,
    "namespaces",
    "id, thread, checkpoint_ns",
    ([id, thread, name]) => {
      namespaces[id] = namespaceOf(state.thread(threads[thread]!), fromStoredText(name));
    },
  );
  type Checkpoint = [
    number,
    string,
    string | null,
    string | null,
    string | null,
    string,
    string | null,
    string,
  ];
  forEachRow<Checkpoint>(
    db,
    "checkpoints",
    "ns, checkpoint_id, parent_id, versions, checkpoint_type, checkpoint, metadata_type, metadata",
    ([ns, id, parent, versions, type, checkpoint, metadataType, metadata]) => {
      const record: StoredCheckpoint = {
        parentId: parent === null ? undefined : fromStoredText(parent),
        versions: versions ?? undefined,
        checkpoint: stored(type, checkpoint),
        metadata: stored(metadataType, metadata),
      };
      namespaces[ns]!.checkpoints.set(fromStoredText(id), record);
    },
  );
  forEachRow<[number, string, string, string | null, string]>(
    db,
    "channel_values",
    "ns, channel, version, type, value",
    ([ns, name, version, type, text]) => {
      const { values } = namespaces[ns]!;
      const channel = fromStoredText(name);
      let versions = values.get(channel);
      if (!versions) values.set(channel, (versions = new Map()));
      versions.set(version, stored(type, text));
    },
  );
  forEachRow<[number, string, string, number, string, string, string | null, string]>(
    db,
    "writes",
    "ns, checkpoint_id, task_id, idx, channel, task_path, type, value",
    ([ns, id, task, index, channel, path, type, text]) => {
      const { writes } = namespaces[ns]!;
      const checkpointId = fromStoredText(id);
      let tasks = writes.get(checkpointId);
      if (!tasks) writes.set(checkpointId, (tasks = new Map()));
      const taskId = fromStoredText(task);
      tasks.set(writeKey(taskId, index), {
        taskId,
        index,
        channel: fromStoredText(channel),
        taskPath: fromStoredText(path),
        value: stored(type, text),
      });
    },
  );
  return state;
};

/** How a saver's database is laid out. The rows are in the order of the maps, so reading restores them as they were. */
export const saverSchema: SnapshotSchema<SaverState> = { tables: TABLES, write, read };
