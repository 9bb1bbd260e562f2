// In a process of its own: how long it takes until an agent is there. Prints milliseconds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { createDeepAgent, StateBackend } = await import("deepagents");
await import("langchain");
const base = mkdtempSync(join(tmpdir(), "fiveseam-start-"));
const began = performance.now();
const { createCodingAgent } = await import("fiveseam");
const imported = performance.now();
const agent = await createCodingAgent({ workspace: base, stateDir: join(base, "state"), model: "scripted" });
const made = performance.now();
await agent.close();
const { ScriptedChatModel } = await import("@fiveseam/models");
const bareBegan = performance.now();
createDeepAgent({
  model: new ScriptedChatModel({ script: [{ text: "x" }] }),
  backend: new StateBackend(),
  subagents: Array.from({ length: 9 }, (_, at) => ({
    name: at === 0 ? "general-purpose" : `role-${at}`,
    description: "x",
    systemPrompt: "x",
    tools: [],
  })),
});
const bare = performance.now();
rmSync(base, { recursive: true, force: true });
process.stdout.write(
  JSON.stringify({ importMs: imported - began, createMs: made - imported, bareMs: bare - bareBegan }),
);
process.exit(0);
