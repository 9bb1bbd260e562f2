// npm run bench: what classifying one ordinary error costs, and what the middleware adds to a call that succeeds; writes
// docs/benchmarks/failover.md. `--quick` measures less and writes nothing.
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

export const name = "failover";

export const measure = async ({ classify, middleware }, quick) => {
  const cases = readFileSync(new URL("../test/cases/given.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const classified = classify(cases, quick ? 20 : 400);
  const added = await middleware(quick ? 200 : 4000);
  const us = (value) => `${value.toFixed(1)} µs`;
  const goal = (value) => (value < 50 ? "met" : "**missed**");
  return [
    "# Failover",
    "",
    `Written by \`npm run bench -w @fiveseam/failover\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0].model}, Node ${process.versions.node}.`,
    "The machine is shared with other work.",
    "",
    "| | goal | measured | |",
    "|---|---|---|---|",
    `| classifying one of the ${cases.length} given errors, median | 50 µs | ${us(classified.median)} | ${goal(classified.median)} |`,
    `| the same, 90th percentile (pages of HTML, JSON in JSON) | | ${us(classified.p90)} | |`,
    `| the slowest of them | | ${us(classified.max)} | |`,
    `| what \`failoverMiddleware\` adds to a model call that succeeds, median | 50 µs | ${us(added.median)} | ${goal(added.median)} |`,
    "",
    "The middleware is measured around a handler that answers at once, with a conversation of 40 messages that need no",
    "adapting: choosing, health, watching, adapting. The model does not stream; one that does gets a callback a piece on top.",
    "",
  ];
};
