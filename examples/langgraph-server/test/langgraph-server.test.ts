import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import "@fiveseam/testing/vitest";
import { Client, type Message, type ThreadState } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "./server.js";

type Values = { messages: Message[] };
let server: Awaited<ReturnType<typeof startServer>>;
let client: Client<Values>;

beforeAll(async () => {
  server = await startServer();
  client = new Client<Values>({ apiUrl: server.url, apiKey: null });
}, 90_000);
afterAll(() => server?.stop());

const human = (content: string) => ({ messages: [{ role: "user", content }] });
const inWorkspace = (name: string): string => path.join(server.workspace, name);
const newThread = async (): Promise<string> => (await client.threads.create()).thread_id;
const texts = ({ values }: ThreadState<Values>): string[] =>
  values.messages.map(
    ({ type, content }) => `${type}: ${typeof content === "string" ? content : JSON.stringify(content)}`,
  );

interface Part {
  event: string;
  data: unknown;
}
const collect = async (stream: AsyncIterable<unknown>): Promise<Part[]> => {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part as Part);
  expect(parts.filter(({ event }) => event === "error")).toEqual([]);
  return parts;
};
const say = async (threadId: string, words: string): Promise<ThreadState<Values>> => {
  await collect(client.runs.stream(threadId, "agent", { input: human(words), streamMode: ["updates"] }));
  return client.threads.getState(threadId);
};
const until = async (condition: () => boolean): Promise<void> => {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("The condition did not come true.");
    await delay(20);
  }
};
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.concurrent("an agent that LangGraph's server serves", () => {
  it("streams a run and its delegate in every mode to LangGraph's client", async () => {
    await writeFile(inWorkspace("a.txt"), "hello\n");
    const parts = await collect(
      client.runs.stream(await newThread(), "agent", {
        input: human("review a.txt"),
        streamMode: ["messages-tuple", "updates", "values"],
        streamSubgraphs: true,
      }),
    );
    // The modes of a graph, and messages under the name of their task behind it.
    const events = new Set(parts.map(({ event }) => event.replaceAll(/:[^|]*/g, "")));
    expect([...events]).toEqual(
      expect.arrayContaining([
        "values",
        "updates",
        "messages|model_request",
        "values|tools",
        "updates|tools",
        "messages|tools|model_request",
        "messages|tools|tools",
      ]),
    );
    const last = parts.findLast(({ event }) => event === "values")?.data as Values;
    expect(last.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(last.messages.at(-1)?.content).toContain("hello");
  });

  it("hands on what a tool writes to the stream, and whole messages to clients of the older mode", async () => {
    await writeFile(inWorkspace("lines.txt"), "1\n2\n");
    const parts = await collect(
      client.runs.stream(await newThread(), "agent", {
        input: human("count lines.txt"),
        streamMode: ["custom", "messages"],
      }),
    );
    expect(parts.filter(({ event }) => event === "custom").map(({ data }) => data)).toEqual([
      { counted: 1, of: 1 },
    ]);
    const partial = parts.findLast(({ event }) => event === "messages/partial")?.data as Message[];
    expect(partial.at(-1)?.content).toBe("The answer was: 2 lines");
  });

  it("asks by an interrupt, which the client answers by its id", async () => {
    await writeFile(inWorkspace("doomed.txt"), "x\n");
    const threadId = await newThread();
    const { tasks } = await say(threadId, "delete doomed.txt");
    expect(existsSync(inWorkspace("doomed.txt"))).toBe(true);
    expect((await client.threads.get(threadId)).status).toBe("interrupted");
    const [interrupt] = tasks.flatMap(({ interrupts }) => interrupts);
    expect(interrupt?.value).toMatchObject({
      actionRequests: [{ name: "delete", description: "Delete /workspace/doomed.txt." }],
      approval: { details: { kind: "change" } },
    });
    const resume = { [interrupt?.id ?? ""]: { decisions: [{ type: "approve" }] } };
    await collect(client.runs.stream(threadId, "agent", { command: { resume }, streamMode: ["updates"] }));
    expect(existsSync(inWorkspace("doomed.txt"))).toBe(false);
    const state = await client.threads.getState(threadId);
    expect(state.next).toEqual([]);
    expect(texts(state).at(-1)).toBe("ai: The answer was: Deleted /workspace/doomed.txt");
  });

  it("changes nothing in plan mode, which the run's context says", async () => {
    const threadId = await newThread();
    const input = { input: human("write plan.txt"), streamMode: ["updates" as const] };
    await collect(client.runs.stream(threadId, "agent", { ...input, context: { mode: "plan" } }));
    expect(texts(await client.threads.getState(threadId)).at(-1)).toContain("I would call write_file");
    expect(existsSync(inWorkspace("plan.txt"))).toBe(false);
    await collect(client.runs.stream(threadId, "agent", input));
    expect(await readFile(inWorkspace("plan.txt"), "utf8")).toBe("write plan.txt\n");
  });

  it("stops the process of a cancelled run, and the next message finds the truth about it", async () => {
    const threadId = await newThread();
    const run = await client.runs.create(threadId, "agent", { input: human("wait 60") });
    await until(() => existsSync(inWorkspace("pid-60")));
    await delay(50);
    const pid = Number(await readFile(inWorkspace("pid-60"), "utf8"));
    const began = performance.now();
    await client.runs.cancel(threadId, run.run_id, true);
    expect(performance.now() - began).toBeLessThan(2_500);
    expect(alive(pid)).toBe(false);
    expect((await client.runs.get(threadId, run.run_id)).status).toBe("interrupted");

    const state = await say(threadId, "hello again");
    expect(texts(state).at(-1)).toBe("ai: You said: hello again");
    expect(texts(state).filter((text) => text.startsWith("tool: "))).toEqual([
      expect.stringContaining("outcome of this call is unknown"),
    ]);
  });

  it("goes on with a cancelled run when the client runs the thread without input", async () => {
    const threadId = await newThread();
    const run = await client.runs.create(threadId, "agent", { input: human("wait 61") });
    await until(() => existsSync(inWorkspace("pid-61")));
    await delay(500);
    await client.runs.cancel(threadId, run.run_id, true);
    await collect(client.runs.stream(threadId, "agent", { input: null, streamMode: ["updates"] }));
    const last = texts(await client.threads.getState(threadId)).at(-1);
    expect(last).toContain("The answer was: The outcome of this call is unknown");
  });

  it("has a history, from which a client forks, and which goes with its thread", async () => {
    const threadId = await newThread();
    await say(threadId, "one");
    await say(threadId, "two");
    const history = await client.threads.getHistory<Values>(threadId, { limit: 100 });
    const afterOne = history.findLast(({ next }) => next.length === 0);
    if (!afterOne?.checkpoint.checkpoint_id)
      throw new Error("There is no checkpoint after the first answer.");
    expect(texts(afterOne)).toEqual(["human: one", "ai: You said: one"]);
    const { checkpoint_id: checkpointId } = afterOne.checkpoint;
    await collect(
      client.runs.stream(threadId, "agent", { input: human("other"), checkpointId, streamMode: ["updates"] }),
    );
    const forked = await client.threads.getState(threadId);
    expect(texts(forked)).toEqual(["human: one", "ai: You said: one", "human: other", "ai: You said: other"]);

    await client.threads.delete(threadId);
    await expect(client.threads.getState(threadId)).rejects.toThrow("404");
  });

  it("is talked to by the example's own client, which asks on the terminal", async () => {
    await writeFile(inWorkspace("b.txt"), "one\n");
    const say = (answer: string, ...words: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
        const env = { ...process.env, LANGGRAPH_URL: server.url };
        const child = execFile(process.execPath, [main, ...words], { env }, (error, output) =>
          error ? reject(error) : resolve(output),
        );
        child.stdin?.end(answer);
      });
    const counted = await say("", "count", "b.txt");
    expect(counted).toContain('agent · {"counted":1,"of":1}');
    expect(counted).toContain("agent · The answer was: 1 lines");
    expect(await say("n\n", "delete", "b.txt")).toContain("Delete /workspace/b.txt. (y/n)");
    expect(existsSync(inWorkspace("b.txt"))).toBe(true);
    expect(await say("y\n", "delete", "b.txt")).toContain("agent · The answer was: Deleted /workspace/b.txt");
    expect(existsSync(inWorkspace("b.txt"))).toBe(false);
  });
});
