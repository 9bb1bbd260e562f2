import { randomUUID } from "node:crypto";
import { ActiveRun, STOPPED_READING, type Work } from "./active-run.js";
import { toHumanMessage, type RunInput } from "./approvals.js";
import { AgentClosedError, ResumeError, ThreadBusyError } from "./errors.js";
import type { RunEvent } from "./events.js";
import {
  checkOptions,
  modeAskedFor,
  type ResumeOptions,
  type RunnableAgent,
  type RunOptions,
  type Runtime,
} from "./run-options.js";
import { withMode } from "./stored-mode.js";
import { Translator } from "./translator.js";

const NO_COST = { total: 0, unpricedCalls: 0 };

async function* execute(
  agent: RunnableAgent,
  runtime: Runtime,
  work: Work,
  options: RunOptions,
): AsyncGenerator<RunEvent, void, void> {
  const { threadId } = options;
  const runId = randomUUID();
  const translator = new Translator(
    { runId, threadId },
    (messageId) => runtime.costs.costOf(threadId, messageId)?.total ?? null,
  );
  let current = work;
  for (;;) {
    if (runtime.closed) throw new AgentClosedError();
    const holder = runtime.gate.holder(threadId);
    if (!holder) break;
    if (options.whenBusy !== "queue" || current.kind !== "message") {
      throw new ThreadBusyError(threadId, holder.runId);
    }
    yield translator.event({ type: "waiting", reason: "thread_busy", untilMs: null });
    const { joined } = await runtime.gate.enqueue(
      threadId,
      current.message,
      modeAskedFor(options) ?? "act",
      options.signal,
    );
    if (joined !== undefined) {
      yield translator.event({
        type: "run.finished",
        reason: "joined",
        text: "",
        joinedRunId: joined,
        cost: NO_COST,
      });
      return;
    }
    if (options.signal?.aborted) {
      yield translator.event({ type: "run.finished", reason: "aborted", text: "", cost: NO_COST });
      return;
    }
    current = { ...current, queued: true };
  }
  const run = new ActiveRun(
    agent,
    runtime,
    runtime.gate.acquire(threadId, runId),
    translator,
    current,
    options,
  );
  try {
    yield* run.events.read();
  } finally {
    // Of no effect when the run is over. Otherwise the consumer has stopped reading: the graph must not go on behind
    // its back, and the thread must not be let go before it has stopped.
    run.abort(STOPPED_READING);
    await run.done;
  }
}

/** Starts a run on a thread. */
export const startRun = (
  agent: RunnableAgent,
  runtime: Runtime,
  input: RunInput,
  options: RunOptions,
): AsyncGenerator<RunEvent, void, void> => {
  checkOptions(options);
  return execute(
    agent,
    runtime,
    {
      kind: "message",
      message: withMode(toHumanMessage(input, randomUUID()), modeAskedFor(options) ?? "act"),
      queued: false,
    },
    options,
  );
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
