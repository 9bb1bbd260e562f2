import { realpathSync } from "node:fs";
import path from "node:path";
import type { RunMode } from "@fiveseam/subagents";
import type { RunLimits } from "./run-limits.js";
import type { HumanMessage } from "@langchain/core/messages";

/** A message that waits to join a run that is under way. */
interface QueuedMessage {
  readonly message: HumanMessage;
  /** False for one that only waits for the run to end: it wants another mode. */
  readonly joins: boolean;
  /** Put into a step that is not stored yet; offered again when the run ends without storing it. */
  taken: boolean;
  joined: ((runId: string) => void) | undefined;
}

/** The right to run on a thread, held by one run at a time. */
export interface ThreadLease {
  readonly runId: string;
  /** What began with the user's last message: this run, or the one that it goes on with. */
  turnId: string;
  /** Messages that may join now; they count as taken until `confirm` or the end of the run. */
  take(): HumanMessage[];
  /** True when a message waits. */
  readonly waiting: boolean;
  /** Told the ids of the messages that a stored step holds. */
  confirm(isStored: (id: string) => boolean): void;
  /** Stops the run; set by the run itself. */
  abort: (reason: Error) => void;
  /** The run's own `maxCost`. */
  maxCost: number | undefined;
  /** The run's own limits. */
  limits: RunLimits | undefined;
  mode: RunMode;
  /** Keeps count of a tool call under way. */
  track(call: Promise<unknown>): void;
  /** Resolves when no tool call is under way, after `SETTLE_MS` at the latest. */
  settled(): Promise<void>;
  release(): void;
}

/** How a queued message fared: it joined a run, or that run ended without it. */
export type QueueOutcome = { joined: string } | { joined: undefined };

/** How long an aborted run waits for its tools to notice. A tool that ignores its signal cannot be waited for for ever. */
const SETTLE_MS = 2_000;

interface Held extends ThreadLease {
  readonly queue: QueuedMessage[];
  readonly done: Promise<void>;
}

/**
 * One run at a time on a thread, in this process. Two `invoke`s at once on one LangGraph thread both succeed and one
 * user message is lost (LangGraph 1.5); two processes are kept apart by the checkpointer's lock.
 */
export class ThreadGate {
  readonly #held = new Map<string, Held>();

  /** The run that holds the thread. */
  holder(threadId: string): ThreadLease | undefined {
    return this.#held.get(threadId);
  }

  /** Takes the thread; the caller has checked that nobody holds it. */
  acquire(threadId: string, runId: string): ThreadLease {
    const queue: QueuedMessage[] = [];
    const underWay = new Set<Promise<unknown>>();
    let finish = (): void => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const held: Held = {
      runId,
      turnId: runId,
      queue,
      done,
      abort: () => {},
      maxCost: undefined,
      limits: undefined,
      mode: "act",
      get waiting() {
        return queue.some((entry) => entry.joins && !entry.taken);
      },
      take() {
        const free = queue.filter((entry) => entry.joins && !entry.taken);
        for (const entry of free) entry.taken = true;
        return free.map((entry) => entry.message);
      },
      confirm(isStored) {
        for (const entry of queue.filter((each) => each.taken && isStored(each.message.id ?? ""))) {
          entry.joined?.(runId);
          queue.splice(queue.indexOf(entry), 1);
        }
      },
      track(call) {
        const tracked = call.catch(() => undefined).finally(() => underWay.delete(tracked));
        underWay.add(tracked);
      },
      async settled() {
        if (underWay.size === 0) return;
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, SETTLE_MS);
        });
        await Promise.race([Promise.all(underWay), late]);
        clearTimeout(timer);
      },
      release: () => {
        if (this.#held.get(threadId) === held) this.#held.delete(threadId);
        finish();
      },
    };
    this.#held.set(threadId, held);
    return held;
  }

  /** Waits until the message has joined the run that holds the thread, if that has its mode, or that run has ended. */
  async enqueue(
    threadId: string,
    message: HumanMessage,
    mode: RunMode,
    signal: AbortSignal | undefined,
  ): Promise<QueueOutcome> {
    const held = this.#held.get(threadId);
    if (!held || signal?.aborted) return { joined: undefined };
    const entry: QueuedMessage = { message, joins: held.mode === mode, taken: false, joined: undefined };
    held.queue.push(entry);
    const joined = new Promise<QueueOutcome>((resolve) => {
      entry.joined = (runId) => resolve({ joined: runId });
    });
    let stop = (): void => {};
    const aborted = new Promise<QueueOutcome>((resolve) => {
      stop = () => {
        // A message already inside a step may still be stored; only one that is still free can be taken back.
        if (!entry.taken) resolve({ joined: undefined });
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
    const ended = held.done.then((): QueueOutcome => ({ joined: undefined }));
    try {
      return await Promise.race([joined, ended, aborted]);
    } finally {
      signal?.removeEventListener("abort", stop);
      const at = held.queue.indexOf(entry);
      if (at >= 0) held.queue.splice(at, 1);
    }
  }
}

const gates = new WeakMap<object, ThreadGate>();
const gatesByPlace = new Map<string, ThreadGate>();

/** Where a checkpointer keeps its threads, when it says so: two that were opened there have the same threads. */
const placeOf = (checkpointer: object): string | undefined => {
  const { location } = checkpointer as { location?: unknown };
  if (typeof location !== "string") return undefined;
  try {
    return realpathSync(location);
  } catch {
    return path.resolve(location); // Not made yet.
  }
};

/** The gate of a checkpointer: agents that share one checkpointer, or the place it writes to, share its threads. */
export const gateOf = (checkpointer: object): ThreadGate => {
  const place = placeOf(checkpointer);
  const known = place === undefined ? gates.get(checkpointer) : gatesByPlace.get(place);
  if (known) return known;
  const gate = new ThreadGate();
  if (place === undefined) gates.set(checkpointer, gate);
  else gatesByPlace.set(place, gate);
  return gate;
};
