import { createInterface } from "node:readline/promises";
import { Client } from "@langchain/langgraph-sdk";

// A client of the server: any program that speaks LangGraph's protocol is one. It says what its arguments say, shows what
// happens, and asks on the terminal what the agent asks.
interface Question {
  id?: string;
  value?: { actionRequests?: { description?: string }[] };
}
interface Piece {
  id: string;
  type: string;
  name?: string;
  content: unknown;
}
type Request =
  { input: { messages: { role: string; content: string }[] } } | { command: { resume: unknown } };

const client = new Client({ apiUrl: process.env["LANGGRAPH_URL"] ?? "http://localhost:2024", apiKey: null });
const { thread_id: threadId } = await client.threads.create();

/** Only while it asks: input that came by a pipe has ended by then, and would end the program. */
const ask = async (question: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} (y/n) `);
  terminal.close();
  return answer.trim() === "y";
};

/** Runs to the end or to the next questions, and returns those. */
const run = async (request: Request): Promise<Question[]> => {
  const stream = client.runs.stream(threadId, "agent", {
    ...request,
    streamMode: ["messages-tuple", "custom"],
    streamSubgraphs: true,
  });
  let speaking: string | undefined;
  for await (const { event, data } of stream) {
    const [mode, ...path] = event.split("|");
    // Messages are told under the name of their task, which is behind that of the delegate's graph.
    const who = (mode === "messages" ? path.slice(0, -1) : path).length > 0 ? "delegate" : "agent";
    if (mode === "custom") console.log(`${who} · ${JSON.stringify(data)}`);
    if (mode === "error") console.error(data);
    if (mode !== "messages") continue;
    const [{ id, type, name, content }] = data as unknown as [Piece];
    const text = typeof content === "string" ? content : JSON.stringify(content);
    if (type === "tool") console.log(`${who} · ${name}: ${text}`);
    else if (text !== "") {
      if (id !== speaking) process.stdout.write(`\n${who} · `);
      speaking = id;
      process.stdout.write(text);
    }
  }
  process.stdout.write("\n");
  const { tasks } = await client.threads.getState(threadId);
  return tasks.flatMap(({ interrupts }) => interrupts as Question[]);
};

const words = process.argv.slice(2).join(" ") || "hello";
let questions = await run({ input: { messages: [{ role: "user", content: words }] } });
while (questions.length > 0) {
  const resume: Record<string, unknown> = {};
  for (const { id = "", value } of questions) {
    const approved = await ask(value?.actionRequests?.[0]?.description ?? "Go on?");
    resume[id] = { decisions: [{ type: approved ? "approve" : "reject" }] };
  }
  questions = await run({ command: { resume } });
}
