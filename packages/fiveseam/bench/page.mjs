// npm run bench: what createCodingAgent costs and saves beside a bare createDeepAgent; writes docs/benchmarks/agent.md. `--quick`
// measures less and writes nothing.
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

export const name = "agent";

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const thousands = (value) => Math.round(value).toLocaleString("en");
const goal = (met) => (met ? "met" : "**missed**");

const starts = (count) => {
  const file = fileURLToPath(new URL("start.mjs", import.meta.url));
  const times = Array.from({ length: count }, () =>
    JSON.parse(spawnSync(process.execPath, [file], { encoding: "utf8" }).stdout),
  );
  const least = (key) => Math.min(...times.map((time) => time[key]));
  return { importMs: least("importMs"), createMs: least("createMs"), bareMs: least("bareMs") };
};

export const measure = async ({ overhead, ours, bare }, quick) => {
  const turns = quick ? 10 : 100;
  const [mine, theirs] = [await ours(turns), await bare(turns)];
  const time = await overhead(quick ? 5 : 25, quick ? 2 : 8);
  const start = starts(quick ? 2 : 8);
  const ratio = time.ours / time.sameFiles;
  const row = (what, { totals }) =>
    `| ${what} | ${thousands(totals.promptTokens)} | ${thousands(totals.reusedTokens)} | ${percent(totals.reusedShare)} | ${thousands(totals.writtenTokens)} | ${thousands(totals.uncachedTokens)} |`;
  return [
    "# The agent",
    "",
    `Written by \`npm run bench -w fiveseam\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0].model}, ${cpus().length} cores, Node ${process.versions.node}.`,
    "",
    "## What stays cached",
    "",
    `A session of ${turns} turns over Anthropic's own client that reads, edits, delegates, and changes memories and todos, with a note of 300`,
    "tokens that is another one at each turn. The prefix meter of `@fiveseam/context` takes what each request really sent and",
    "applies Anthropic's published rules. The bare agent has deepagents' own memory and caching, the same coding tools, and the note in its system",
    "prompt; ours has it in `context.notes`. Goal: 97 % of all prompt tokens reused.",
    "",
    "| | prompt tokens | reused | | written | billed in full |",
    "|---|---|---|---|---|---|",
    row("createCodingAgent", mine),
    row("createDeepAgent", theirs),
    "",
    `Goal ${goal(mine.totals.reusedShare >= 0.97)}.`,
    "",
    "## What a turn costs",
    "",
    "A turn is a user message, three tool calls (`read_file`, `grep`, `think`) and an answer of the scripted model; median of all turns, the agents measured",
    "in turns in one process. Everything is on, with an audit log in memory; there is no checkpointer on any side. Goal: at most",
    "1.15 times the bare agent with the same tools on the same files.",
    "",
    "| | ms a turn | |",
    "|---|---|---|",
    `| createDeepAgent with the same tools and files | ${time.sameFiles.toFixed(1)} | 1 |`,
    `| createCodingAgent | ${time.ours.toFixed(1)} | ${ratio.toFixed(2)}, goal ${goal(ratio <= 1.15)} |`,
    `| createDeepAgent with deepagents' FilesystemBackend | ${time.filesystem.toFixed(1)} | ${(time.filesystem / time.sameFiles).toFixed(2)} |`,
    "",
    "## How long it takes to be there",
    "",
    "With the scripted model, in a process of its own, after `deepagents` and `langchain` were imported; the least of several starts. Goal: 150 ms.",
    "",
    "| | ms |",
    "|---|---|",
    `| importing \`fiveseam\` | ${start.importMs.toFixed(0)} |`,
    `| \`createCodingAgent()\` | ${start.createMs.toFixed(0)}, goal ${goal(start.createMs <= 150)} |`,
    `| of which a bare \`createDeepAgent()\` with nine delegates takes | ${start.bareMs.toFixed(0)} |`,
    "",
  ];
};
