import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent, type RunEvent } from "fiveseam";
import { demoPolicy } from "../src/policy/index.js";

/** What a person would type into the demo. */
export const REQUEST = "The tests fail. Find out why and fix it.";

/** The agent of the demo, with its checkpoints in `stateDir`; without them when `durable` is false. */
export const createDemoAgent = (workspace: string, stateDir: string, durable = true) =>
  createCodingAgent({
    workspace,
    stateDir,
    model: new ScriptedChatModel({ policy: demoPolicy, chunkSize: 400 }),
    ...(durable ? {} : { checkpointer: false as const }),
  });

/** Lets an agent without checkpoints work on a project until it answers, and returns what happened. */
export const repair = async (workspace: string, stateDir: string): Promise<readonly RunEvent[]> => {
  await using agent = await createDemoAgent(workspace, stateDir, false);
  const events: RunEvent[] = [];
  for await (const event of agent.run(REQUEST, { threadId: "repair" })) events.push(event);
  return events;
};

/** Arguments of the main agent's calls of a tool, in order. */
export const callsOf = (events: readonly RunEvent[], tool: string): readonly Record<string, unknown>[] =>
  events.flatMap((event) =>
    event.type === "tool.started" && event.tool === tool && event.delegation === null ? [event.args] : [],
  );
