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
import type { CheckpointAddress, CheckpointRecord, Serialized, TupleRecord, WriteRecord } from "./records.js";

// Between LangGraph's objects and stored rows. Every `dumpsTyped` is called before the first `await`, so that what is
// stored is the value at the time of the call: LangGraph sets ids on messages between putWrites and put.

const dump = async (serde: SerializerProtocol, data: unknown): Promise<Serialized> => {
  const [type, value] = await serde.dumpsTyped(data);
  return { type, value };
};

const load = (serde: SerializerProtocol, { type, value }: Serialized): Promise<unknown> =>
  serde.loadsTyped(type, value) as Promise<unknown>;

export const toCheckpointRecord = async (
  serde: SerializerProtocol,
  at: CheckpointAddress & { parentId: string | undefined },
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata,
  newVersions: ChannelVersions,
): Promise<CheckpointRecord> => {
  const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
  const [body, meta, changed] = await Promise.all([
    dump(serde, rest),
    dump(serde, metadata),
    Promise.all(
      Object.entries(newVersions).map(async ([channel, version]) => ({
        channel,
        version,
        value: Object.hasOwn(values, channel) ? await dump(serde, values[channel]) : undefined,
      })),
    ),
  ]);
  return {
    ...at,
    checkpoint: body,
    metadata: meta,
    channelVersions: Object.entries(rest.channel_versions),
    changed,
  };
};

export const toWriteRecords = (
  serde: SerializerProtocol,
  writes: readonly PendingWrite[],
  taskId: string,
  taskPath: string,
): Promise<WriteRecord[]> =>
  Promise.all(
    writes.map(async ([channel, value], position) => ({
      taskId,
      channel,
      taskPath,
      index: Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : position,
      value: await dump(serde, value),
    })),
  );

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
