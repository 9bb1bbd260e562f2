import { isUnknownOutcome } from "@fiveseam/tool-pipeline";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { EventSource, RunEvent, ToolStatus } from "./events.js";
import { modelOf, partsOf, usageOf } from "./message-content.js";
import { isRunNotice } from "./run-notices.js";

/** One item of LangGraph's stream with `subgraphs: true`: namespace, mode, payload. */
export type StreamItem = readonly [readonly string[], string, unknown];

/** The modes that the translator reads. */
export const STREAM_MODES = ["messages", "updates", "values", "tasks", "custom"] as const;

/** Without its type parameter distributing, `Omit` would merge the union's members. */
type Body<T> = T extends unknown ? Omit<T, keyof EventSource | "runId" | "threadId"> : never;
export type EventBody = Body<RunEvent>;

interface ToolTask {
  readonly callId: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** Names of nodes in langchain's agent graph (langchain 1.5). */
const MODEL_NODE = "model_request";
/** Its afterModel hook writes the results of calls that were rejected, which no tool task does. */
const APPROVAL_NODE = "HumanInTheLoopMiddleware";

const MAIN: EventSource = { agent: "main", delegation: null };

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The last `tools:<task>` part of a namespace names the task whose delegate the item comes from. The messages mode adds
 * the node that called the model, `model_request:<task>`, which says nothing here.
 */
const delegateTask = (namespace: readonly string[]): string | undefined => {
  const own = namespace.findLast((part) => part.startsWith("tools:"));
  return own?.slice("tools:".length);
};

const statusOf = (message: ToolMessage): ToolStatus => {
  if (isUnknownOutcome(message)) return "unknown";
  return message.status === "error" ? "error" : "success";
};

/**
 * Turns LangGraph's stream into RunEvents. Results of tool calls are held until their step is stored: with durability
 * "sync" LangGraph emits a graph's `values` only after the checkpointer has acknowledged the step (pregel/loop.js), so
 * that is when they are let go. What is reported as finished has therefore survived a crash.
 */
export class Translator {
  readonly #tasks = new Map<string, ToolTask>();
  readonly #calls = new Map<string, ToolTask>();
  readonly #restored = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #held = new Map<string, { callId: string; make: () => RunEvent }[]>();
  readonly #make: (source: EventSource, body: EventBody) => RunEvent;
  readonly #costOf: (messageId: string) => number | null;
  /** The message that each agent streams, by its namespace: what a failed call leaves behind is void. */
  readonly #streaming = new Map<string, string>();
  #todos = "";
  #lastText = "";

  constructor(
    identity: { runId: string; threadId: string },
    costOf: (messageId: string) => number | null = () => null,
  ) {
    this.#costOf = costOf;
    this.#make = (source, body) => ({ ...identity, ...source, ...body }) as RunEvent;
  }

  /** What the main agent said last. */
  get lastText(): string {
    return this.#lastText;
  }

  event(body: EventBody, source: EventSource = MAIN): RunEvent {
    return this.#make(source, body);
  }

  *translate([namespace, mode, payload]: StreamItem): Generator<RunEvent> {
    const source = this.#source(namespace);
    switch (mode) {
      case "messages":
        yield* this.#message(source, payload);
        return;
      case "custom":
        yield* this.#notice(source, payload);
        return;
      case "tasks":
        yield* this.#task(source, payload);
        return;
      case "updates":
        yield* this.#updates(source, namespace, payload);
        return;
      case "values":
        yield* this.release(namespace.join("|"));
        if (source === MAIN) yield* this.#changedTodos(payload);
        return;
    }
  }

  /** Lets go of what was held for a graph; with `stored`, of the calls in it alone, and the rest is dropped. */
  *release(namespace: string, stored?: ReadonlySet<string>): Generator<RunEvent> {
    for (const { callId, make } of this.#held.get(namespace) ?? []) {
      if (!stored || stored.has(callId)) yield make();
    }
    this.#held.delete(namespace);
  }

  /** The graphs whose step has not come to its end, as checkpoint namespaces. */
  heldNamespaces(): string[] {
    return [...this.#held.keys()];
  }

  #source(namespace: readonly string[]): EventSource {
    const id = delegateTask(namespace);
    if (id === undefined) return MAIN;
    const task = this.#tasks.get(id);
    // A tool message is streamed under its own task; only `task` calls have a graph of their own.
    if (task?.tool !== "task") return namespace.length > 1 ? this.#source(namespace.slice(0, -1)) : MAIN;
    return { agent: String(task.args["subagent_type"] ?? "delegate"), delegation: task.callId };
  }

  *#message(source: EventSource, payload: unknown): Generator<RunEvent> {
    const message = (payload as readonly [BaseMessage])[0];
    if (message.getType() !== "ai") return;
    const { text, reasoning } = partsOf(message);
    const messageId = message.id ?? "";
    if (text || reasoning) this.#streaming.set(source.delegation ?? "", messageId);
    if (reasoning) yield this.#make(source, { type: "reasoning.delta", messageId, text: reasoning });
    if (text) yield this.#make(source, { type: "text.delta", messageId, text });
  }

  /** What the agent's own middleware says, among whatever others write to the custom stream. */
  *#notice(source: EventSource, payload: unknown): Generator<RunEvent> {
    if (!isRunNotice(payload)) return;
    const { notice } = payload;
    if (notice.type !== "restarted") return yield this.#make(source, notice);
    const messageId = this.#streaming.get(source.delegation ?? "");
    if (messageId !== undefined) yield this.#make(source, { type: "text.discarded", messageId });
  }

  *#task(source: EventSource, payload: unknown): Generator<RunEvent> {
    const { id, name, input } = record(payload);
    const call = record(record(input)["lg_tool_call"]);
    if (name !== "tools" || typeof id !== "string" || typeof call["id"] !== "string") return;
    const task: ToolTask = { callId: call["id"], tool: String(call["name"]), args: record(call["args"]) };
    this.#tasks.set(id, task);
    this.#calls.set(task.callId, task);
    // On resume LangGraph lists the tasks of the step again, those that have finished included.
    if (this.#restored.delete(task.callId)) return;
    const { callId, tool, args } = task;
    yield this.#make(
      source,
      tool === "task"
        ? {
            type: "delegate.started",
            callId,
            role: String(args["subagent_type"] ?? ""),
            brief: String(args["description"] ?? ""),
          }
        : { type: "tool.started", callId, tool, args },
    );
  }

  *#updates(source: EventSource, namespace: readonly string[], payload: unknown): Generator<RunEvent> {
    // LangGraph marks what a task wrote in an earlier run, before the step is run again, as cached.
    const restored = record(record(payload)["__metadata__"])["cached"] === true;
    for (const [node, update] of Object.entries(record(payload))) {
      if (node === "__interrupt__" || node === "__metadata__") continue;
      for (const each of Array.isArray(update) ? (update as unknown[]) : [update]) {
        const { messages } = record(each);
        for (const message of Array.isArray(messages) ? (messages as BaseMessage[]) : []) {
          if (ToolMessage.isInstance(message) && (node === "tools" || node.startsWith(APPROVAL_NODE))) {
            if (restored) this.#restored.add(message.tool_call_id);
            this.#hold(namespace, message.tool_call_id, this.#finish(source, message, restored));
          } else if (AIMessage.isInstance(message)) {
            if (source === MAIN) this.#lastText = partsOf(message).text || this.#lastText;
            // Other nodes give a message back that they have changed; a restored one was counted when it was made.
            if (node === MODEL_NODE && !restored) yield* this.#said(source, message);
          }
        }
      }
    }
  }

  #hold(namespace: readonly string[], callId: string, make: () => RunEvent): void {
    const key = namespace.join("|");
    const held = this.#held.get(key);
    if (held) held.push({ callId, make });
    else this.#held.set(key, [{ callId, make }]);
  }

  #finish(source: EventSource, message: ToolMessage, restored: boolean): () => RunEvent {
    const callId = message.tool_call_id;
    return () => {
      const known = this.#calls.get(callId);
      const tool = known?.tool ?? message.name ?? "";
      const output = message.text;
      const status = statusOf(message);
      return this.#make(
        source,
        tool === "task"
          ? {
              type: "delegate.finished",
              callId,
              role: String(known?.args["subagent_type"] ?? ""),
              status,
              report: output,
              restored,
            }
          : {
              type: "tool.finished",
              callId,
              tool,
              status,
              output,
              ...(message.artifact === undefined ? {} : { artifact: message.artifact as unknown }),
              restored,
            },
      );
    };
  }

  *#said(source: EventSource, message: AIMessage): Generator<RunEvent> {
    const messageId = message.id ?? "";
    const usage = usageOf(message);
    if (!usage || this.#counted.has(messageId)) return;
    this.#counted.add(messageId);
    const cost = this.#costOf(messageId);
    yield this.#make(source, { type: "usage", messageId, model: modelOf(message), usage, cost });
  }

  *#changedTodos(payload: unknown): Generator<RunEvent> {
    const { todos } = record(payload);
    if (!Array.isArray(todos)) return;
    const text = JSON.stringify(todos);
    if (text === this.#todos || (this.#todos === "" && todos.length === 0)) return;
    this.#todos = text;
    yield this.#make(MAIN, { type: "todos.changed", todos: todos as never });
  }
}
