// What createCodingAgent costs over createDeepAgent with the same tools on the same script, turn by turn; and how long it takes
// to be there.
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createCodingBackend } from "@fiveseam/backends";
import { createCodingTools } from "@fiveseam/coding-tools";
import { nodeHost } from "@fiveseam/host";
import { ScriptedChatModel } from "@fiveseam/models";
import { memoryAuditSink } from "@fiveseam/tool-pipeline";
import { HumanMessage } from "@langchain/core/messages";
import { createDeepAgent, FilesystemBackend } from "deepagents";
import { todoListMiddleware } from "langchain";
import { createCodingAgent } from "fiveseam";

const FILES = 40;

const workspaceWithFiles = async () => {
  const base = await mkdtemp(path.join(os.tmpdir(), "fiveseam-bench-"));
  const workspace = path.join(base, "work");
  await mkdir(path.join(workspace, "src"), { recursive: true });
  await writeFile(path.join(workspace, "AGENTS.md"), "Use tabs.\n".repeat(50));
  for (let at = 0; at < FILES; at += 1)
    await writeFile(path.join(workspace, "src", `file-${at}.ts`), `export const value = ${at};\n`.repeat(80));
  return { base, workspace, stateDir: path.join(base, "state") };
};

/** A turn: the user asks, the model reads a file, searches, writes the todo list, and answers. */
const script = () =>
  new ScriptedChatModel({
    policy: (messages) => {
      const turn = messages.filter((message) => message.getType() === "human").length;
      const since = messages.length - messages.findLastIndex((message) => message.getType() === "human") - 1;
      const file = `/workspace/src/file-${turn % FILES}.ts`;
      if (since === 0) return { toolCalls: [{ name: "read_file", args: { file_path: file } }] };
      if (since === 2)
        return {
          toolCalls: [{ name: "grep", args: { pattern: `value = ${turn}`, path: "/workspace/src" } }],
        };
      if (since === 4) return { toolCalls: [{ name: "think", args: { thought: `turn ${turn}` } }] };
      return "That is what is in it.";
    },
  });

interface Runner {
  invoke(input: { messages: unknown[] }): Promise<{ messages: unknown[] }>;
}

/** Milliseconds of each turn of one conversation, whose messages are handed on by hand: no checkpointer on either side. */
const turns = async (agent: Runner, count: number): Promise<number[]> => {
  const times: number[] = [];
  let messages: unknown[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const began = performance.now();
    const result = await agent.invoke({ messages: [...messages, new HumanMessage(`turn ${turn}`)] });
    times.push(performance.now() - began);
    messages = result.messages;
  }
  return times;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Median milliseconds a turn of each, measured in turns so that a noisy machine is noisy for all of them. */
export const overhead = async (count: number, rounds: number) => {
  const { base, workspace, stateDir } = await workspaceWithFiles();
  try {
    const host = nodeHost(workspace, {
      stateDirectory: stateDir,
      userStateDirectory: path.join(stateDir, "user"),
    });
    const tools = (backend: object) =>
      createCodingTools({ host, root: workspace, backend: backend as never });
    const bare = (backend: object): Runner =>
      createDeepAgent({
        model: script(),
        backend: backend as never,
        tools: tools(backend),
        systemPrompt: "You are a coding agent.",
        middleware: [todoListMiddleware()],
      }) as unknown as Runner;
    const ours = await createCodingAgent({
      workspace,
      stateDir,
      host,
      model: script(),
      checkpointer: false,
      store: false,
      audit: { sink: memoryAuditSink() },
      limits: { rateLimit: { perMinute: 1_000_000, perToolPerMinute: 1_000_000 } },
    });
    const agents: Record<string, Runner> = {
      ours: ours as unknown as Runner,
      sameFiles: bare(createCodingBackend({ workspace, spillDirectory: stateDir })),
      filesystem: bare(new FilesystemBackend({ rootDir: workspace, virtualMode: true })),
    };
    const samples: Record<string, number[]> = {};
    for (const agent of Object.values(agents)) await turns(agent, 5);
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, agent] of Object.entries(agents))
        (samples[name] ??= []).push(...(await turns(agent, count)));
    }
    await ours.close();
    await host.terminal?.close();
    return Object.fromEntries(
      Object.entries(samples).map(([name, times]) => [name, median(times)]),
    ) as Record<"ours" | "sameFiles" | "filesystem", number>;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
};
