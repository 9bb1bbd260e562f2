import { ToolMessage } from "@langchain/core/messages";
import type { Layer, PipelineCall, ToolResult } from "../call.js";
import { argsDigest, contentDigest } from "../digest.js";
import type { ToolDeclaration } from "../effects.js";
import { RunStoppedError } from "../errors.js";
import { copyOf, messageIn, withoutResult } from "../outcomes.js";
import { fruitless, LONGEST_CYCLE, repetitions, type Seen } from "./loop-history.js";

export interface LoopGuardOptions {
  /** Repetitions of a cycle of one to five calls, with the same arguments and results, after which the model gets a note; default 4. */
  noteAfter?: number;
  /** Repetitions after which the next call of the cycle is refused; default 6. */
  refuseAfter?: number;
  /** Different calls of one tool that change nothing and all have the same answer, after which the model gets a note; default 15. */
  noteAfterFruitless?: number;
  /** The same, after which one more call of that tool is refused; default 30. */
  refuseAfterFruitless?: number;
  /** Refusals in a row after which the run is stopped with a `RunStoppedError`; default 3. */
  stopAfterRefusals?: number;
  /** Tools that are never counted. Tools with the effect `debug` are not: a debugger that steps through a loop says the same again. */
  exempt?: readonly string[];
}

interface Agent {
  history: Seen[];
  refusals: number;
  /** The user's last message: a new one starts a new history. */
  turn: string;
}

const MAX_AGENTS = 500;

const askedBy = (call: PipelineCall): string => {
  try {
    return `${call.toolName} ${argsDigest(call.args)}`;
  } catch {
    // Arguments that JSON cannot hold come from no model: no two such calls are the same.
    return `${call.toolName} ${call.id} ${Math.random()}`;
  }
};

const answerOf = (result: ToolResult, callId: string): string => {
  const message = messageIn(result, callId);
  return message ? contentDigest(message) : "";
};

const isIdle = ({ effects, idempotent }: ToolDeclaration, result: ToolResult, callId: string): boolean =>
  effects.every((effect) => effect === "fs.read" || (effect === "net" && idempotent === true)) ||
  messageIn(result, callId)?.status === "error";

const polls = ({ declaration, args }: PipelineCall): boolean => {
  try {
    return declaration.polls?.(args) === true;
  } catch {
    return false; // Arguments that are not validated yet.
  }
};

/** The agent on its thread: the namespace without the task, which is another one in every step. */
const agentKey = (call: PipelineCall): string =>
  `${call.threadId ?? ""}\n${call.namespace.split("|").slice(0, -1).join("|")}\n${call.agent ?? ""}`;

const turnOf = (messages: readonly unknown[]): string => {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at] as { type?: unknown; id?: unknown };
    if (message.type === "human") return typeof message.id === "string" ? message.id : "";
  }
  return "";
};

/**
 * The layer that notices a model going round in circles: the same calls with the same arguments AND the same results, or
 * many different calls that change nothing and learn nothing. First the result carries a note, then calls are refused, then
 * the run is stopped. Whatever makes progress never counts: other arguments, another result, a write that succeeds. Kept per
 * agent and turn of the user, in this process.
 */
export const loopGuard = (options: LoopGuardOptions = {}): Layer => {
  const {
    noteAfter = 4,
    refuseAfter = 6,
    noteAfterFruitless = 15,
    refuseAfterFruitless = 30,
    stopAfterRefusals = 3,
    exempt = [],
  } = options;
  const remembered = Math.max(LONGEST_CYCLE * (refuseAfter + 1), refuseAfterFruitless + 1);
  const agents = new Map<string, Agent>();

  const agentOf = (call: PipelineCall): Agent => {
    const key = agentKey(call);
    const turn = turnOf(call.messages);
    let agent = agents.get(key);
    if (!agent || agent.turn !== turn) agent = { history: [], refusals: 0, turn };
    agents.delete(key);
    agents.set(key, agent);
    if (agents.size > MAX_AGENTS) agents.delete(agents.keys().next().value as string);
    return agent;
  };

  /** Why the call would go on with what was repeated too often, or undefined. */
  const complaint = (agent: Agent, tool: string, asked: string): string | undefined => {
    const { times, length } = repetitions(agent.history);
    if (times >= refuseAfter && agent.history.at(-length)?.asked === asked) {
      return length === 1
        ? `the same call gave the same result ${times} times`
        : `the same ${length} calls in turn gave the same results ${times} times`;
    }
    const count = fruitless(agent.history);
    return count >= refuseAfterFruitless && agent.history.at(-1)?.tool === tool
      ? `${count} calls of ${tool} in a row all gave the same result`
      : undefined;
  };

  const noteFor = (history: readonly Seen[]): string | undefined => {
    const { times, length } = repetitions(history);
    const count = fruitless(history);
    if (times >= noteAfter) {
      return `This ${length === 1 ? "call" : `round of ${length} calls`} has now given the same result ${times} times.`;
    }
    return count >= noteAfterFruitless ? `${count} calls in a row have given this same result.` : undefined;
  };

  return {
    name: "loop-guard",
    async handle(call, next) {
      if (exempt.includes(call.toolName)) return next(call);
      // An undeclared tool has the effect `debug` among all others, which says nothing of it.
      const { effects } = call.declaration;
      if (effects.includes("debug") && !effects.includes("vcs.write")) return next(call);
      if (polls(call)) return next(call);
      const agent = agentOf(call);
      const asked = askedBy(call);
      const why = complaint(agent, call.toolName, asked);
      if (why !== undefined) {
        agent.refusals += 1;
        if (agent.refusals > stopAfterRefusals) {
          throw new RunStoppedError("loop", `The run was stopped because it went in circles: ${why}.`);
        }
        return withoutResult(
          call,
          `This call was not carried out: ${why}. Repeating it will not help. Try something else, or say in your answer ` +
            "what stops you.",
          "loop",
        );
      }
      agent.refusals = 0;
      const result = await next(call);
      agent.history.push({
        tool: call.toolName,
        asked,
        answered: answerOf(result, call.id),
        idle: isIdle(call.declaration, result, call.id),
      });
      if (agent.history.length > remembered) agent.history.shift();
      const note = noteFor(agent.history);
      if (note === undefined || !ToolMessage.isInstance(result) || typeof result.content !== "string")
        return result;
      return copyOf(result, {
        content: `${result.content}\n\n[${note} If you are stuck, try something else.]`,
      });
    },
  };
};
