import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { ToolMessage, type AIMessage, type UsageMetadata } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { Layer, ToolResult } from "@fiveseam/tool-pipeline";
import { isCommand } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { CostLedger } from "./cost-ledger.js";
import { RunLimitError } from "./errors.js";
import type { RunLimitsInForce } from "./run-limits.js";

/** What one run of the graph has spent, its delegates and side calls included. */
interface RunSpending {
  readonly threadId: string | undefined;
  cost: number;
  events: number;
  toolCalls: number;
  /** Tool calls that failed since one succeeded. */
  failures: number;
  readonly startedMs: number;
  stopped: RunLimitError | undefined;
  /** Everything that LangChain runs for it; forgotten as a whole, for a broken off stream ends nothing by itself. */
  readonly root: string;
  readonly ids: Set<string>;
}

interface Asked {
  readonly provider: string;
  readonly model: string;
  asksAnother: boolean;
}

interface MeterOptions {
  readonly ledger: CostLedger;
  /** The limit in US dollars of the run on a thread; asked when it may matter. */
  readonly maxCost: (threadId: string | undefined) => number | undefined;
  readonly limits: (threadId: string | undefined) => RunLimitsInForce;
  /** Milliseconds that only grow; default `performance.now`. */
  readonly elapsedMs?: () => number;
  /** A limit was reached; called once a run. */
  readonly onLimit: (threadId: string | undefined, error: RunLimitError) => void;
  /** A call that could not be priced, in a run with a limit. */
  readonly onUnpriced: (model: string) => void;
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The run of the graph that we are in, as LangChain's callbacks number it. */
const currentRunId = (): string | undefined => {
  const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as
    { callbacks?: { getParentRunId?(): string | undefined } } | undefined;
  return config?.callbacks?.getParentRunId?.();
};

/** A call's last word: the message itself, or the one in the update that it makes. */
const failedIn = (result: ToolResult): boolean => {
  if (!isCommand(result)) return ToolMessage.isInstance(result) && result.status === "error";
  const { messages } = (result.update ?? {}) as { messages?: unknown };
  return (
    Array.isArray(messages) &&
    messages.some((each) => ToolMessage.isInstance(each) && each.status === "error")
  );
};

/**
 * Counts what a run uses up and stops it when a limit is reached. It counts by callbacks, which see every call that
 * goes through LangChain, and stops where models and tools are called, so that it holds for `invoke` and for whoever
 * reads the stream slowly.
 */
export class RunMeter {
  readonly #options: MeterOptions;
  readonly #elapsedMs: () => number;
  readonly #runs = new Map<string, RunSpending>();
  readonly #models = new Map<string, Asked>();

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** Bound to the graph. `awaitHandlers`: a call is counted before the next one begins. */
  readonly callbacks: CallbackHandlerMethods & { name: string; awaitHandlers: boolean } = {
    name: "fiveseam-meter",
    awaitHandlers: true,
    handleChainStart: (_chain, _inputs, runId, parentRunId, _tags, metadata) =>
      this.#begin(runId, parentRunId, metadata),
    handleChainEnd: (_outputs, runId) => this.#end(runId),
    handleChainError: (_error, runId) => this.#end(runId),
    handleToolStart: (_tool, _input, runId, parentRunId, _tags, metadata) =>
      this.#begin(runId, parentRunId, metadata),
    handleToolEnd: (_output, runId) => this.#end(runId),
    handleToolError: (_error, runId) => this.#end(runId),
    handleChatModelStart: (_llm, _messages, runId, parentRunId, _extra, _tags, metadata) => {
      this.#begin(runId, parentRunId, metadata);
      // A model that asks another one through LangChain is not paid itself.
      const outer = this.#models.get(parentRunId ?? "");
      if (outer) outer.asksAnother = true;
      this.#models.set(runId, {
        asksAnother: false,
        provider: text(metadata?.["fiveseam_provider"]) ?? text(metadata?.["ls_provider"]) ?? "unknown",
        model: text(metadata?.["fiveseam_model"]) ?? text(metadata?.["ls_model_name"]) ?? "unknown",
      });
    },
    handleLLMEnd: (output, runId) => {
      this.#count(output, runId);
      this.#end(runId);
    },
    handleLLMError: (_error, runId) => this.#end(runId),
  };

  /** Counts tool calls and refuses them once a limit is reached. */
  readonly layer: Layer = {
    name: "run-limits",
    handle: async (call, next) => {
      const run = this.#check();
      if (!run) return next(call);
      // Another call of the same step may have been the last one that was allowed.
      const { maxToolCalls } = this.#options.limits(run.threadId);
      if (run.toolCalls >= maxToolCalls)
        this.#stop(run, new RunLimitError("max_tool_calls", maxToolCalls, run.toolCalls));
      run.toolCalls += 1;
      const result = await next(call);
      run.failures = failedIn(result) ? run.failures + 1 : 0;
      return result;
    },
  };

  /** Refuses model calls once the limit is reached. For the agent and each delegate. */
  middleware(): AgentMiddleware {
    return createMiddleware({
      name: "FiveseamRunLimits",
      wrapModelCall: (request, handler) => {
        this.#check();
        return handler(request);
      },
    }) as AgentMiddleware;
  }

  /** @throws {RunLimitError} when the run that we are in has reached a limit. */
  #check(): RunSpending | undefined {
    const run = this.#runs.get(currentRunId() ?? "");
    if (!run) return undefined;
    if (run.stopped) throw run.stopped;
    const { threadId, cost, events, failures, startedMs } = run;
    const limits = this.#options.limits(threadId);
    const passed = this.#elapsedMs() - startedMs;
    const maxCost = this.#options.maxCost(threadId) ?? Infinity;
    if (cost >= maxCost) this.#stop(run, new RunLimitError("max_cost", maxCost, cost));
    if (events >= limits.maxEvents)
      this.#stop(run, new RunLimitError("max_events", limits.maxEvents, events));
    if (passed >= limits.maxDurationMs)
      this.#stop(run, new RunLimitError("max_duration", limits.maxDurationMs, passed));
    if (failures >= limits.maxConsecutiveFailures)
      this.#stop(run, new RunLimitError("max_consecutive_failures", limits.maxConsecutiveFailures, failures));
    return run;
  }

  #stop(run: RunSpending, error: RunLimitError): never {
    run.stopped = error;
    this.#options.onLimit(run.threadId, error);
    throw error;
  }

  #begin(
    runId: string,
    parentRunId: string | undefined,
    metadata: Record<string, unknown> | undefined,
  ): void {
    // A parent that is not known is outside this graph: a graph of the user's that this one is a node of.
    const run = this.#runs.get(parentRunId ?? "") ?? {
      threadId: text(metadata?.["thread_id"]),
      cost: 0,
      events: 0,
      toolCalls: 0,
      failures: 0,
      startedMs: this.#elapsedMs(),
      stopped: undefined,
      root: runId,
      ids: new Set(),
    };
    run.events += 1;
    run.ids.add(runId);
    this.#runs.set(runId, run);
  }

  #end(runId: string): void {
    const run = this.#runs.get(runId);
    if (run) run.events += 1;
    for (const id of run?.root === runId ? [...run.ids] : [runId]) {
      this.#runs.delete(id);
      this.#models.delete(id);
      run?.ids.delete(id);
    }
  }

  #count(output: LLMResult, runId: string): void {
    const run = this.#runs.get(runId);
    const asked = this.#models.get(runId);
    if (!asked || asked.asksAnother) return;
    const message = (output.generations[0]?.[0] as { message?: AIMessage } | undefined)?.message;
    const who = answering(message) ?? asked;
    const usage = message?.usage_metadata as UsageMetadata | undefined;
    const { provider, model } = who;
    const call = { provider, model, threadId: run?.threadId, messageId: message?.id, usage };
    const cost = this.#options.ledger.record(call);
    if (!run) return;
    if (cost !== null) run.cost += cost.total;
    else if (this.#options.maxCost(run.threadId) !== undefined)
      this.#options.onUnpriced(`${provider}:${model}`);
  }
}

/** Who answered in place of the model that was asked: a `FallbackChatModel` says so on the message. */
const answering = (message: AIMessage | undefined): { provider: string; model: string } | undefined => {
  const metadata = message?.response_metadata as Record<string, unknown> | undefined;
  const provider = text(metadata?.["fiveseam_served_by"]);
  if (provider === undefined) return undefined;
  return { provider, model: text(metadata?.["model_name"]) ?? text(metadata?.["model"]) ?? "unknown" };
};
