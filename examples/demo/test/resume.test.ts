import {
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type BaseMessage,
} from "@langchain/core/messages";
import type { RunEvent } from "fiveseam";
import { describe, expect, it } from "vitest";
import { demoPolicy } from "../src/policy/index.js";
import { createDemoAgent, REQUEST } from "./agents.js";
import { readProject, runProjectTests, TemporaryProject } from "./project.js";
import { WORKSPACE } from "./variants.js";

const TOOLS = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "glob",
  "grep",
  "write_todos",
  "task",
  "run_command",
].map((name) => ({ name, description: "", parameters: {} }));
const MAIN_TOOLS = [
  ...TOOLS,
  { name: "run_tests", description: "", parameters: { properties: { timeout_ms: {} } } },
];

const THREAD = { threadId: "t" };

/** Runs until so many tools have finished, stops there, and throws the agent away. */
const runFor = async (
  root: string,
  stateDir: string,
  resume: boolean,
  tools: number,
): Promise<RunEvent | undefined> => {
  await using agent = await createDemoAgent(root, stateDir);
  const stop = new AbortController();
  let finished = 0;
  let last: RunEvent | undefined;
  const events = resume
    ? agent.resume({ ...THREAD, signal: stop.signal })
    : agent.run(REQUEST, { ...THREAD, signal: stop.signal });
  for await (const event of events) {
    last = event;
    if (event.type === "tool.finished" && (finished += 1) === tools) stop.abort();
  }
  return last;
};

const messagesIn = async (root: string, stateDir: string): Promise<readonly BaseMessage[]> => {
  await using agent = await createDemoAgent(root, stateDir);
  const state = await agent.graph.getState({ configurable: { thread_id: THREAD.threadId } });
  return (state.values as { messages: BaseMessage[] }).messages;
};

const said = (message: BaseMessage): unknown => {
  const { tool_calls: calls = [] } = message as BaseMessage & {
    tool_calls?: { name: string; args: unknown }[];
  };
  return { text: message.text, calls: calls.map(({ name, args }) => ({ name, args })) };
};

describe("a run that is stopped again and again", () => {
  it(
    "ends with the same repair, in agents that know nothing but the checkpoints",
    { timeout: 120_000 },
    async () => {
      using project = new TemporaryProject(readProject(WORKSPACE));
      using state = new TemporaryProject({});
      let last: RunEvent | undefined;
      let stops = 0;
      for (; stops < 30 && !(last?.type === "run.finished" && last.reason === "completed"); stops += 1) {
        last = await runFor(project.root, state.root, stops > 0, 3);
      }
      expect(stops).toBeGreaterThan(2);
      expect(last).toMatchObject({
        reason: "completed",
        text: expect.stringContaining("Fixed: all tests pass.") as string,
      });
      expect((await runProjectTests(project.root)).exitCode).toBe(0);

      // What was said at each point follows from the messages before it, also after they went through JSON.
      const messages = await messagesIn(project.root, state.root);
      const stored = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([...messages]))) as Parameters<
        typeof mapStoredMessagesToChatMessages
      >[0];
      const copies = mapStoredMessagesToChatMessages(stored);
      for (const [index, message] of messages.entries()) {
        if (message.getType() !== "ai") continue;
        const turn = demoPolicy(copies.slice(0, index), MAIN_TOOLS);
        if (typeof turn === "string") throw new Error("the policy answers with turns");
        expect({
          text: turn.text,
          calls: (turn.toolCalls ?? []).map(({ name, args }) => ({ name, args })),
        }).toEqual(said(message));
      }
    },
  );
});
