import type { StructuredTool } from "@langchain/core/tools";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createCodingBackend } from "@fiveseam/backends";
import { ScriptedChatModel, type ScriptedTurn } from "@fiveseam/models";
import { createPipeline, defineTool, toolPipelineMiddleware, type Effect } from "@fiveseam/tool-pipeline";
import { HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createDeepAgent, type CompiledSubAgent, type SubAgent } from "deepagents";
import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  createCodingSubagents,
  delegationMiddleware,
  rightsOfRun,
  withCallRights,
  type CodingSubagentsOptions,
  type DelegationOptions,
} from "../src/index.js";

/** A tool that does nothing but declare effects, and counts its runs in `ran`. */
export const toolWith = (name: string, effects: readonly Effect[], ran: string[] = []) =>
  defineTool({
    name,
    description: "x",
    schema: z.looseObject({}),
    effects,
    run: () => {
      ran.push(name);
      return `${name} ran`;
    },
  });

export const build = (options: Partial<CodingSubagentsOptions> = {}) =>
  createCodingSubagents({
    backend: createCodingBackend({ workspace: os.tmpdir() }),
    tools: [],
    pipeline: createPipeline(),
    ...options,
  });

export const delegate = (built: readonly (SubAgent | CompiledSubAgent)[], name: string): SubAgent => {
  const found = built.find((each) => each.name === name);
  if (!found || "runnable" in found) throw new Error(`no ${name}`);
  return found;
};

export const namesOf = (tools: readonly { name: string }[] | undefined) => tools?.map(({ name }) => name);

export const call = (name: string, args: Record<string, unknown> = {}, id?: string) => ({
  name,
  args,
  ...(id ? { id } : {}),
});

export const task = (subagent_type: string, description = "go", id?: string) =>
  call("task", { subagent_type, description }, id);

type Turn = (step: number, messages: readonly BaseMessage[]) => ScriptedTurn | string;

/** A main agent with a workspace, whose delegates and itself play their turns; told apart by the first human message. */
export const setUp = async (
  turns: Readonly<Record<string, Turn>>,
  options: Partial<CodingSubagentsOptions> & {
    delegation?: DelegationOptions;
    more?: readonly (SubAgent | CompiledSubAgent)[];
  } = {},
) => {
  const workspace = await mkdtemp(path.join(os.tmpdir(), "fiveseam-subagents-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  await writeFile(path.join(workspace, "a.txt"), "alpha\n");
  const { delegation, more = [], ...rest } = options;
  const backend = rest.backend ?? createCodingBackend({ workspace, docs: new InMemoryStore() });
  const model = new ScriptedChatModel({
    policy: (messages) => {
      const brief = messages.find((message) => message.getType() === "human")?.text ?? "";
      const turn = turns[brief];
      if (!turn) throw new Error(`Nobody plays "${brief}".`);
      return turn(messages.filter((message) => message.getType() === "ai").length, messages);
    },
  });
  const pipeline = rest.pipeline ?? createPipeline({ loopGuard: false });
  const tools = (rest.tools ?? []) as readonly StructuredTool[];
  const agent = createDeepAgent({
    model,
    backend: withCallRights(backend),
    tools: [...tools],
    middleware: [
      toolPipelineMiddleware(pipeline, { agent: "main", rights: rightsOfRun }),
      delegationMiddleware(delegation),
    ],
    subagents: [...createCodingSubagents({ ...rest, backend, pipeline, tools }), ...more],
  });
  const run = async (config: Record<string, unknown> = {}) => {
    const { messages } = await agent.invoke({ messages: [new HumanMessage("main")] }, config);
    return messages;
  };
  return { workspace, model, agent, run, backend };
};

/** The tool results among messages. */
export const resultsIn = (messages: readonly BaseMessage[]): ToolMessage[] =>
  messages.filter((message): message is ToolMessage => message.getType() === "tool");
