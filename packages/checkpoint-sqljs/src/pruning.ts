import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { Operation } from "./operations.js";
import { Expander, type Stored } from "./rope.js";
import { versionsOf } from "./stored-versions.js";
import type { NamespaceState, SaverState, ThreadState } from "./thread-state.js";

export interface PruneRules {
  /** In each namespace the newest so many checkpoints stay; at least 1. */
  readonly keepLast: number;
  /** Checkpoints that were made later stay. */
  readonly madeBeforeMs: number;
}

type PruneOperation = Extract<Operation, { kind: "prune" }>;

/**
 * What of a thread can go: old checkpoints, and the namespaces of delegates that are done. Undefined when the thread waits
 * for an answer: a resume needs what it stopped in, delegates included.
 */
export const planPrune = (
  state: SaverState,
  threadId: string,
  rules: PruneRules,
): PruneOperation | undefined => {
  const thread = state.threads.get(threadId);
  if (!thread || isInterrupted(thread)) return undefined;
  const root = thread.namespaces.get("");
  const latestRoot = root && sortedIds(root)[0];
  const checkpoints: { namespace: string; checkpointId: string }[] = [];
  for (const [name, namespace] of thread.namespaces) {
    const ids = sortedIds(namespace);
    // A delegate of the step under way began after the parent's last checkpoint.
    const done = isDelegate(name) && latestRoot !== undefined && (ids[0] ?? "") < latestRoot;
    const kept = new Set(done ? [] : ids.filter((id, index) => index < rules.keepLast || !isOld(id, rules)));
    if (!done) for (const id of neededByDeltas(state, namespace, kept)) kept.add(id);
    for (const checkpointId of new Set([...ids, ...(done ? namespace.writes.keys() : [])]))
      if (!kept.has(checkpointId)) checkpoints.push({ namespace: name, checkpointId });
  }
  return checkpoints.length > 0 ? { kind: "prune", threadId, checkpoints } : undefined;
};

const sortedIds = ({ checkpoints }: NamespaceState): string[] =>
  Array.from(checkpoints.keys()).sort((a, b) => (a < b ? 1 : -1));

/** An interrupt of the last step is a write of the root's last checkpoint, also when a delegate raised it. */
export const isInterrupted = (thread: ThreadState): boolean => {
  const root = thread.namespaces.get("");
  const asking = root && root.checkpoints.size > 0 ? [root] : Array.from(thread.namespaces.values());
  return asking.some((namespace) => {
    const [latest] = sortedIds(namespace);
    const tasks = latest === undefined ? undefined : namespace.writes.get(latest);
    return Array.from(tasks?.values() ?? []).some(({ channel }) => channel === INTERRUPT);
  });
};

/** "tools:<task id>", or such a part anywhere. A subgraph that keeps its state has a namespace without task ids. */
const isDelegate = (namespace: string): boolean =>
  namespace.split("|").some((part) => /:[0-9a-f]{8}-[0-9a-f-]{27}$/.test(part));

/** LangGraph's ids are UUIDs of version 6: the time, in 100 ns since 1582, comes first. Others have no age. */
const isOld = (id: string, { madeBeforeMs }: PruneRules): boolean => {
  if (madeBeforeMs === Number.POSITIVE_INFINITY) return true;
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-/.exec(id);
  if (!match) return false;
  const ticks = BigInt(`0x${match[1]}${match[2]}${match[3]}`);
  return Number(ticks / 10_000n) - 12_219_292_800_000 < madeBeforeMs;
};

/**
 * A delta channel is no value but the writes since its last snapshot, which lie with the ancestors: those stay. Such a
 * channel is known by its writes, and by having no value that is not a `DeltaSnapshot`.
 */
const neededByDeltas = (
  state: SaverState,
  namespace: NamespaceState,
  kept: ReadonlySet<string>,
): Set<string> => {
  const needed = new Set<string>();
  const deltas = deltaChannels(state, namespace);
  if (deltas.size === 0) return needed;
  for (const id of kept) {
    const versions = versionsOf(state.content, namespace.checkpoints.get(id)!);
    const open = new Set(versions.map(([channel]) => channel).filter((channel) => deltas.has(channel)));
    for (let at: string | undefined = id; at !== undefined && open.size > 0;) {
      const checkpoint = namespace.checkpoints.get(at);
      if (!checkpoint) break;
      needed.add(at);
      for (const [channel, version] of versionsOf(state.content, checkpoint))
        if (namespace.values.get(channel)?.has(version)) open.delete(channel);
      at = checkpoint.parentId;
    }
  }
  return needed;
};

const deltaChannels = (state: SaverState, { values, writes }: NamespaceState): Set<string> => {
  const written = new Set<string>();
  for (const tasks of writes.values()) for (const { channel } of tasks.values()) written.add(channel);
  const expander = new Expander(state.content);
  const isDelta = (value: Stored): boolean => {
    const text = expander.value(value);
    // What a serializer of the user's own wrote cannot be looked into: then it may be one.
    return typeof text !== "string" || text.startsWith('{"lc":2,"type":"delta_snapshot"');
  };
  return new Set(
    Array.from(written).filter(
      (channel) =>
        !channel.startsWith("branch:") &&
        !channel.startsWith("__") &&
        Array.from(values.get(channel)?.values() ?? []).every(isDelta),
    ),
  );
};
