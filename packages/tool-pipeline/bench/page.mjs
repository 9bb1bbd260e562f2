// npm run bench: what the pipeline adds to a tool call; writes docs/benchmarks/tool-pipeline.md. `--quick` measures less and
// writes nothing.
import { cpus } from "node:os";

export const name = "tool-pipeline";

export const measure = async ({ overhead }, quick) => {
  const added = await overhead(quick ? 2_000 : 20_000);
  const us = (value) => `${value.toFixed(1)} µs`;
  const goal = (value, limit) => (value < limit ? "met" : "**missed**");
  return [
    "# The tool pipeline",
    "",
    `Written by \`npm run bench -w @fiveseam/tool-pipeline\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0].model}, Node ${process.versions.node}.`,
    "The machine is shared with other work, so processor time was measured.",
    "",
    "What all built-in layers together add to a call over the bare tool, the lower quartile of 15 rounds:",
    "",
    "| | goal | measured | |",
    "|---|---|---|---|",
    `| without an audit log | | ${us(added.none)} | |`,
    `| audit in memory | 30 µs | ${us(added.memory)} | ${goal(added.memory, 30)} |`,
    `| audit in a file, \`fsync: { everyMs: 1000 }\` | 100 µs | ${us(added.file)} | ${goal(added.file, 100)} |`,
    "",
    "The tool answers at once with 2,000 characters; the arguments are three fields, the conversation has 41 messages, and each",
    "call has other arguments than the one before. Calls go to `pipeline.run` directly: LangGraph's own cost is not in it.",
    "",
  ];
};
