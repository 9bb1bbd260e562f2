// npm run bench: the same workloads on no checkpointer, MemorySaver, SqliteSaver and SqlJsSaver, each in a process of its
// own, and docs/benchmarks/checkpoint.md from what came out. `--quick` leaves out the long ones and writes nothing;
// `--only="1,000 turns"` measures one again and keeps the others of the last whole run.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { report } from "./report.mjs";

const bench = dirname(fileURLToPath(import.meta.url));
const quick = process.argv.includes("--quick");
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice(7);

/** Whether SqliteSaver can be used; it needs a native module. */
const installSqlite = () => {
  const sqlite = join(bench, "node_modules", "better-sqlite3");
  if (!existsSync(sqlite)) {
    const result = spawnSync(
      "npm",
      ["install", "--prefix", bench, "--legacy-peer-deps", "--no-audit", "--no-fund", "--no-package-lock"],
      { cwd: bench, stdio: ["ignore", "ignore", "inherit"] },
    );
    if (result.status !== 0) return false;
  }
  const probe = spawnSync(process.execPath, ["-e", 'new (require("better-sqlite3"))(":memory:")'], {
    cwd: bench,
  });
  return probe.status === 0;
};

const hasSqlite = installSqlite();
if (!hasSqlite) console.error("better-sqlite3 cannot be built here; going on without SqliteSaver.");

const script = join(bench, "build", "child.mjs");
await build({
  entryPoints: [join(bench, "child.ts")],
  outfile: script,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
});

const child = (...args) =>
  JSON.parse(
    execFileSync(process.execPath, [script, ...args, bench], {
      maxBuffer: 1e8,
      stdio: ["ignore", "pipe", "inherit"],
    }).toString(),
  );

const savers = ["none", "MemorySaver", ...(hasSqlite ? ["SqliteSaver"] : []), "SqlJsSaver grouped"];
const all = quick
  ? ["50 turns", "200 turns"]
  : [
      "50 turns",
      "200 turns",
      "400 turns",
      "1,000 turns",
      "40 turns of 5 calls",
      "100 invokes of 1 turn",
      "120 turns of 500 kB",
    ];
const last = join(bench, "build", "results.json");
const results = only && existsSync(last) ? JSON.parse(readFileSync(last, "utf8")) : {};

const version = (name) =>
  JSON.parse(readFileSync(join(bench, "..", "..", "..", "node_modules", name, "package.json"), "utf8"))
    .version;

/** After each workload, so that a run which is broken off leaves what it measured. */
const publish = () => {
  const text = report(results, {
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0].model}`,
    langgraph: version("@langchain/langgraph"),
    date: new Date().toISOString().slice(0, 10),
    hasSqlite,
  });
  if (quick || !all.every((workload) => results[workload])) return console.log(text);
  writeFileSync(last, JSON.stringify(results));
  const target = join(bench, "..", "..", "..", "docs", "benchmarks", "checkpoint.md");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
};

/** What the goals compare differs by a few milliseconds, less than a shared machine's mood. */
const times = (workload, saver) =>
  ["400 turns", "1,000 turns"].includes(workload) && ["none", "SqlJsSaver grouped"].includes(saver) ? 5 : 1;

const measure = (workload, saver) => {
  const folder = mkdtempSync(join(tmpdir(), "checkpoint-bench-"));
  try {
    const run = child("run", saver, workload, folder);
    return saver.startsWith("Sql") ? { ...run, read: child("read", saver, workload, folder) } : run;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The median of each number of several runs. */
const medians = (runs) =>
  Object.fromEntries(
    Object.entries(runs[0]).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null
        ? medians(runs.map((run) => run[name]))
        : runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)],
    ]),
  );

const EXTRA = {
  "400 turns": ["SqlJsSaver sync", "SqlJsSaver relaxed"],
  "100 invokes of 1 turn": ["SqlJsSaver relaxed"],
};
/** They write out the whole history at every step: minutes, and gigabytes. */
const TOO_MUCH = { "1,000 turns": ["MemorySaver"], "120 turns of 500 kB": ["MemorySaver", "SqliteSaver"] };

for (const workload of only ? [only] : all) {
  results[workload] = {};
  const extra = EXTRA[workload] ?? [];
  const some = savers.filter((saver) => !(TOO_MUCH[workload] ?? []).includes(saver));
  for (const saver of [...some, ...extra]) {
    const runs = Array.from({ length: times(workload, saver) }, () => measure(workload, saver));
    results[workload][saver] = medians(runs);
    console.error(workload, saver, JSON.stringify(results[workload][saver]));
  }
  publish();
}
