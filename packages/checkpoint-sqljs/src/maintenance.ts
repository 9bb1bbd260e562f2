import { writeExport } from "./platform.js";
import { isInterrupted, planPrune, type PruneRules } from "./pruning.js";
import { changeOf } from "./saver-model.js";
import type { PruneOptions, PruneResult, SaverStats } from "./saver-options.js";
import { saverSchema } from "./saver-schema.js";
import { encodeSnapshot, EXPORTED } from "./snapshot.js";
import type { Storage } from "./storage.js";
import type { SaverState, ThreadState } from "./thread-state.js";
import { collectThreads } from "./thread-transfer.js";
import { loadSqlJs } from "./wasm.js";

// What is done to a storage as a whole, apart from LangGraph's calls.

export const pruneThreads = async (
  storage: Storage,
  { threadId: only, keepLast = 1, olderThanMs }: PruneOptions,
  nowMs: number,
): Promise<PruneResult> => {
  const rules: PruneRules = {
    keepLast: Math.max(1, keepLast),
    madeBeforeMs: olderThanMs === undefined ? Number.POSITIVE_INFINITY : nowMs - olderThanMs,
  };
  const threads = only === undefined ? (await storage.threads()).map(({ threadId }) => threadId) : [only];
  const waiting: string[] = [];
  let checkpoints = 0;
  for (const threadId of threads) {
    const found = await storage.read(threadId, (state) => {
      const thread = state.threads.get(threadId);
      return {
        waits: thread !== undefined && isInterrupted(thread),
        removes: planPrune(state, threadId, rules) !== undefined,
      };
    });
    if (found?.waits) waiting.push(threadId);
    // Nothing to remove: then no lock is taken.
    if (found?.removes) checkpoints += await pruneThread(storage, threadId, rules);
  }
  return { checkpoints, waiting };
};

/** Planned within the change, so that what was put since counts. */
const pruneThread = (storage: Storage, threadId: string, rules: PruneRules): Promise<number> =>
  storage.write(
    threadId,
    (state) => {
      const plan = planPrune(state, threadId, rules);
      if (!plan) return { payload: undefined, apply: () => 0, undo: () => {} };
      const change = changeOf(state, plan);
      return { ...change, apply: () => (change.apply(), plan.checkpoints.length) };
    },
    { grows: false, alone: true },
  );

export const countStorage = async (storage: Storage): Promise<SaverStats> => {
  const threads = await storage.threads();
  const { snapshot, journal, previous } = await storage.sizes();
  return {
    threads: threads.length,
    checkpoints: threads.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
    databaseBytes: snapshot,
    journalBytes: journal,
    previousBytes: previous,
  };
};

export const exportStorage = async (storage: Storage, path: string): Promise<void> => {
  const threadsOf = (state: SaverState): (readonly [string, SaverState, ThreadState])[] =>
    Array.from(state.threads, ([id, thread]) => [id, state, thread] as const);
  // Copies, for a state changes while others are read.
  const copies = await storage.eachState((state) => collectThreads(threadsOf(state)));
  const all = collectThreads(copies.flatMap(threadsOf));
  await writeExport(path, encodeSnapshot(await loadSqlJs(), saverSchema, all, EXPORTED));
};
