/** An option of `createCodingAgent` is unknown, wrong, or contradicts another. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "invalid_config";
  /** The option that is at fault, as a path: "model", "subagents.0.name". */
  readonly option: string;

  constructor(option: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.option = option;
  }
}

/** A run is under way on this thread; a second one would lose a message. Wait for it, or pass `whenBusy: "queue"`. */
export class ThreadBusyError extends Error {
  override readonly name = "ThreadBusyError";
  readonly code = "thread_busy";
  readonly threadId: string;
  /** The run that holds the thread. */
  readonly runId: string;

  constructor(threadId: string, runId: string) {
    super(
      `Run ${runId} is under way on thread "${threadId}". Wait until it has finished, or pass whenBusy: "queue" to let ` +
        "the message join it.",
    );
    this.threadId = threadId;
    this.runId = runId;
  }
}

export type ResumeErrorCode =
  | "no_checkpointer"
  | "unknown_thread"
  | "unknown_interrupt"
  | "invalid_decision"
  /** The approval's time was over: it counts as denied. Resume without an answer to it. */
  | "approval_expired";

/** A thread cannot be resumed this way. Thrown before anything is changed, so the thread stays as it was. */
export class ResumeError extends Error {
  override readonly name = "ResumeError";
  readonly code: ResumeErrorCode;
  readonly threadId: string;

  constructor(code: ResumeErrorCode, threadId: string, message: string) {
    super(message);
    this.code = code;
    this.threadId = threadId;
  }
}

/** Changes cannot be taken back: the agent keeps no journal of them. */
export class UndoUnavailableError extends Error {
  override readonly name = "UndoUnavailableError";
  readonly code = "undo_unavailable";

  constructor() {
    super(
      "This agent keeps nothing that could be undone: it was made with `undo: false`, with a `backend` of your own, or has no " +
        "state directory.",
    );
  }
}

/** The agent was closed; make a new one. Threads are resumed from the checkpointer. */
export class AgentClosedError extends Error {
  override readonly name = "AgentClosedError";
  readonly code = "agent_closed";

  constructor() {
    super("This agent was closed. Create a new one; its threads can be resumed there.");
  }
}

/** Which limit of a run was reached. */
export type RunLimit =
  "max_cost" | "max_events" | "max_tool_calls" | "max_duration" | "max_consecutive_failures";

const LIMIT_TEXTS: Readonly<Record<RunLimit, (limit: number, spent: number) => string>> = {
  max_cost: (limit, spent) => `it has cost $${spent.toFixed(4)}, and maxCost is $${limit}`,
  max_events: (limit) => `it has had ${limit} events, the most that maxEvents allows`,
  max_tool_calls: (limit) => `it has made ${limit} tool calls, the most that maxToolCalls allows`,
  max_duration: (limit) =>
    `it has taken ${Math.round(limit / 1000)} seconds, the most that maxDurationMs allows`,
  max_consecutive_failures: (limit) =>
    `its last ${limit} tool calls have all failed, and maxConsecutiveFailures is ${limit}`,
};

/**
 * A run reached one of its limits: no further model or tool is called, and the thread can be resumed, with the limit
 * counted anew.
 */
export class RunLimitError extends Error {
  override readonly name = "RunLimitError";
  readonly code: RunLimit;
  /** US dollars, events, calls, milliseconds or failures, by `code`. */
  readonly limit: number;
  readonly spent: number;
  /** For the tool pipeline, which lets it pass instead of making a tool result of it. */
  readonly stopsRun = true;

  constructor(code: RunLimit, limit: number, spent: number) {
    super(
      `The run was stopped: ${LIMIT_TEXTS[code](limit, spent)}. resume() goes on from here with a fresh budget.`,
    );
    this.code = code;
    this.limit = limit;
    this.spent = spent;
  }
}
