import type { BaseCheckpointSaver } from "@langchain/langgraph";
import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { randomUUID } from "node:crypto";
import type {
  AcceptResult,
  RejectResult,
  StagedChange,
  StagedSelection,
  StagingBackend,
  UndoResult,
} from "@fiveseam/backends";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { DeepAgent, DeepAgentTypeConfig } from "deepagents";
import type { RunInput } from "./approvals.js";
import type { CostLedger } from "./cost-ledger.js";
import { AgentClosedError, ConfigError, ThreadBusyError, UndoUnavailableError } from "./errors.js";
import type { RunEvent } from "./events.js";
import { startResume, startRun } from "./run.js";
import type { ResumeOptions, RunnableAgent, RunOptions, Runtime } from "./run-options.js";

/** Looks through what the agent would change, and decides. All threads of the workspace share what is staged. */
export interface StagedReview {
  /** What waits, with diffs and hunks. */
  list(): Promise<StagedChange[]>;
  /** Makes it real: all, some files, or some hunks of a file. What was typed meanwhile is merged, or the file is refused. */
  accept(selection?: StagedSelection): Promise<AcceptResult>;
  /** Drops it. */
  reject(selection?: StagedSelection): Promise<RejectResult>;
}

export interface UndoOptions {
  threadId: string;
  /**
   * "run" (default): all since the user's last message, however often that run was resumed. "step": the last tool call that
   * changed something. "thread": all of the conversation.
   */
  scope?: "run" | "step" | "thread";
  /** Takes back an undo instead: what its result called `redo`. */
  redo?: string;
}

/** What `createCodingAgent` adds to the agent that deepagents returns. */
export interface CodingAgentMethods<Context = unknown> {
  /**
   * Sends a message and yields what happens until the agent answers, needs an approval, fails or is stopped. Nothing
   * happens before the first event is asked for; ending the iteration early stops the run. After `run.started` the
   * iterator does not throw: the last event says how the run ended.
   *
   * @throws {ThreadBusyError} when a run is under way on the thread and `whenBusy` is "fail".
   * @throws {AgentClosedError} after `close()`.
   */
  run(input: RunInput, options: RunOptions<Context>): AsyncGenerator<RunEvent, void, void>;
  /**
   * Goes on where a thread stopped: after a crash or an abort, or with the answers to what it waits for. With approvals
   * pending and no answer given it reports them again and changes nothing.
   *
   * @throws {ResumeError} when the thread does not exist or an answer does not fit what is pending.
   */
  resume(options: ResumeOptions<Context>): AsyncGenerator<RunEvent, void, void>;
  /**
   * Takes back what the agent and its delegates changed in the workspace: contents, permission bits, deletions and renames, by
   * their file tools and by commands that were waited for (but not in what .gitignore names, nor what was too large to be
   * kept). A file that somebody has changed since stays as it is, and the result says so. The conversation is left alone.
   *
   * @throws {UndoUnavailableError} when nothing is kept that could be undone.
   * @throws {ThreadBusyError} when a run is under way on the thread.
   */
  undo(options: UndoOptions): Promise<UndoResult>;
  /** The changes that wait to be accepted; undefined unless the agent was made with `review: "staged"`. */
  readonly staged: StagedReview | undefined;
  /** Stops the runs under way and releases what the agent opened. No data depends on it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  /** The same agent with LangGraph config bound to it; threads, locks and `close` are shared. */
  withConfig(config: Omit<RunnableConfig, "store" | "writer" | "interrupt">): this;
  /** Where this agent keeps its state; undefined when it keeps none. */
  readonly stateDir: string | undefined;
  /** The checkpointer in use. */
  readonly threads: BaseCheckpointSaver | undefined;
  /** What models were paid for since the agent was made, per thread and model. */
  readonly costs: Pick<CostLedger, "thread" | "total" | "costOf">;
}

/** A deep agent with `run`, `resume` and `close`. */
export type CodingAgent<Types extends DeepAgentTypeConfig = DeepAgentTypeConfig, Context = unknown> = Omit<
  DeepAgent<Types>,
  "withConfig"
> &
  CodingAgentMethods<Context>;

const stagedReview = (staging: StagingBackend | undefined): StagedReview | undefined =>
  staging && {
    list: () => staging.staged(),
    accept: (selection) => staging.accept(selection),
    reject: (selection) => staging.reject(selection),
  };

const undo = async (
  { undoable, staging, gate, closed }: Runtime,
  { threadId, scope = "run", redo }: UndoOptions,
): Promise<UndoResult> => {
  if (closed) throw new AgentClosedError();
  if (typeof threadId !== "string" || threadId === "")
    throw new ConfigError("threadId", "`undo` needs the thread whose changes are taken back.");
  if (!["run", "step", "thread"].includes(scope))
    throw new ConfigError("scope", '`scope` is "run", "step" or "thread".');
  if (!undoable) throw new UndoUnavailableError();
  const holder = gate.holder(threadId);
  if (holder) throw new ThreadBusyError(threadId, holder.runId);
  const lease = gate.acquire(threadId, `undo ${randomUUID()}`);
  try {
    const waiting = new Set((await staging?.staged())?.map(({ file }) => file));
    const last =
      scope === "thread" ? {} : scope === "run" ? { lastRun: true as const } : { lastStep: true as const };
    const result = await undoable.undo(redo === undefined ? { thread: threadId, ...last } : { run: redo });
    // What was accepted before is taken back on the disk; what still waits is only staged as it was.
    const now = new Set((await staging?.staged())?.map(({ file }) => file));
    const accepted = result.restored.filter((file) => now.has(file) && !waiting.has(file));
    if (!staging) return result;
    const { refused } = accepted.length > 0 ? await staging.accept(accepted) : { refused: [] };
    const waits = new Set((await staging.staged()).map(({ file }) => file));
    const onlyStaged = result.restored.filter(
      (file) => waits.has(file) && !refused.some((each) => each.file === file),
    );
    const why = "a part of it was accepted before: its taking back is staged, accept that";
    return {
      ...result,
      restored: result.restored.filter((file) => !waits.has(file)),
      refused: [...result.refused, ...refused, ...onlyStaged.map((file) => ({ file, why }))],
    };
  } finally {
    lease.release();
  }
};

/** What belongs to an agent and all that `withConfig` makes of it. */
export interface Shared {
  readonly runtime: Runtime;
  readonly stateDir: string | undefined;
  /** Bound to the graph. */
  readonly callbacks: CallbackHandlerMethods;
  /** The one closing, whoever asks for it and however often. */
  readonly closing: { done?: Promise<void> };
  /** Releases what this agent opened, not what it was given. */
  dispose(): Promise<void>;
}

/**
 * On the graph itself, so that they are there however it is run: by `invoke`, by a LangGraph server that takes `.graph`,
 * with other callbacks beside them. LangGraph merges a graph's own config with each call's.
 */
const bindCallbacks = (agent: object, callbacks: CallbackHandlerMethods): void => {
  const { graph } = agent as { graph: { config?: RunnableConfig } };
  // Beside those that `withConfig` has bound there.
  graph.config = mergeConfigs(graph.config, { callbacks: [callbacks] });
};

interface Configurable {
  withConfig(config: unknown): object;
}

/**
 * Adds the methods to a ReactAgent in place. A proxy or a derived object would break it (its state is in private
 * fields), and `withConfig` returns a bare ReactAgent, so the methods are added to that one again.
 */
export const addMethods = <Agent extends object>(
  agent: Agent,
  shared: Shared,
): Agent & CodingAgentMethods => {
  const { runtime } = shared;
  bindCallbacks(agent, shared.callbacks);
  const runnable = agent as unknown as RunnableAgent;
  const bare = (agent as unknown as Configurable).withConfig.bind(agent) as Configurable["withConfig"];
  const close = (): Promise<void> => {
    runtime.closed = true;
    return (shared.closing.done ??= (async () => {
      const active = [...runtime.active];
      for (const run of active) run.abort(new AgentClosedError());
      await Promise.all(active.map((run) => run.done));
      await shared.dispose();
    })());
  };
  return Object.assign(agent, {
    run: (input: RunInput, options: RunOptions) => startRun(runnable, runtime, input, options),
    resume: (options: ResumeOptions) => startResume(runnable, runtime, options),
    staged: stagedReview(runtime.staging),
    undo: (options: UndoOptions) => undo(runtime, options),
    close,
    [Symbol.asyncDispose]: close,
    withConfig: (config: unknown) => addMethods(bare(config), shared),
    stateDir: shared.stateDir,
    threads: runtime.checkpointer,
    costs: runtime.costs,
  }) as unknown as Agent & CodingAgentMethods;
};
