import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, StateSnapshot } from "@langchain/langgraph";
import type { StagingBackend, UndoableBackend } from "@fiveseam/backends";
import type { Approvals } from "@fiveseam/tool-pipeline";
import type { Answers } from "./approvals.js";
import type { CostLedger } from "./cost-ledger.js";
import { ConfigError } from "./errors.js";
import type { WarningCode } from "./events.js";
import { modeOf, type RunMode } from "@fiveseam/subagents";
import { RUN_LIMITS, type RunLimits, type RunLimitsInForce } from "./run-limits.js";
import type { ThreadGate } from "./threads.js";

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
  /** Stops the run when its model calls have cost so many US dollars at list price; default the agent's `maxCost`. */
  maxCost?: number;
  /** What the run may use up, its delegates included; what is left out is as the agent has it. */
  limits?: RunLimits;
  /**
   * "plan": nothing in the workspace, the repository or outside changes, whoever tries, delegates included; the agent answers
   * with a plan. Default "act"; a resume goes on in the mode of the run that it resumes. Carried in the context as `mode`.
   */
  mode?: RunMode;
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
  readonly costs: CostLedger;
  /** Problems noticed while the agent was made or between runs; each is reported by the next run once. */
  readonly warnings: { code: WarningCode; message: string }[];
  readonly approvals: Approvals;
  /** The limits of a run with these of its own. */
  limits(own: RunLimits | undefined): RunLimitsInForce;
  /** What takes changes of files back; undefined when nothing does. */
  readonly undoable: Pick<UndoableBackend, "undo"> | undefined;
  /** Changes that wait for the user; undefined when none do. */
  readonly staging: StagingBackend | undefined;
  readonly active: Set<{ abort(reason: Error): void; done: Promise<void> }>;
  closed: boolean;
}

export const checkOptions = (options: RunOptions): void => {
  if (typeof options?.threadId !== "string" || options.threadId === "") {
    throw new ConfigError("threadId", 'A run needs a thread: pass { threadId: "…" }, any non-empty string.');
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== "function") {
    throw new ConfigError(
      "signal",
      "`signal` is no AbortSignal; of an AbortController pass `controller.signal`.",
    );
  }
  const { maxCost, whenBusy, mode, context, limits } = options;
  if (mode !== undefined && mode !== "act" && mode !== "plan") {
    throw new ConfigError("mode", '`mode` is "act" or "plan".');
  }
  if (mode === "act" && modeOf(context) === "plan") {
    throw new ConfigError(
      "mode",
      'The context says `mode: "plan"` and the run "act": leave one of them out.',
    );
  }
  if (maxCost !== undefined && !(typeof maxCost === "number" && maxCost >= 0)) {
    throw new ConfigError("maxCost", "`maxCost` is a number of US dollars, 0 or more.");
  }
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (!RUN_LIMITS.includes(name))
      throw new ConfigError(
        `limits.${name}`,
        `There is no limit "${name}"; there are ${RUN_LIMITS.join(", ")}.`,
      );
    if (value !== undefined && value !== false && !(typeof value === "number" && value > 0))
      throw new ConfigError(`limits.${name}`, `\`${name}\` is a number above 0, or false.`);
  }
  if (whenBusy !== undefined && whenBusy !== "fail" && whenBusy !== "queue") {
    throw new ConfigError("whenBusy", '`whenBusy` is "fail" or "queue".');
  }
};

/** The mode that a run asks for, by its option or in its context; undefined when it does not say. */
export const modeAskedFor = ({ mode, context }: RunOptions): RunMode | undefined =>
  mode ?? (modeOf(context) === "plan" ? "plan" : undefined);
