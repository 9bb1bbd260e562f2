import {
  copyCheckpoint,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { ContentStore } from "./content-store.js";
import { firstUserWords } from "./first-user-words.js";
import type { CheckpointAddress, Operation } from "./operations.js";
import type { Serialized, TupleRecord } from "./queries.js";
import type { SaverState } from "./thread-state.js";
import { resolveRope, type Rope, type Stored } from "./rope.js";

// Between LangGraph's objects and stored values. Everything is encoded before the first `await`, so that what is stored
// is the value at the time of the call: LangGraph sets ids on messages between putWrites and put.

/** A value that is encoded and has not met the database it goes into. */
export interface Draft {
  readonly type: string;
  readonly rope: Rope;
}

/** Encodes the values of one call. */
export type Encode = (value: unknown) => Draft | Promise<Draft>;

const store = ({ type, rope }: Draft, content: ContentStore): Stored => ({
  type,
  text: resolveRope(rope, content),
});

/** The operation that puts this checkpoint, once there is a database to put it into. */
export const draftPut = async (
  encode: Encode,
  at: CheckpointAddress & { parentId: string | undefined },
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata,
  newVersions: ChannelVersions,
  readable: boolean,
): Promise<(state: SaverState, nowMs: number) => Operation> => {
  const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
  // Whoever brings a serializer may encrypt: then nothing is kept beside what it made.
  const title = readable ? firstUserWords(values) : undefined;
  const versions = readable
    ? undefined
    : JSON.stringify(
        Object.entries(rest.channel_versions).map(([channel, version]) => [channel, JSON.stringify(version)]),
      );
  const [body, meta, changed] = await Promise.all([
    encode(rest),
    encode(metadata),
    Promise.all(
      Object.entries(newVersions).map(async ([channel, version]) => ({
        channel,
        version: JSON.stringify(version),
        value: Object.hasOwn(values, channel) ? await encode(values[channel]) : undefined,
      })),
    ),
  ]);
  return ({ content, threads }, nowMs) => ({
    kind: "put",
    ...at,
    nowMs,
    isNew: !threads.get(at.threadId)?.namespaces.get(at.namespace)?.checkpoints.has(at.checkpointId),
    checkpoint: store(body, content),
    metadata: store(meta, content),
    versions,
    changed: changed.map(({ value, ...channel }) => ({ ...channel, value: value && store(value, content) })),
    title,
  });
};

export const draftWrites = async (
  encode: Encode,
  at: CheckpointAddress,
  writes: readonly PendingWrite[],
  taskId: string,
  taskPath: string,
): Promise<(state: SaverState, nowMs: number) => Operation> => {
  const drafts = await Promise.all(
    writes.map(async ([channel, value], position) => ({
      taskId,
      channel,
      taskPath,
      index: Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : position,
      value: await encode(value),
    })),
  );
  return ({ content }, nowMs) => ({
    kind: "writes",
    ...at,
    nowMs,
    writes: drafts.map((draft) => ({ ...draft, value: store(draft.value, content) })),
  });
};

const load = (serde: SerializerProtocol, { type, value }: Serialized): Promise<unknown> =>
  serde.loadsTyped(type, value) as Promise<unknown>;

export const toTuple = async (
  serde: SerializerProtocol,
  record: TupleRecord,
  firstVersion: () => number,
): Promise<CheckpointTuple> => {
  const [body, metadata, values, pendingWrites] = await Promise.all([
    load(serde, record.checkpoint) as Promise<Checkpoint>,
    load(serde, record.metadata) as Promise<CheckpointMetadata>,
    Promise.all(record.values.map(async ([channel, value]) => [channel, await load(serde, value)] as const)),
    Promise.all(
      record.writes.map(async ({ taskId, channel, value }): Promise<CheckpointPendingWrite> => [
        taskId,
        channel,
        await load(serde, value),
      ]),
    ),
  ]);
  const checkpoint: Checkpoint = { ...body, channel_values: Object.fromEntries(values) };
  if (checkpoint.v < 4 && record.parentId !== undefined)
    await migratePendingSends(serde, checkpoint, record, firstVersion);
  const config = (checkpointId: string): CheckpointTuple["config"] => ({
    configurable: {
      thread_id: record.threadId,
      checkpoint_ns: record.namespace,
      checkpoint_id: checkpointId,
    },
  });
  return {
    config: config(record.checkpointId),
    checkpoint,
    metadata,
    pendingWrites,
    ...(record.parentId === undefined ? {} : { parentConfig: config(record.parentId) }),
  };
};

/** Before format 4 the Sends of a step were pending writes of the parent; since then they are a channel. */
const migratePendingSends = async (
  serde: SerializerProtocol,
  checkpoint: Checkpoint,
  record: TupleRecord,
  firstVersion: () => number,
): Promise<void> => {
  const sends = record.parentWrites.filter(({ channel }) => channel === TASKS);
  checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => load(serde, value)));
  const versions = Object.values(checkpoint.channel_versions);
  checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : firstVersion();
};
