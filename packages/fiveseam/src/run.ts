import { randomUUID } from "node:crypto";
import type { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, type BaseCheckpointSaver, type StateSnapshot } from "@langchain/langgraph";
import {
  droppedApprovals,
  readInterrupt,
  resumeMap,
  toHumanMessage,
  type Answers,
  type PendingInterrupt,
  type RunInput,
} from "./approvals.js";
import { AgentClosedError, ConfigError, ResumeError, ThreadBusyError } from "./errors.js";
import type { FinishReason, RunEvent } from "./events.js";
import { partsOf } from "./message-content.js";
import type { ThreadGate, ThreadLease } from "./threads.js";
import { STREAM_MODES, Translator, type StreamItem } from "./translator.js";

export interface RunOptions<Context = unknown> {
  /** The conversation; created when it does not exist. */
  threadId: string;
  /** Stops the run: model, tools, delegates and their processes. The thread stays valid and can be resumed. */
  signal?: AbortSignal;
  /**
   * What to do when a run is under way on the thread: "fail" (the default) throws ThreadBusyError, "queue" lets the
   * message join that run at its next model call, or runs when that run ends first.
   */
  whenBusy?: "fail" | "queue";
  /** LangGraph's runtime context, as `contextSchema` describes it; reaches tools, middleware and delegates. */
  context?: Context;
  /** Further LangGraph config (tags, metadata, callbacks, `configurable`). */
  config?: RunnableConfig;
}

export interface ResumeOptions<Context = unknown> extends Omit<RunOptions<Context>, "whenBusy">, Answers {}

/** The part of a ReactAgent that a run needs; kept small so that `withConfig`'s result fits as well. */
export interface RunnableAgent {
  stream(input: unknown, config: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  readonly graph: { getState(config: RunnableConfig): Promise<StateSnapshot> };
}

/** What all runs of one agent share, whatever `withConfig` made of it. */
export interface Runtime {
  readonly gate: ThreadGate;
  readonly checkpointer: BaseCheckpointSaver | undefined;
  /** Problems noticed while the agent was made or between runs; each is reported by the next run once. */
  readonly warnings: { code: string; message: string }[];
  readonly active: Set<{ abort(): void; done: Promise<void> }>;
  closed: boolean;
}

type Work = { kind: "message"; input: RunInput } | { kind: "resume"; answers: Answers };

const describe = (error: unknown): { name: string; message: string; code?: string } => {
  // The innermost error's own words: LangChain wraps what a middleware throws once a layer.
  let at = error;
  for (let depth = 0; depth < 20; depth += 1) {
    const cause =
      at instanceof Error && at.name === (at.cause as Error | undefined)?.name ? at.cause : undefined;
    if (cause === undefined) break;
    at = cause;
  }
  if (!(at instanceof Error)) return { name: "Error", message: String(at) };
  const { code } = at as { code?: unknown };
  return { name: at.name, message: at.message, ...(typeof code === "string" ? { code } : {}) };
};

/** Channels of pending writes that are not a task's result (LangGraph 1.5, constants.js). */
const NOT_RESULTS = new Set(["__interrupt__", "__resume__", "__error__", "__error_source_node__"]);

/**
 * What a thread waits for. A task that was resumed and has finished, while a parallel one has not, keeps its interrupt
 * in the checkpoint, and `getState` leaves out its result then; only the pending writes tell that it is answered.
 */
const pendingOf = async (
  state: StateSnapshot | undefined,
  checkpointer: BaseCheckpointSaver | undefined,
): Promise<PendingInterrupt[]> => {
  const interrupted = (state?.tasks ?? []).filter((task) => task.interrupts.length > 0);
  if (!state || interrupted.length === 0) return [];
  const tuple = await checkpointer?.getTuple(state.config);
  const done = new Set(
    (tuple?.pendingWrites ?? []).flatMap(([taskId, channel]) => (NOT_RESULTS.has(channel) ? [] : [taskId])),
  );
  return interrupted
    .filter((task) => !done.has(task.id))
    .flatMap((task) =>
      task.interrupts.flatMap(
        (interrupt) => readInterrupt(interrupt as { id?: string; value?: unknown }) ?? [],
      ),
    );
};

/** What the agent said last, from a stored state. */
const lastTextOf = (state: StateSnapshot | undefined): string => {
  const { messages } = (state?.values ?? {}) as { messages?: AIMessage[] };
  const last = messages?.findLast((message) => message.getType() === "ai");
  return last ? partsOf(last).text : "";
};

const checkOptions = (options: { threadId: string }): void => {
  if (typeof options?.threadId !== "string" || options.threadId === "") {
    throw new ConfigError("threadId", 'A run needs a thread: pass { threadId: "…" }, any non-empty string.');
  }
};

/** One run on one thread. The generator does the work as it is read; ending the iteration early aborts the run. */
async function* execute(
  agent: RunnableAgent,
  runtime: Runtime,
  work: Work,
  options: RunOptions,
): AsyncGenerator<RunEvent, void, void> {
  if (runtime.closed) throw new AgentClosedError();
  const { threadId } = options;
  const runId = randomUUID();
  const translator = new Translator({ runId, threadId });
  const message = work.kind === "message" ? toHumanMessage(work.input, randomUUID()) : undefined;

  for (;;) {
    const holder = runtime.gate.holder(threadId);
    if (!holder) break;
    if (options.whenBusy !== "queue" || !message) throw new ThreadBusyError(threadId, holder.runId);
    yield translator.event({ type: "waiting", reason: "thread_busy", untilMs: null });
    const { joined } = await runtime.gate.enqueue(threadId, message, options.signal);
    if (joined !== undefined) {
      yield translator.event({ type: "run.finished", reason: "joined", text: "", joinedRunId: joined });
      return;
    }
    if (options.signal?.aborted) {
      yield translator.event({ type: "run.finished", reason: "aborted", text: "" });
      return;
    }
  }
  if (runtime.closed) throw new AgentClosedError();
  const lease = runtime.gate.acquire(threadId, runId);
  const controller = new AbortController();
  const abort = (): void => controller.abort(options.signal?.reason);
  if (options.signal?.aborted) abort();
  options.signal?.addEventListener("abort", abort, { once: true });
  let settle = (): void => {};
  const active = {
    abort: () => controller.abort(new AgentClosedError()),
    done: new Promise<void>((resolve) => {
      settle = resolve;
    }),
  };
  runtime.active.add(active);
  try {
    yield* drive(agent, runtime, lease, translator, controller, work, message, options);
  } finally {
    options.signal?.removeEventListener("abort", abort);
    lease.release();
    runtime.active.delete(active);
    settle();
  }
}

async function* drive(
  agent: RunnableAgent,
  runtime: Runtime,
  lease: ThreadLease,
  translator: Translator,
  controller: AbortController,
  work: Work,
  message: ReturnType<typeof toHumanMessage> | undefined,
  options: RunOptions,
): AsyncGenerator<RunEvent, void, void> {
  const { threadId } = options;
  const config: Record<string, unknown> & { configurable: Record<string, unknown> } = {
    ...options.config,
    ...(options.context === undefined ? {} : { context: options.context }),
    configurable: { ...options.config?.configurable, thread_id: threadId },
    signal: controller.signal,
    streamMode: [...STREAM_MODES],
    subgraphs: true,
    // A tool call is reported finished once its step is stored; "async", the default, reports first.
    durability: "sync",
  };
  const stateNow = async (): Promise<StateSnapshot | undefined> =>
    runtime.checkpointer ? agent.graph.getState({ configurable: { ...config.configurable } }) : undefined;

  let input: unknown = message ? { messages: [message] } : null;
  if (work.kind === "resume") {
    const state = await stateNow();
    if (!state?.config.configurable?.["checkpoint_id"]) {
      throw new ResumeError(
        "unknown_thread",
        threadId,
        `There is no thread "${threadId}" to resume; start it with run().`,
      );
    }
    const pending = await pendingOf(state, runtime.checkpointer);
    const map = resumeMap(threadId, pending, work.answers);
    const unanswered = Object.keys(map).length === 0;
    // Not `state.next`: it leaves out tasks whose result is stored while their step is not.
    if (state.tasks.length === 0 || (pending.length > 0 && unanswered)) {
      // Nothing to go on with, or nothing to go on with yet: say so, and leave the thread as it is.
      yield translator.event({ type: "run.started", resumed: true });
      yield* finish(translator, pending, { reason: "completed", text: lastTextOf(state) });
      return;
    }
    if (!unanswered) input = new Command({ resume: map });
    droppedApprovals(pending, work.answers).forEach((warning) => runtime.warnings.push(warning));
  }

  let started = false;
  function* start(): Generator<RunEvent> {
    if (started) return;
    started = true;
    yield translator.event({ type: "run.started", resumed: work.kind === "resume" });
    for (const warning of runtime.warnings.splice(0)) yield translator.event({ type: "warning", ...warning });
  }
  if (work.kind === "resume") yield* start();

  let failure: { error: unknown } | undefined;
  let reader: AsyncIterator<unknown> | undefined;
  let values: RootValues | undefined;
  let rootSteps = 0;
  let ended = false;
  try {
    controller.signal.throwIfAborted();
    reader = (await agent.stream(input, config))[Symbol.asyncIterator]();
    for (;;) {
      const next = await reader.next();
      if (next.done) break;
      const item = next.value as StreamItem;
      if (item[1] === "values" && item[0].length === 0) {
        values = item[2] as RootValues;
        confirmJoined(lease, values);
        // The first values are the input's and may not be stored yet; the second come after a step, and all before
        // them are. A run that has started can therefore be resumed.
        rootSteps += 1;
        if (rootSteps === 2) yield* start();
      }
      yield* translator.translate(item);
    }
    ended = true;
  } catch (error) {
    failure = { error };
    ended = true;
  } finally {
    // Reached with `ended` false only when the consumer stopped reading: the graph must not go on behind its back, and
    // the thread must not be let go before it has stopped.
    if (!ended && reader) {
      controller.abort(new DOMException("The run's events are no longer read.", "AbortError"));
      await drain(reader);
      await lease.settled();
    }
  }
  yield* start();
  // An aborted stream ends before the tools it was running have: the next run must not meet them.
  await lease.settled();
  // The stream ends only when every write it scheduled has been acknowledged.
  yield* translator.release();
  let state: StateSnapshot | undefined;
  let pending: PendingInterrupt[] = [];
  try {
    state = await stateNow();
    if (!failure) pending = await pendingOf(state, runtime.checkpointer);
  } catch (error) {
    failure ??= { error };
  }
  confirmJoined(lease, state?.values as RootValues | undefined);
  const aborted = controller.signal.aborted;
  yield* finish(
    translator,
    pending,
    {
      reason: aborted ? "aborted" : failure ? "failed" : "completed",
      text: translator.lastText,
      ...(failure && !aborted ? { error: describe(failure.error) } : {}),
    },
    values,
  );
}

/** The part of the root graph's state that a run looks at. */
interface RootValues {
  readonly messages?: readonly { id?: string }[];
}

const confirmJoined = (lease: ThreadLease, values: RootValues | undefined): void => {
  const ids = new Set(values?.messages?.map((message) => message.id));
  lease.confirm((id) => ids.has(id));
};

const drain = async (reader: AsyncIterator<unknown>): Promise<void> => {
  try {
    while (!(await reader.next()).done);
  } catch {
    // The abort we asked for.
  }
};

function* finish(
  translator: Translator,
  pending: readonly PendingInterrupt[],
  end: { reason: FinishReason; text: string; error?: { name: string; message: string; code?: string } },
  values: object = {},
): Generator<RunEvent> {
  for (const each of pending) {
    const { interruptId } = each;
    yield translator.event(
      each.kind === "approval"
        ? { type: "approval.needed", interruptId, actions: each.actions }
        : { type: "input.needed", interruptId, value: each.value },
    );
  }
  // Taken from the stream: langchain keeps it in an untracked channel, which no checkpoint holds.
  const { structuredResponse } = values as { structuredResponse?: unknown };
  yield translator.event({
    type: "run.finished",
    ...end,
    reason: pending.length > 0 && end.reason === "completed" ? "needs_input" : end.reason,
    ...(structuredResponse === undefined ? {} : { response: structuredResponse }),
  });
}

/** Starts a run on a thread. */
export const startRun = (
  agent: RunnableAgent,
  runtime: Runtime,
  input: RunInput,
  options: RunOptions,
): AsyncGenerator<RunEvent, void, void> => {
  checkOptions(options);
  return execute(agent, runtime, { kind: "message", input }, options);
};

/** Goes on with a thread that was interrupted, aborted or cut short by a crash. */
export const startResume = (
  agent: RunnableAgent,
  runtime: Runtime,
  options: ResumeOptions,
): AsyncGenerator<RunEvent, void, void> => {
  checkOptions(options);
  const { threadId, approvals, answers } = options;
  if (!runtime.checkpointer) {
    throw new ResumeError(
      "no_checkpointer",
      threadId,
      "This agent was made with `checkpointer: false`, so nothing is stored that could be resumed.",
    );
  }
  return execute(
    agent,
    runtime,
    { kind: "resume", answers: { ...(approvals ? { approvals } : {}), ...(answers ? { answers } : {}) } },
    options,
  );
};
