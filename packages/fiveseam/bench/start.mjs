// In a process of its own: how long createCodingAgent takes once deepagents is imported. Prints milliseconds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

await import("deepagents");
await import("langchain");
const base = mkdtempSync(join(tmpdir(), "fiveseam-start-"));
const began = performance.now();
const { createCodingAgent } = await import("fiveseam");
const imported = performance.now();
const agent = await createCodingAgent({ workspace: base, stateDir: join(base, "state"), model: "scripted" });
const made = performance.now();
await agent.close();
rmSync(base, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ importMs: imported - began, createMs: made - imported }));
process.exit(0);
