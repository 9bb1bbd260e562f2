import { setMaxListeners } from "node:events";
import { ALL_RIGHTS, currentCall, effectsBeyond, UNDECLARED, type Rights } from "@fiveseam/tool-pipeline";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { DelegationError } from "./errors.js";
import { Slots } from "./slots.js";

export interface DelegationOptions {
  /** Delegates of one agent that work at the same time; further ones wait. Default 8. */
  maxParallel?: number;
  /** How deep delegates may delegate in turn; 1 is a delegate of the main agent. Default 3. */
  maxDepth?: number;
  /** Stops a delegate that has worked for so long, by its type. Default 1,800,000 (30 minutes) for each. */
  deadlineMs?: number | ((type: string) => number | undefined);
  /** How often `onHeartbeat` is told of a delegate that is at work; default 30,000. */
  heartbeatMs?: number;
  /** A delegate is still at work, however quiet it is. Called within its `task` call; what it throws is ignored. */
  onHeartbeat?: (heartbeat: Heartbeat) => void;
  /** Types that run outside the pipeline, compiled ones: only for callers who may do everything. */
  unfenced?: readonly string[];
}

/** A sign of life. */
export interface Heartbeat {
  /** The `task` call that started the delegate. */
  readonly callId: string | undefined;
  readonly type: string;
  /** For how long it has worked. */
  readonly elapsedMs: number;
}

const DEFAULT_HEARTBEAT_MS = 30_000;
const DEFAULT_DEADLINE_MS = 1_800_000;
/** The longest that Node's timers take. */
const LONGEST_MS = 2 ** 31 - 1;

const isEverything = (rights: Rights): boolean =>
  rights === ALL_RIGHTS ||
  (effectsBeyond(rights, UNDECLARED).length === 0 &&
    [rights.read, rights.write].every(({ allow, deny }) => allow.length === 0 && deny.length === 0));

interface TaskConfig {
  readonly signal?: AbortSignal;
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/**
 * Where LangGraph 1.5 keeps the signals of the graph around: a graph inside another listens to the outer one's
 * `externalAbortSignal` and not to the `signal` that it was invoked with, which only ends the waiting for it.
 */
const OUTER_SIGNALS = "__pregel_abort_signals";

const withSignal = (config: TaskConfig, more: AbortSignal): TaskConfig => {
  const signal = config.signal ? AbortSignal.any([config.signal, more]) : more;
  const outer = config.configurable?.[OUTER_SIGNALS] as { externalAbortSignal?: AbortSignal } | undefined;
  const externalAbortSignal = outer?.externalAbortSignal
    ? AbortSignal.any([outer.externalAbortSignal, more])
    : signal;
  setMaxListeners(0, signal, externalAbortSignal);
  return {
    ...config,
    signal,
    configurable: { ...config.configurable, [OUTER_SIGNALS]: { ...outer, externalAbortSignal } },
  };
};

/** The tool as it is, but for one more signal: deepagents hands on the signal of the tool's own config only. */
const stoppedBy = <Tool extends object>(tool: Tool, signal: AbortSignal): Tool =>
  Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as Tool, tool, {
    invoke: (input: unknown, config: TaskConfig = {}) =>
      (tool as unknown as { invoke(input: unknown, config: TaskConfig): Promise<unknown> }).invoke(
        input,
        withSignal(config, signal),
      ),
  });

const count = (option: string, value: number): number => {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RangeError(`\`${option}\` is a whole number from 1 on.`);
};

/**
 * Limits what an agent delegates with `task`: how many at once, how deep, for how long, and to whom. Give it to the agent
 * behind its `toolPipelineMiddleware`, which makes a refusal or a missed deadline the result of the call.
 *
 * @throws {RangeError} when a limit is no whole number from 1 on.
 *
 * @example
 * ```ts
 * import { delegationMiddleware } from "@fiveseam/subagents";
 * import { createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 *
 * const middleware = [
 *   toolPipelineMiddleware(createPipeline()),
 *   delegationMiddleware({ maxParallel: 4, deadlineMs: 600_000 }),
 * ];
 * ```
 */
export const delegationMiddleware = (options: DelegationOptions = {}): AgentMiddleware => {
  const slots = new Slots(count("maxParallel", options.maxParallel ?? 8));
  const maxDepth = count("maxDepth", options.maxDepth ?? 3);
  const { deadlineMs, unfenced = [], onHeartbeat } = options;
  const heartbeatMs = count("heartbeatMs", options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS);
  const deadlineOf = (type: string): number =>
    count(
      "deadlineMs",
      (typeof deadlineMs === "function" ? deadlineMs(type) : deadlineMs) ?? DEFAULT_DEADLINE_MS,
    );
  if (typeof deadlineMs === "number") deadlineOf("");

  const check = (type: string, depth: number): void => {
    if (depth > maxDepth) {
      throw new DelegationError(
        "depth",
        type,
        `Delegates may not delegate any deeper (${maxDepth} is the limit). Do it yourself.`,
      );
    }
    if (unfenced.includes(type) && !isEverything(currentCall()?.rights ?? ALL_RIGHTS)) {
      throw new DelegationError(
        "denied",
        type,
        `The delegate ${type} cannot be held to what you may do here, so it was not started. Choose another.`,
      );
    }
  };

  /** Tells of a delegate until it is stopped. The interval keeps the context that it was made in: the call's. */
  const beating = (type: string, callId: string | undefined): { stop(): void } => {
    if (!onHeartbeat) return { stop: () => {} };
    const began = performance.now();
    const timer = setInterval(
      () => {
        try {
          onHeartbeat({ callId, type, elapsedMs: Math.round(performance.now() - began) });
        } catch {}
      },
      Math.min(heartbeatMs, LONGEST_MS),
    );
    timer.unref();
    return { stop: () => clearInterval(timer) };
  };

  return createMiddleware({
    name: "FiveseamDelegation",
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool, runtime } = request;
      const type = (toolCall.args as { subagent_type?: unknown }).subagent_type;
      if (toolCall.name !== "task" || !tool || typeof type !== "string") return handler(request);
      const { signal, configurable } = runtime;
      // One part for each graph on the way: the main agent's task is `tools:…`, a delegate's `tools:…|tools:…`.
      const place = String(configurable?.["checkpoint_ns"] ?? "").split("|");
      check(type, place.length);
      const free = await slots.take(
        `${String(configurable?.["thread_id"])}\n${place.slice(0, -1).join("|")}`,
        signal,
      );
      const deadline = new AbortController();
      const afterMs = deadlineOf(type);
      const timer = setTimeout(
        () => deadline.abort(new DOMException("The delegate's time is up.", "TimeoutError")),
        Math.min(afterMs, LONGEST_MS),
      );
      const heart = beating(type, toolCall.id);
      try {
        return await handler({ ...request, tool: stoppedBy(tool, deadline.signal) });
      } catch (error) {
        if (!deadline.signal.aborted || signal?.aborted === true) throw error;
        throw new DelegationError(
          "deadline",
          type,
          `The delegate ${type} was stopped: it had worked for ${afterMs / 1000} s. What it changed so far is there. ` +
            "Look at it before you go on, and ask for less at once.",
        );
      } finally {
        clearTimeout(timer);
        heart.stop();
        free();
      }
    },
  }) as AgentMiddleware;
};
