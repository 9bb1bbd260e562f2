// A session of many turns over Anthropic's own client, against a provider on this machine that plays a script: it reads, edits,
// delegates, and changes memories and todos, with a note of some 300 tokens that is another one at each turn. What each request
// really sent is measured under Anthropic's published rules.
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createPrefixMeter } from "@fiveseam/context/prefix-meter";
import { startProviderEmulator } from "@fiveseam/testing";
import { createCodingTools } from "@fiveseam/coding-tools";
import { nodeHost } from "@fiveseam/host";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseMessage } from "@langchain/core/messages";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent, FilesystemBackend } from "deepagents";
import { createMiddleware, todoListMiddleware } from "langchain";
import { createCodingAgent } from "fiveseam";

const FILES = 20;
const code = (at: number): string =>
  Array.from(
    { length: 60 },
    (_, line) => `export const value_${line} = ${at * 100 + line}; // a line of file ${at}`,
  ).join("\n");

/** Some 300 tokens, at four characters each, that are never the same. */
const note = (turn: number): string =>
  `Turn ${turn}: ${Array.from({ length: 40 }, (_, at) => `diagnostic ${turn}.${at} is at line ${(turn * 7 + at) % 90}`).join("; ")}`.slice(
    0,
    1_200,
  );

const userTexts = (messages: readonly BaseMessage[]): number[] =>
  messages.flatMap((message, at) =>
    message.getType() === "human" && /turn \d+/.test(message.text) && !message.text.startsWith("<now>")
      ? [at]
      : [],
  );

/** The same moves for both agents; `root` is where each sees the files. */
const script = (root: string, editTool: string) => (messages: readonly BaseMessage[]) => {
  const said = messages.filter(({ text }) => !text.startsWith("<now>"));
  const at = userTexts(said).at(-1);
  if (at === undefined) return { text: "Looked through it: nothing to report." };
  const turn = Number(/turn (\d+)/.exec((said[at] as BaseMessage).text)?.[1]);
  const step = said.slice(at + 1).filter((message) => message.getType() === "tool").length;
  const file = `${root}file-${turn % FILES}.ts`;
  const moves: { name: string; args: Record<string, unknown> }[] = [
    { name: "read_file", args: { file_path: file } },
  ];
  if (turn % 2 === 0)
    moves.push({
      name: editTool,
      args: {
        file_path: file,
        old_string: `value_${turn % 60} = ${(turn % FILES) * 100 + (turn % 60)};`,
        new_string: `value_${turn % 60} = ${(turn % FILES) * 100 + (turn % 60)} + ${turn} - ${turn};`,
      },
    });
  if (turn % 3 === 0)
    moves.push({
      name: "write_todos",
      args: { todos: [{ content: `part ${turn}`, status: "in_progress" }] },
    });
  if (turn % 7 === 3)
    moves.push({
      name: "manage_core_memory",
      args: { action: "set", scope: "project", key: "progress", text: `turn ${turn}` },
    });
  if (turn % 10 === 5)
    moves.push({
      name: "task",
      args: { subagent_type: "general-purpose", description: `Look through ${file} and report.` },
    });
  const move = moves[step];
  return move
    ? { toolCalls: [move] }
    : { text: `Turn ${turn} is done; the file ${file} is as it should be.` };
};

const workspaceWithFiles = async () => {
  const base = await mkdtemp(path.join(os.tmpdir(), "fiveseam-bench-"));
  const workspace = path.join(base, "work");
  await mkdir(workspace, { recursive: true });
  await writeFile(path.join(workspace, "AGENTS.md"), "- Keep the tests green.\n".repeat(60));
  for (let at = 0; at < FILES; at += 1) await writeFile(path.join(workspace, `file-${at}.ts`), code(at));
  return { base, workspace, stateDir: path.join(base, "state") };
};

/** A clock that moves 20 seconds a request, well within the five minutes that Anthropic keeps things. */
const measured = async (
  root: string,
  run: (parts: { model: ChatAnthropic; workspace: string; stateDir: string }) => Promise<void>,
) => {
  const places = await workspaceWithFiles();
  let now = 0;
  const meter = createPrefixMeter({ now: () => (now += 20_000) });
  const emulator = await startProviderEmulator({ policy: script(root, "edit_file") });
  try {
    const model = new ChatAnthropic({
      model: "claude-sonnet-4-6",
      apiKey: "none",
      anthropicApiUrl: emulator.url,
      maxRetries: 0,
      clientOptions: { fetch: meter.fetch },
    });
    await run({ model, ...places });
    return meter.report();
  } finally {
    await emulator.close();
    await rm(places.base, { recursive: true, force: true });
  }
};

export const ours = (turns: number) =>
  measured("/workspace/", async ({ model, workspace, stateDir }) => {
    let turn = 0;
    const agent = await createCodingAgent({
      workspace,
      stateDir,
      model,
      checkpointer: new MemorySaver(),
      approvals: false,
      context: { notes: [{ name: "diagnostics", write: () => note(turn) }] },
    });
    for (turn = 1; turn <= turns; turn += 1) {
      for await (const event of agent.run(`turn ${turn}`, { threadId: "t" }))
        if (event.type === "run.finished" && event.reason !== "completed")
          throw new Error(JSON.stringify(event));
    }
    await agent.close();
  });

/** createDeepAgent with its own memory, the same tools, and the same note in the system prompt, where people put it. */
export const bare = (turns: number) =>
  measured("/", async ({ model, workspace, stateDir }) => {
    let turn = 0;
    const host = nodeHost(workspace, {
      stateDirectory: stateDir,
      userStateDirectory: path.join(stateDir, "user"),
    });
    const backend = new FilesystemBackend({ rootDir: workspace, virtualMode: true });
    const agent = createDeepAgent({
      model,
      backend,
      tools: createCodingTools({ host, root: workspace }),
      memory: ["/AGENTS.md"],
      systemPrompt: "You are a coding agent.",
      middleware: [
        todoListMiddleware(),
        createMiddleware({
          name: "Diagnostics",
          wrapModelCall: (request, handler) =>
            handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${note(turn)}`) }),
        }),
      ],
      checkpointer: new MemorySaver(),
    });
    for (turn = 1; turn <= turns; turn += 1)
      await agent.invoke(
        { messages: [new HumanMessage(`turn ${turn}`)] },
        { configurable: { thread_id: "t" }, recursionLimit: 1_000 },
      );
    await host.terminal?.close();
  });
