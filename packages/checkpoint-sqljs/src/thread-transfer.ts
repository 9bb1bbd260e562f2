import { mapReferences } from "./rope.js";
import { namespaceOf, SaverState, type ThreadState } from "./thread-state.js";
import type { Stored } from "./rope.js";

/** Takes a thread over from another database, whose parts have other numbers. */
export const importThread = (
  target: SaverState,
  threadId: string,
  source: SaverState,
  thread: ThreadState,
): void => {
  const numbers = new Map<number, number>();
  const number = (id: number): number => {
    let known = numbers.get(id);
    if (known === undefined)
      numbers.set(id, (known = target.content.intern(mapReferences(source.content.get(id), number))));
    return known;
  };
  const value = ({ type, text }: Stored): Stored => ({ type, text: mapReferences(text, number) });
  const copy = target.thread(threadId);
  copy.updatedAtMs = thread.updatedAtMs;
  copy.title = thread.title;
  for (const [name, namespace] of thread.namespaces) {
    const to = namespaceOf(copy, name);
    for (const [id, checkpoint] of namespace.checkpoints)
      to.checkpoints.set(id, {
        ...checkpoint,
        checkpoint: value(checkpoint.checkpoint),
        metadata: value(checkpoint.metadata),
      });
    for (const [channel, versions] of namespace.values)
      to.values.set(channel, new Map(Array.from(versions, ([version, stored]) => [version, value(stored)])));
    for (const [id, tasks] of namespace.writes)
      to.writes.set(
        id,
        new Map(Array.from(tasks, ([key, write]) => [key, { ...write, value: value(write.value) }])),
      );
  }
};

/** A database that holds these threads and nothing else. */
export const collectThreads = (
  from: Iterable<readonly [threadId: string, source: SaverState, thread: ThreadState]>,
): SaverState => {
  const target = new SaverState();
  for (const [threadId, source, thread] of from) importThread(target, threadId, source, thread);
  return target;
};
