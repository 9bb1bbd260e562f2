// npm run bench -w @fiveseam/host: our search against raw ripgrep, deepagents' FilesystemBackend and the engine in
// JavaScript, on a generated tree; writes docs/benchmarks/search.md. `--quick` measures less and writes nothing.
import { cpus } from "node:os";

export const name = "search";

export const measure = async ({ searches }, quick) => {
  const { files, megabytes, rgVersion, rows } = await searches(
    quick ? { files: 2_000, rounds: 3, slowRounds: 1 } : { files: 20_000, rounds: 9, slowRounds: 3 },
  );
  const ms = (value) => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
  const ratio = (value, raw) => (value === undefined ? "-" : `${(value / raw).toFixed(2)} ×`);
  return [
    "# Search",
    "",
    `Written by \`npm run bench -w @fiveseam/host\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0].model}, ${cpus().length} cores, Node ${process.versions.node}, ${rgVersion}.`,
    "",
    `A generated tree of ${files} text files (${megabytes.toFixed(0)} MB) in folders with .gitignore files, in the page cache. Wall time; the`,
    "median of the rounds, in which the contestants take turns. The goal is at most 1.3 times raw ripgrep.",
    "",
    "| search | matching lines | raw rg | fiveseam over rg | | fiveseam in JavaScript | FilesystemBackend.grep | |",
    "|---|---|---|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.matches} | ${ms(row.raw)} | ${ms(row.ours)} (${ratio(row.ours, row.raw)}) | ${row.ours / row.raw <= 1.3 ? "met" : "**missed**"} | ${ms(row.js)} (${ratio(row.js, row.raw)}) | ${ms(row.backend)} (${ratio(row.backend, row.raw)}) | ${row.note} |`,
    ),
    "",
    "Raw rg prints every match; `search` stops at 1,000 matching lines, its default, and is ordered by path. Raw rg is run with",
    "`--no-config --no-require-git --json` by `spawn`, its output read and thrown away. FilesystemBackend.grep is literal, gives every match and takes the",
    "ripgrep on the path where there is one.",
    "",
  ];
};
