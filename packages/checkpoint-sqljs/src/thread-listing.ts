import { ContentStore } from "./content-store.js";
import { SqlJsSaverError } from "./errors.js";
import type { FileSystem } from "./file-system.js";
import { decodeHeader, decodeRecord, journalPathOf } from "./journal.js";
import { decodeOperation, type Operation } from "./operations.js";
import type { ThreadSummary } from "./queries.js";
import { readGeneration, SNAPSHOT_HEAD } from "./snapshot.js";

/**
 * The threads of a file from the head of its snapshot and from its journal, whose header lists what the snapshot holds.
 * Undefined when that is not enough: then the file has to be read, and any damage is found there.
 */
export const summarizeFile = async (file: string, fs: FileSystem): Promise<ThreadSummary[] | undefined> => {
  const head = await fs.readFrom(file, 0, SNAPSHOT_HEAD);
  if (!head) return undefined;
  let generation: number;
  try {
    generation = readGeneration(head, file, await fs.sizeBytes(file));
  } catch (error) {
    if (error instanceof SqlJsSaverError) return undefined;
    throw error;
  }
  const log = await fs.readFrom(journalPathOf(file, generation), 0);
  const decoded = log && decodeHeader(log);
  if (!log || !decoded || decoded.header.generation !== generation) return undefined;
  if (decoded.header.snapshotBytes !== (await fs.sizeBytes(file))) return undefined;
  const threads = new Map(
    (decoded.header.summary as ThreadSummary[]).map((thread) => [thread.threadId, thread]),
  );
  const put = new Set<string>();
  let sequence = 0;
  for (let at = decoded.end; ; sequence += 1) {
    const record = decodeRecord(log, at, decoded.header.tag, sequence);
    if (!record) break;
    const operation = decodeOperation(new ContentStore(), record.payload);
    // Calls that share an append are all made ready before any of them counts, so two may both believe to be the first.
    const id =
      operation.kind === "put" &&
      JSON.stringify([operation.threadId, operation.namespace, operation.checkpointId]);
    if (operation.kind === "put" && typeof id === "string" && put.has(id))
      follow(threads, { ...operation, isNew: false });
    else follow(threads, operation);
    if (id) put.add(id);
    else if (operation.kind !== "writes") put.clear();
    at = record.end;
  }
  return Array.from(threads.values());
};

const follow = (threads: Map<string, ThreadSummary>, operation: Operation): void => {
  const { threadId } = operation;
  const known = threads.get(threadId) ?? { threadId, updatedAtMs: 0, checkpoints: 0, title: undefined };
  switch (operation.kind) {
    case "put":
      threads.set(threadId, {
        threadId,
        updatedAtMs: operation.nowMs,
        checkpoints: known.checkpoints + (operation.isNew ? 1 : 0),
        title: known.title ?? operation.title,
      });
      return;
    case "writes":
      threads.set(threadId, { ...known, updatedAtMs: operation.nowMs });
      return;
    case "prune":
      threads.set(threadId, { ...known, checkpoints: known.checkpoints - operation.checkpoints.length });
      return;
    case "copy-thread":
      threads.set(operation.to, { ...known, threadId: operation.to, updatedAtMs: operation.nowMs });
      return;
    case "delete-thread":
      threads.delete(threadId);
  }
};
