import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import type { AIMessage, UsageMetadata } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { Layer } from "@fiveseam/tool-pipeline";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { CostLedger } from "./cost-ledger.js";
import { RunLimitError } from "./errors.js";

/** What one run of the graph has spent, its delegates and side calls included. */
interface RunSpending {
  readonly threadId: string | undefined;
  cost: number;
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

/**
 * Counts what models cost and stops a run that has spent its limit. It counts by callbacks, which see every call that
 * goes through LangChain, and stops where models and tools are called, so that it holds for `invoke` and for whoever
 * reads the stream slowly.
 */
export class RunMeter {
  readonly #options: MeterOptions;
  readonly #runs = new Map<string, RunSpending>();
  readonly #models = new Map<string, Asked>();

  constructor(options: MeterOptions) {
    this.#options = options;
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

  /** Refuses tools once the limit is reached. */
  readonly layer: Layer = {
    name: "run-limits",
    handle: (call, next) => {
      this.#check();
      return next(call);
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

  #check(): void {
    const run = this.#runs.get(currentRunId() ?? "");
    if (!run) return;
    const limit = this.#options.maxCost(run.threadId);
    if (limit === undefined || run.cost < limit) return;
    if (!run.stopped) {
      run.stopped = new RunLimitError("max_cost", limit, run.cost);
      this.#options.onLimit(run.threadId, run.stopped);
    }
    throw run.stopped;
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
      stopped: undefined,
      root: runId,
      ids: new Set(),
    };
    run.ids.add(runId);
    this.#runs.set(runId, run);
  }

  #end(runId: string): void {
    const run = this.#runs.get(runId);
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
