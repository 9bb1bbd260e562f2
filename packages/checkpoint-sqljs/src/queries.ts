import { compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";
import type { CheckpointAddress } from "./operations.js";
import { Expander, type Stored } from "./rope.js";
import { versionsOf } from "./stored-versions.js";
import { textsOf, type NamespaceState, type SaverState, type ThreadState } from "./thread-state.js";

/** A value as the serializer left it. */
export interface Serialized {
  readonly type: string;
  readonly value: Uint8Array | string;
}

export interface WriteRecord {
  readonly taskId: string;
  readonly channel: string;
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

/** What is known of a thread without reading its values. */
export interface ThreadSummary {
  readonly threadId: string;
  readonly updatedAtMs: number;
  readonly checkpoints: number;
  readonly title: string | undefined;
}

export interface ThreadRecord extends ThreadSummary {
  readonly bytes: number;
}

/** The checkpoint with this id, or the newest of the namespace. */
export const readTuple = (
  state: SaverState,
  at: Omit<CheckpointAddress, "checkpointId"> & { checkpointId: string | undefined },
): TupleRecord | undefined => {
  const namespace = state.threads.get(at.threadId)?.namespaces.get(at.namespace);
  const id = at.checkpointId ?? (namespace && newest(namespace.checkpoints.keys()));
  const stored = id === undefined ? undefined : namespace?.checkpoints.get(id);
  if (!namespace || !stored || id === undefined) return undefined;
  const expander = new Expander(state.content);
  const serialized = (value: Stored): Serialized => ({ type: value.type, value: expander.value(value) });
  const values: [string, Serialized][] = [];
  for (const [channel, version] of versionsOf(state.content, stored, expander)) {
    const value = namespace.values.get(channel)?.get(version);
    if (value) values.push([channel, serialized(value)]);
  }
  return {
    threadId: at.threadId,
    namespace: at.namespace,
    checkpointId: id,
    parentId: stored.parentId,
    checkpoint: serialized(stored.checkpoint),
    metadata: serialized(stored.metadata),
    values,
    writes: readWrites(namespace, id, serialized),
    parentWrites: stored.parentId === undefined ? [] : readWrites(namespace, stored.parentId, serialized),
  };
};

const newest = (ids: Iterable<string>): string | undefined => {
  let found: string | undefined;
  for (const id of ids) if (found === undefined || id > found) found = id;
  return found;
};

const readWrites = (
  namespace: NamespaceState,
  checkpointId: string,
  serialized: (value: Stored) => Serialized,
): WriteRecord[] =>
  Array.from(namespace.writes.get(checkpointId)?.values() ?? [])
    .sort((a, b) =>
      compareWritesSortKeys(
        writesSortKey(a.taskPath, a.taskId, a.index),
        writesSortKey(b.taskPath, b.taskId, b.index),
      ),
    )
    .map(({ taskId, channel, value }) => ({ taskId, channel, value: serialized(value) }));

export const compareNewestFirst = (a: CheckpointAddress, b: CheckpointAddress): number =>
  compare(b.checkpointId, a.checkpointId) ||
  compare(a.threadId, b.threadId) ||
  compare(a.namespace, b.namespace);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Newest first. */
export const readIndex = (state: SaverState, query: CheckpointQuery): IndexEntry[] => {
  const entries: IndexEntry[] = [];
  const expander = new Expander(state.content);
  const threads: Iterable<readonly [string, ThreadState | undefined]> =
    query.threadId === undefined ? state.threads : [[query.threadId, state.threads.get(query.threadId)]];
  for (const [threadId, thread] of threads)
    for (const [namespace, { checkpoints }] of thread?.namespaces ?? []) {
      if (query.namespace !== undefined && query.namespace !== namespace) continue;
      for (const [checkpointId, { metadata }] of checkpoints) {
        if (query.checkpointId !== undefined && query.checkpointId !== checkpointId) continue;
        if (query.before !== undefined && checkpointId >= query.before) continue;
        entries.push({
          threadId,
          namespace,
          checkpointId,
          metadata: { type: metadata.type, value: expander.value(metadata) },
        });
      }
    }
  return entries.sort(compareNewestFirst);
};

export const summarizeThreads = (state: SaverState): ThreadSummary[] =>
  Array.from(state.threads, ([threadId, { updatedAtMs, title, namespaces }]) => {
    let checkpoints = 0;
    for (const namespace of namespaces.values()) checkpoints += namespace.checkpoints.size;
    return { threadId, updatedAtMs, title, checkpoints };
  });

/** With what each thread stores; what several hold counts for each of them. */
export const readThreads = (state: SaverState): ThreadRecord[] =>
  summarizeThreads(state).map((summary) => {
    let bytes = 0;
    for (const text of textsOf(state.threads.get(summary.threadId)!)) bytes += text.length;
    for (const id of state.content.reachable(textsOf(state.threads.get(summary.threadId)!)))
      bytes += state.content.get(id).length;
    return { ...summary, bytes };
  });
