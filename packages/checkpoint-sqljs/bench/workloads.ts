import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent } from "langchain";
import { z } from "zod";

export interface Workload {
  /** Turns in one invoke: a model step and its tool step each. */
  readonly turns: number;
  readonly invokes: number;
  /** Tool calls in a turn. */
  readonly calls: number;
  readonly messageChars: number;
}

export const workloads: Record<string, Workload> = {
  "50 turns": { turns: 50, invokes: 1, calls: 1, messageChars: 1_000 },
  "200 turns": { turns: 200, invokes: 1, calls: 1, messageChars: 1_000 },
  "400 turns": { turns: 400, invokes: 1, calls: 1, messageChars: 1_000 },
  "1,000 turns": { turns: 1_000, invokes: 1, calls: 1, messageChars: 1_000 },
  "40 turns of 5 calls": { turns: 40, invokes: 1, calls: 5, messageChars: 2_000 },
  "100 invokes of 1 turn": { turns: 1, invokes: 100, calls: 1, messageChars: 1_000 },
  "120 turns of 500 kB": { turns: 120, invokes: 1, calls: 1, messageChars: 500_000 },
};

/** Text that repeats nothing, so that sharing shows structure and not luck. */
const textOf = (seed: number, chars: number): string => {
  let state = seed * 2_654_435_761 + 1;
  let text = "";
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, chars);
};

/** Calls the tool for each turn, then answers. Remembers when each turn began. */
class ScriptedModel extends BaseChatModel {
  readonly startedMs: number[] = [];
  #call = 0;
  #step = 0;

  constructor(private readonly workload: Workload) {
    super({});
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(_messages: BaseMessage[]): Promise<ChatResult> {
    this.startedMs.push(performance.now());
    const last = this.#step === this.workload.turns;
    this.#step = last ? 0 : this.#step + 1;
    const calls = last ? [] : Array.from({ length: this.workload.calls }, () => (this.#call += 1));
    const message = new AIMessage({
      content: textOf(this.#call * 7 + 3, last ? 100 : 200),
      tool_calls: calls.map((call) => ({
        name: "read",
        args: { path: `/workspace/file-${call}.ts`, call },
        id: `call_${call}`,
        type: "tool_call" as const,
      })),
      usage_metadata: { input_tokens: 1_000, output_tokens: 50, total_tokens: 1_050 },
    });
    return { generations: [{ text: "", message }] };
  }
}

export const runWorkload = async (
  workload: Workload,
  checkpointer: BaseCheckpointSaver | undefined,
): Promise<{ totalMs: number; turnMs: number[] }> => {
  const model = new ScriptedModel(workload);
  const read = tool(({ call }) => textOf(call, workload.messageChars), {
    name: "read",
    description: "Reads a file.",
    schema: z.object({ path: z.string(), call: z.number() }),
  });
  const agent = createAgent({ model, tools: [read], ...(checkpointer ? { checkpointer } : {}) });
  const begin = performance.now();
  const turnMs: number[] = [];
  let history: BaseMessage[] = [];
  for (let invoke = 0; invoke < workload.invokes; invoke += 1) {
    const invokeBegan = performance.now();
    const input = new HumanMessage(`Task ${invoke}`);
    const result = await agent.invoke(
      // Without a checkpointer the caller carries the conversation.
      { messages: checkpointer ? [input] : [...history, input] },
      { configurable: { thread_id: "bench" }, recursionLimit: 100_000 },
    );
    history = result.messages as BaseMessage[];
    if (workload.invokes > 1) turnMs.push(performance.now() - invokeBegan);
  }
  const totalMs = performance.now() - begin;
  if (workload.invokes === 1)
    for (let turn = 1; turn < model.startedMs.length; turn += 1)
      turnMs.push(model.startedMs[turn]! - model.startedMs[turn - 1]!);
  return { totalMs, turnMs };
};
