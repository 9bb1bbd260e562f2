import { setMaxListeners } from "node:events";
import type { RunMode } from "@fiveseam/subagents";
import type { BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command, type CheckpointTuple, type StateSnapshot } from "@langchain/langgraph";
import { droppedApprovals, resumeMap, type Answers, type PendingInterrupt } from "./approvals.js";
import { errorFacts } from "./error-facts.js";
import { AgentClosedError, ResumeError, RunLimitError } from "./errors.js";
import { EventQueue } from "./event-queue.js";
import type { FinishReason, RunEvent, WarningCode } from "./events.js";
import { modeAskedFor, type RunnableAgent, type RunOptions, type Runtime } from "./run-options.js";
import { lastStart, modeOf } from "./stored-mode.js";
import { closingMessages, lastTextOf, messagesOf, pendingInterrupts, storedCallIds } from "./thread-state.js";
import type { ThreadLease } from "./threads.js";
import { STREAM_MODES, type Translator, type StreamItem } from "./translator.js";

export type Work =
  { kind: "message"; message: HumanMessage; queued: boolean } | { kind: "resume"; answers: Answers };

/** How long the end of an aborted run waits for a checkpointer that does not answer. */
const CHECKPOINTER_MS = 2_000;

/** The messages that a run was begun with, when it came to its end before the graph had taken them in. */
const startOf = (tuple: CheckpointTuple | undefined): BaseMessage[] =>
  messagesOf(tuple?.checkpoint.channel_values["__start__"]);

/** The promise's value, or an error once it has taken too long after the signal was aborted. */
const unlessAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  let give = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    give = () => {
      timer = setTimeout(() => reject(new Error("The checkpointer does not answer.")), CHECKPOINTER_MS);
    };
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", give);
  }
};

/** One run on one thread, from taking the thread to letting it go. It does not depend on anybody reading its events. */
export class ActiveRun {
  readonly #agent: RunnableAgent;
  readonly #runtime: Runtime;
  readonly #lease: ThreadLease;
  readonly #translator: Translator;
  readonly #work: Work;
  readonly #options: RunOptions;
  readonly #own = new AbortController();
  readonly #signal: AbortSignal;
  readonly events = new EventQueue<RunEvent>();
  readonly done: Promise<void>;
  readonly #spentBefore: { total: number; unpricedCalls: number };
  #mode: RunMode;
  /** In which mode the run began that this one goes on with. */
  #startedIn: RunMode = "act";
  #started = false;
  #values: object | undefined;

  constructor(
    agent: RunnableAgent,
    runtime: Runtime,
    lease: ThreadLease,
    translator: Translator,
    work: Work,
    options: RunOptions,
  ) {
    this.#agent = agent;
    this.#runtime = runtime;
    this.#lease = lease;
    this.#translator = translator;
    this.#work = work;
    this.#options = options;
    // `any` adds no listener to the caller's signal, which may serve many runs; ours serves all tools of this one.
    this.#signal = AbortSignal.any([this.#own.signal, ...(options.signal ? [options.signal] : [])]);
    setMaxListeners(0, this.#signal);
    runtime.active.add(this);
    lease.abort = (reason) => this.abort(reason);
    lease.maxCost = options.maxCost;
    lease.limits = options.limits;
    this.#mode = modeAskedFor(options) ?? "act";
    lease.mode = this.#mode;
    this.#spentBefore = this.#spent;
    // What the user let be remembered was for the run that is over.
    if (work.kind === "message") {
      runtime.approvals.forget(options.threadId);
      lease.turnId = work.message.id ?? lease.turnId;
    }
    this.done = this.#run();
  }

  abort(reason: Error): void {
    this.#own.abort(reason);
  }

  async #run(): Promise<void> {
    const timer = this.#startClock();
    try {
      await this.#execute();
      this.events.close();
    } catch (error) {
      this.events.close({ error });
    } finally {
      clearTimeout(timer);
      this.#lease.release();
      this.#runtime.active.delete(this);
    }
  }

  /** The limit on time stops what is under way; the others are looked at where something new is begun. */
  #startClock(): NodeJS.Timeout | undefined {
    const { maxDurationMs } = this.#runtime.limits(this.#options.limits);
    // Beyond this Node's timers fire at once.
    if (maxDurationMs > 2 ** 31 - 1) return undefined;
    const timer = setTimeout(
      () => this.abort(new RunLimitError("max_duration", maxDurationMs, maxDurationMs)),
      maxDurationMs,
    );
    timer.unref();
    return timer;
  }

  get #config(): Record<string, unknown> & { configurable: Record<string, unknown> } {
    const { config, context, threadId } = this.#options;
    return {
      ...config,
      ...(context === undefined && !this.#saysMode ? {} : { context: this.#contextOf(context) }),
      configurable: { ...config?.configurable, thread_id: threadId },
      signal: this.#signal,
      streamMode: [...STREAM_MODES],
      subgraphs: true,
      // A tool call is reported finished once its step is stored; "async", the default, reports first.
      durability: "sync",
    };
  }

  #contextOf(context: unknown): unknown {
    return this.#saysMode ? { ...(context as object | undefined), mode: this.#mode } : context;
  }

  /** A strict `contextSchema` need not know of a mode that goes without saying. */
  get #saysMode(): boolean {
    return this.#mode !== "act" || this.#startedIn === "plan";
  }

  /** The thread as it is stored; undefined without a checkpointer, or when nothing is stored. */
  async #stored(): Promise<{ state: StateSnapshot; tuple: CheckpointTuple | undefined } | undefined> {
    const { checkpointer } = this.#runtime;
    if (!checkpointer) return undefined;
    const read = async () => {
      const state = await this.#agent.graph.getState({ configurable: { ...this.#config.configurable } });
      // The state folds the writes of an unfinished step in; what is in the checkpoint itself only the tuple tells.
      const tuple = state.tasks.length > 0 ? await checkpointer.getTuple(state.config) : undefined;
      return { state, tuple };
    };
    const stored = await unlessAborted(read(), this.#signal);
    return stored.state.config.configurable?.["checkpoint_id"] ? stored : undefined;
  }

  get #spent(): { total: number; unpricedCalls: number } {
    const { cost, unpricedCalls } = this.#runtime.costs.thread(this.#options.threadId);
    return { total: cost.total, unpricedCalls };
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#push({ type: "run.started", resumed: this.#work.kind === "resume" });
    for (const warning of this.#runtime.warnings.splice(0)) this.#push({ type: "warning", ...warning });
  }

  #push(body: Parameters<Translator["event"]>[0]): void {
    this.events.push(this.#translator.event(body));
  }

  #warn(code: WarningCode, message: string): void {
    this.#runtime.warnings.push({ code, message });
  }

  async #execute(): Promise<void> {
    if (this.#signal.aborted && this.#work.kind === "message")
      return this.#finish([], { reason: "aborted", text: "" });
    let input: unknown;
    if (this.#work.kind === "resume") {
      // What does not fit throws here, before anything is changed.
      input = await this.#resumeInput(this.#work.answers);
      if (input === undefined) return;
      this.#start();
    } else {
      try {
        input = await this.#messageInput(this.#work.message, this.#work.queued);
      } catch (error) {
        return this.#finish([], this.#failed(error));
      }
      if (input === undefined) return;
    }
    await this.#drive(input);
  }

  /** LangGraph's input for a resume, or undefined when there is nothing to go on with, which has been reported then. */
  async #resumeInput(answers: Answers): Promise<unknown> {
    const { threadId } = this.#options;
    const stored = await this.#stored();
    if (!stored) {
      const message = `There is no thread "${threadId}" to resume; start it with run().`;
      throw new ResumeError("unknown_thread", threadId, message);
    }
    const { state, tuple } = stored;
    const start = lastStart([...messagesOf(state.values), ...startOf(tuple)]);
    this.#startedIn = modeOf(start);
    this.#mode = modeAskedFor(this.#options) ?? this.#startedIn;
    this.#lease.mode = this.#mode;
    this.#lease.turnId = start?.id ?? this.#lease.turnId;
    const pending = pendingInterrupts(state, tuple);
    const map = resumeMap(threadId, pending, answers, Date.now());
    const answered = Object.keys(map).length > 0;
    // Not `state.next`: it leaves out tasks whose result is stored while their step is not.
    if (state.tasks.length === 0 || (pending.length > 0 && !answered)) {
      this.#start();
      this.#finish(pending, { reason: "completed", text: lastTextOf(state.values) });
      return undefined;
    }
    for (const { code, message } of droppedApprovals(pending, answers)) this.#warn(code, message);
    return answered ? new Command({ resume: map }) : null;
  }

  /** LangGraph's input for a message, behind what closes an unfinished step; undefined when it was not sent. */
  async #messageInput(message: HumanMessage, queued: boolean): Promise<unknown> {
    const stored = await this.#stored();
    if (!stored || stored.state.tasks.length === 0) return { messages: [message] };
    const pending = pendingInterrupts(stored.state, stored.tuple);
    if (pending.length > 0 && queued) {
      // Whoever queued it did not know of the question, so it must not answer it.
      this.#warn(
        "not_sent",
        "The message was not sent: the thread waits for an answer. Give it, then send it again.",
      );
      this.#start();
      this.#finish(pending, { reason: "completed", text: "" });
      return undefined;
    }
    if (pending.length > 0) {
      this.#warn(
        "approvals_declined",
        "The thread waited for an answer; the new message was taken as declining.",
      );
    }
    return { messages: [...closingMessages(stored.tuple, pending.length > 0), message] };
  }

  async #drive(input: unknown): Promise<void> {
    let failure: { error: unknown } | undefined;
    let rootSteps = 0;
    try {
      this.#signal.throwIfAborted();
      for await (const item of (await this.#agent.stream(input, this.#config)) as AsyncIterable<StreamItem>) {
        if (item[1] === "values" && item[0].length === 0) {
          this.#values = item[2] as object;
          this.#confirmJoined(this.#values);
          // The first values are the input's and may not be stored yet; the second come after a step, and all before
          // them are. A run that has started can therefore be resumed.
          rootSteps += 1;
          if (rootSteps === 2) this.#start();
        }
        for (const event of this.#translator.translate(item)) this.events.push(event);
      }
    } catch (error) {
      failure = { error };
      // The stream may not be what failed: whatever still runs must stop before the thread is let go.
      this.#own.abort(error);
    }
    // An aborted stream ends before the tools it was running have: the next run must not meet them.
    await this.#lease.settled();
    await this.#conclude(failure);
  }

  async #conclude(failure: { error: unknown } | undefined): Promise<void> {
    let pending: PendingInterrupt[] = [];
    let problem = failure;
    try {
      const stored = await this.#stored();
      const holdsMessage = (id: string | undefined): boolean =>
        messagesOf(stored?.tuple?.checkpoint.channel_values ?? stored?.state.values).some(
          (message) => message.id === id,
        );
      if (this.#work.kind === "message" && holdsMessage(this.#work.message.id)) this.#start();
      // Steps that did not come to their end: only what the checkpointer has of them is reported.
      for (const namespace of this.#translator.heldNamespaces()) {
        const ids = this.#runtime.checkpointer
          ? await unlessAborted(
              storedCallIds(this.#runtime.checkpointer, this.#options.threadId, namespace),
              this.#signal,
            )
          : undefined;
        for (const event of this.#translator.release(namespace, ids)) this.events.push(event);
      }
      if (stored) {
        this.#confirmJoined(stored.state.values as object);
        if (!failure) pending = pendingInterrupts(stored.state, stored.tuple);
      }
    } catch (error) {
      problem ??= { error };
    }
    if (!problem) this.#start();
    this.#finish(
      pending,
      problem ? this.#failed(problem.error) : { reason: "completed", text: this.#translator.lastText },
    );
  }

  #failed(error: unknown): { reason: FinishReason; text: string; error?: ReturnType<typeof errorFacts> } {
    const { signal } = this.#options;
    const limit = this.#own.signal.reason as unknown;
    if (limit instanceof RunLimitError)
      return { reason: "limit", text: this.#translator.lastText, error: errorFacts(limit) };
    const closed =
      this.#own.signal.reason instanceof AgentClosedError || this.#own.signal.reason === STOPPED_READING;
    const text = this.#translator.lastText;
    return signal?.aborted || closed
      ? { reason: "aborted", text }
      : { reason: "failed", text, error: errorFacts(error) };
  }

  #confirmJoined(values: object): void {
    const ids = new Set(messagesOf(values).map((message) => message.id));
    this.#lease.confirm((id) => ids.has(id));
  }

  #finish(
    pending: readonly PendingInterrupt[],
    end: { reason: FinishReason; text: string; error?: ReturnType<typeof errorFacts> },
  ): void {
    for (const warning of this.#runtime.warnings.splice(0)) this.#push({ type: "warning", ...warning });
    for (const each of pending) {
      const { interruptId, source } = each;
      this.events.push(
        this.#translator.event(
          each.kind === "approval"
            ? { type: "approval.needed", interruptId, actions: each.actions }
            : { type: "input.needed", interruptId, value: each.value },
          source,
        ),
      );
    }
    const spent = this.#spent;
    // Taken from the stream: langchain keeps it in an untracked channel, which no checkpoint holds.
    const { structuredResponse } = (this.#values ?? {}) as { structuredResponse?: unknown };
    this.#push({
      type: "run.finished",
      ...end,
      reason: pending.length > 0 && end.reason === "completed" ? "needs_input" : end.reason,
      ...(structuredResponse === undefined ? {} : { response: structuredResponse }),
      cost: {
        total: spent.total - this.#spentBefore.total,
        unpricedCalls: spent.unpricedCalls - this.#spentBefore.unpricedCalls,
      },
    });
  }
}

export const STOPPED_READING = new DOMException("The run's events are no longer read.", "AbortError");
