import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph";
import { createAgent, fakeModel, type AgentMiddleware } from "langchain";
import { tool, type StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import {
  compactionMiddleware,
  type Compacted,
  type CompactionOptions,
  type ContextFiles,
  type ContextWarning,
} from "../src/index.js";

/** Files in memory; an Error is thrown when it is read. */
export const filesOf = (files: Record<string, string | Error>): ContextFiles => ({
  async read(path) {
    const text = files[path];
    if (text instanceof Error) throw text;
    return text;
  },
  async list(directory) {
    const below = Object.keys(files)
      .filter((path) => path.startsWith(directory))
      .map((path) => path.slice(directory.length));
    return [
      ...new Set(below.map((rest) => (rest.includes("/") ? rest.slice(0, rest.indexOf("/") + 1) : rest))),
    ];
  },
});

export const call = (id: string, name: string, args: Record<string, unknown>): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] });

export interface Conversed {
  /** What the model was sent at each call. */
  readonly calls: readonly (readonly BaseMessage[])[];
  readonly systems: readonly string[];
  readonly state: Record<string, unknown> & { messages: BaseMessage[] };
}

/** Runs an agent for some user turns, the answers in order, and says what its model was sent. */
export const converse = async (
  middleware: readonly AgentMiddleware[],
  turns: readonly string[],
  options: {
    answers?: readonly (AIMessage | Error)[];
    tools?: readonly StructuredTool[];
    between?: (turn: number) => void | Promise<void>;
    checkpointer?: BaseCheckpointSaver;
    threadId?: string;
    context?: unknown;
  } = {},
): Promise<Conversed> => {
  const { answers, tools = [], between, checkpointer = new MemorySaver(), threadId = "t" } = options;
  const model = fakeModel();
  for (const answer of answers ?? turns.map(() => new AIMessage("ok"))) model.respond(answer);
  const agent = createAgent({
    model,
    tools: [...tools],
    systemPrompt: "BASE",
    middleware: [...middleware],
    checkpointer,
  });
  let state: unknown;
  for (const [at, turn] of turns.entries()) {
    state = await agent.invoke({ messages: [new HumanMessage(turn)] }, {
      configurable: { thread_id: threadId },
      recursionLimit: 500,
      context: options.context,
    } as never);
    await between?.(at);
  }
  return {
    calls: model.calls.map(({ messages }) => messages),
    systems: model.calls.map(({ messages }) => (messages[0] as BaseMessage).text),
    state: state as Conversed["state"],
  };
};

/** Says a text so many times. */
export const echo = tool(({ text, size }: { text: string; size: number }) => text.repeat(size), {
  name: "echo",
  description: "Echoes.",
  schema: z.object({ text: z.string(), size: z.number() }),
});

/** Compaction for a window of 4,000 tokens without a model for summaries, and what it did. */
export const compactionOf = (more: Partial<CompactionOptions> = {}) => {
  const files = new Map<string, string>();
  const events: Compacted[] = [];
  const warnings: ContextWarning[] = [];
  const middleware = compactionMiddleware({
    backend: { write: (path: string, content: string) => (files.set(path, content), {}) },
    windowTokens: () => 4_000,
    summaryModels: () => [],
    onCompacted: (event) => events.push(event),
    onWarning: (warning) => warnings.push(warning),
    ...more,
  });
  return { middleware, files, events, warnings };
};
