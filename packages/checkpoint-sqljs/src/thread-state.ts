import { ContentStore } from "./content-store.js";
import type { Operation, PutOperation, StoredWrite, WritesOperation } from "./operations.js";
import { versionsOf } from "./stored-versions.js";
import type { Stored } from "./rope.js";

export interface StoredCheckpoint {
  readonly parentId: string | undefined;
  readonly checkpoint: Stored;
  readonly metadata: Stored;
  readonly versions: string | undefined;
}

/** What one namespace of one thread holds. */
export interface NamespaceState {
  readonly checkpoints: Map<string, StoredCheckpoint>;
  /** By channel and version. */
  readonly values: Map<string, Map<string, Stored>>;
  /** By checkpoint, then by task and index. The checkpoint may come later than its writes, or never. */
  readonly writes: Map<string, Map<string, StoredWrite>>;
}

export interface ThreadState {
  updatedAtMs: number;
  title: string | undefined;
  readonly namespaces: Map<string, NamespaceState>;
}

/** A whole database in memory. */
export class SaverState {
  readonly content = new ContentStore();
  readonly threads = new Map<string, ThreadState>();
  /** Something was removed or replaced, so parts may be left that nothing refers to. */
  hasGarbage = false;

  thread(id: string): ThreadState {
    let thread = this.threads.get(id);
    if (!thread) this.threads.set(id, (thread = { updatedAtMs: 0, title: undefined, namespaces: new Map() }));
    return thread;
  }

  /** Every stored text, for finding the parts that are in use. */
  *texts(): Generator<string> {
    for (const thread of this.threads.values()) yield* textsOf(thread);
  }

  sweep(): void {
    if (!this.hasGarbage) return;
    this.content.sweep(this.texts());
    this.hasGarbage = false;
  }
}

/** Every stored text of a thread. */
export function* textsOf({ namespaces }: ThreadState): Generator<string> {
  for (const { checkpoints, values, writes } of namespaces.values()) {
    for (const { checkpoint, metadata } of checkpoints.values()) {
      yield checkpoint.text;
      yield metadata.text;
    }
    for (const versions of values.values()) for (const { text } of versions.values()) yield text;
    for (const tasks of writes.values()) for (const { value } of tasks.values()) yield value.text;
  }
}

export const namespaceOf = (thread: ThreadState, name: string): NamespaceState => {
  let namespace = thread.namespaces.get(name);
  if (!namespace)
    thread.namespaces.set(
      name,
      (namespace = { checkpoints: new Map(), values: new Map(), writes: new Map() }),
    );
  return namespace;
};

export const writeKey = (taskId: string, index: number): string => `${index} ${taskId}`;

/** The one place where a database changes, whether a call made the operation or the journal did. */
export const applyOperation = (state: SaverState, operation: Operation): void => {
  switch (operation.kind) {
    case "put":
      return put(state, operation);
    case "writes":
      return putWrites(state, operation);
    case "delete-thread":
      if (state.threads.delete(operation.threadId)) state.hasGarbage = true;
      return;
    case "copy-thread":
      return copyThread(state, operation);
    case "prune":
      return prune(state, operation);
  }
};

const put = (state: SaverState, operation: PutOperation): void => {
  const thread = state.thread(operation.threadId);
  thread.updatedAtMs = operation.nowMs;
  thread.title ??= operation.title;
  const namespace = namespaceOf(thread, operation.namespace);
  for (const { channel, version, value } of operation.changed) {
    let versions = namespace.values.get(channel);
    if (!versions) namespace.values.set(channel, (versions = new Map()));
    if (versions.has(version)) state.hasGarbage = true;
    if (value) versions.set(version, value);
    else versions.delete(version);
  }
  if (namespace.checkpoints.has(operation.checkpointId)) state.hasGarbage = true;
  const { parentId, checkpoint, metadata, versions } = operation;
  namespace.checkpoints.set(operation.checkpointId, { parentId, checkpoint, metadata, versions });
};

const putWrites = (state: SaverState, operation: WritesOperation): void => {
  const thread = state.thread(operation.threadId);
  thread.updatedAtMs = operation.nowMs;
  const { writes } = namespaceOf(thread, operation.namespace);
  let tasks = writes.get(operation.checkpointId);
  if (!tasks) writes.set(operation.checkpointId, (tasks = new Map()));
  // Special writes (errors, interrupts, resumes) have negative indexes and may be replaced; a task that runs again must
  // not replace what it wrote the first time.
  for (const write of operation.writes) {
    const key = writeKey(write.taskId, write.index);
    if (tasks.has(key)) {
      state.hasGarbage = true;
      if (write.index >= 0) continue;
    }
    tasks.set(key, write);
  }
};

const copyThread = (
  state: SaverState,
  { threadId, to, nowMs }: Extract<Operation, { kind: "copy-thread" }>,
): void => {
  const from = state.threads.get(threadId);
  if (!from) return;
  const copyAll = <K, V>(map: Map<K, V>, copy: (value: V) => V): Map<K, V> =>
    new Map(Array.from(map, ([key, value]) => [key, copy(value)]));
  state.threads.set(to, {
    updatedAtMs: nowMs,
    title: from.title,
    namespaces: copyAll(from.namespaces, ({ checkpoints, values, writes }) => ({
      checkpoints: new Map(checkpoints),
      values: copyAll(values, (versions) => new Map(versions)),
      writes: copyAll(writes, (tasks) => new Map(tasks)),
    })),
  });
};

const prune = (state: SaverState, { threadId, checkpoints }: Extract<Operation, { kind: "prune" }>): void => {
  const thread = state.threads.get(threadId);
  if (!thread) return;
  const touched = new Set<string>();
  for (const { namespace: name, checkpointId } of checkpoints) {
    const namespace = thread.namespaces.get(name);
    if (!namespace) continue;
    touched.add(name);
    namespace.checkpoints.delete(checkpointId);
    namespace.writes.delete(checkpointId);
  }
  for (const name of touched) {
    const namespace = thread.namespaces.get(name)!;
    if (namespace.checkpoints.size === 0 && namespace.writes.size === 0) thread.namespaces.delete(name);
    else dropUnusedValues(state, namespace);
  }
  state.hasGarbage = true;
};

const dropUnusedValues = (state: SaverState, namespace: NamespaceState): void => {
  const used = new Set<string>();
  for (const checkpoint of namespace.checkpoints.values())
    for (const [channel, version] of versionsOf(state.content, checkpoint))
      used.add(JSON.stringify([channel, version]));
  for (const [channel, versions] of namespace.values) {
    for (const version of versions.keys())
      if (!used.has(JSON.stringify([channel, version]))) versions.delete(version);
    if (versions.size === 0) namespace.values.delete(channel);
  }
};
