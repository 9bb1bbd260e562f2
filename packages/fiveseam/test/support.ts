import { mkdtemp, rm, writeFile, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ScriptedChatModel, type ScriptedTurn } from "@fiveseam/models";
import type { BaseMessage } from "@langchain/core/messages";
import { onTestFinished } from "vitest";
import { createCodingAgent, runEventSchema, type CodingAgentOptions, type RunEvent } from "../src/index.js";

/** A fresh directory, removed when the test ends. */
export const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(path.join(os.tmpdir(), "fiveseam-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** A workspace with files, and a state directory beside it. */
export const workspaceWith = async (
  files: Record<string, string> = {},
): Promise<{ workspace: string; stateDir: string }> => {
  const base = await temporary();
  const workspace = path.join(base, "work");
  await mkdir(workspace);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
    await writeFile(path.join(workspace, name), text);
  }
  return { workspace, stateDir: path.join(base, "state") };
};

type Turns = (step: number, messages: readonly BaseMessage[]) => ScriptedTurn | string;

/** A model whose main agent and delegates each count their own steps; told apart by the tools on offer. */
export const modelOf = (main: Turns, delegate: Turns = () => "done"): ScriptedChatModel =>
  new ScriptedChatModel({
    policy: (messages, tools) => {
      const turns = tools.some((tool) => tool.name === "task") ? main : delegate;
      return turns(messages.filter((message) => message.getType() === "ai").length, messages);
    },
  });

export const call = (name: string, args: Record<string, unknown> = {}, id?: string): ScriptedTurn => ({
  toolCalls: [{ name, args, ...(id ? { id } : {}) }],
});

/** Without notes on the moment, which would stand in every request, unless a test is about them. */
export const agentWith = async (options: CodingAgentOptions) => {
  const agent = await createCodingAgent({ ...options, context: { notes: false, ...options.context } });
  onTestFinished(() => agent.close());
  return agent;
};

/** Reads a run to its end; every event must fit the published schema and survive JSON. */
export const collect = async (run: AsyncIterable<RunEvent>): Promise<RunEvent[]> => {
  const events: RunEvent[] = [];
  for await (const event of run) {
    runEventSchema.parse(JSON.parse(JSON.stringify(event)));
    events.push(event);
  }
  return events;
};

export const ofType = <Type extends RunEvent["type"]>(events: readonly RunEvent[], type: Type) =>
  events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);

export const finished = (events: readonly RunEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "run.finished") throw new Error(`The last event is ${last?.type}.`);
  return last;
};

export const results = (events: readonly RunEvent[]) => ofType(events, "tool.finished");

/** The messages that the model was sent last, as `type: text`. */
export const lastRequest = (model: ScriptedChatModel): string[] =>
  (model.calls.at(-1)?.messages ?? []).map((message) => `${message.getType()}: ${message.text}`);
