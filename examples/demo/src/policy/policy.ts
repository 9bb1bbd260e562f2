import type { ScriptedPolicy } from "@fiveseam/models";
import { analyzerTurn } from "./analyzer.js";
import { fencesTurn } from "./fences.js";
import { mainTurn } from "./main-agent.js";

/**
 * The brain of the demo: a deterministic stand-in, not a language model. It repairs small faults in small JavaScript
 * projects by reading the test runner's output, tracing it to the source by names and trying generic small changes. It
 * knows nothing about the project that it is given.
 *
 * It is a pure function of the messages and the tools on offer, so a run that was killed goes on from its checkpoint.
 * Main agent and delegate share one model and are told apart by their tools: only the main agent can delegate.
 */
export const demoPolicy: ScriptedPolicy = (messages, tools) =>
  fencesTurn(messages) ??
  (tools.some((tool) => tool.name === "task") ? mainTurn(messages, tools) : analyzerTurn(messages, tools));
