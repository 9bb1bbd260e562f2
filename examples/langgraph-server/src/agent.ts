import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createCodingAgent } from "fiveseam";
import { countLines } from "./count-lines.js";
import { standIn } from "./stand-in.js";

const { WORKSPACE, STATE_DIR, MODEL } = process.env;
const beside = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const workspace = WORKSPACE ?? beside(".workspace");
await mkdir(workspace, { recursive: true });

/**
 * What langgraph.json names. The server waits for the promise, takes `.graph` out of the agent and puts its own
 * checkpointer into it, so the agent opens none. In `stateDir` are the documents, the audit log and what is too large for a
 * thread.
 */
export const agent = createCodingAgent({
  workspace,
  model: MODEL ?? standIn(),
  checkpointer: false,
  stateDir: STATE_DIR ?? beside(".state"),
  tools: [countLines(workspace)],
});
