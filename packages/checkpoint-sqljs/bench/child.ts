import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { SqlJsSaver, type Durability } from "../src/index.js";
import { loadSqlJs } from "../src/wasm.js";
import { runWorkload, workloads } from "./workloads.js";

// One workload on one checkpointer, or the reading of what it left, in a process of its own. Prints JSON.

const [mode, saverName, workloadName, folder, benchFolder] = process.argv.slice(2) as [
  "run" | "read",
  string,
  string,
  string,
  string,
];

const open = async (at = folder): Promise<BaseCheckpointSaver | undefined> => {
  if (saverName === "none") return undefined;
  if (saverName === "MemorySaver") return new MemorySaver();
  if (saverName === "SqliteSaver") {
    const { SqliteSaver } = createRequire(join(benchFolder, "package.json"))(
      "@langchain/langgraph-checkpoint-sqlite",
    ) as { SqliteSaver: { fromConnString(path: string): BaseCheckpointSaver } };
    return SqliteSaver.fromConnString(join(at, "sqlite.db"));
  }
  const durability = saverName.split(" ")[1] as Durability;
  return SqlJsSaver.open({ directory: at }, { durability });
};

const writtenBytes = (): number => {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
  } catch {
    return Number.NaN;
  }
};

const bytesIn = (): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const timed = async <T>(run: () => Promise<T> | T): Promise<[number, T]> => {
  const begin = performance.now();
  const result = await run();
  return [performance.now() - begin, result];
};

const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

const run = async (): Promise<unknown> => {
  const workload = workloads[workloadName]!;
  // Warm engine, libraries and checkpointer, on nothing that is measured.
  const warm = mkdtempSync(join(tmpdir(), "checkpoint-warm-"));
  await runWorkload({ turns: 10, invokes: 2, calls: 2, messageChars: 100 }, await open(warm));
  const saver = await open();
  const before = writtenBytes();
  const { totalMs, turnMs } = await runWorkload(workload, saver);
  const written = writtenBytes() - before;
  const disk = bytesIn();
  rmSync(warm, { recursive: true, force: true });
  const tenth = Math.max(1, Math.floor(turnMs.length / 10));
  return {
    msPerTurn: totalMs / (workload.turns * workload.invokes),
    firstMs: mean(turnMs.slice(0, tenth)),
    lastMs: mean(turnMs.slice(-tenth)),
    disk,
    written,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
};

const read = async (): Promise<unknown> => {
  // Not measured: what every process pays once, whatever it opens.
  await loadSqlJs();
  const beforeBytes = process.resourceUsage().maxRSS * 1024;
  const [openMs, saver] = await timed(open);
  const config = { configurable: { thread_id: "bench" } };
  // The directory form opens nothing until it is asked: this reads snapshot and journal, and decodes nothing.
  const [loadMs] = await timed(async () => {
    const absent = { configurable: { thread_id: "bench", checkpoint_id: "none" } };
    await saver!.getTuple(absent);
  });
  const loadBytes = process.resourceUsage().maxRSS * 1024 - beforeBytes;
  const [tupleMs] = await timed(() => saver!.getTuple(config));
  const [tupleAgainMs] = await timed(() => saver!.getTuple(config));
  // A hundred times a long history takes LangGraph's deserializer half a minute and more, whoever stores it.
  const [listMs] = !["50 turns", "200 turns", "40 turns of 5 calls", "100 invokes of 1 turn"].includes(
    workloadName,
  )
    ? [Number.NaN]
    : await timed(async () => {
        for await (const _ of saver!.list(config, { limit: 100 }));
      });
  return {
    openMs: openMs + loadMs,
    loadMs: openMs + loadMs,
    tupleMs,
    tupleAgainMs,
    listMs,
    loadBytes,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
};

void (mode === "run" ? run() : read()).then((result) => {
  console.log(JSON.stringify(result));
  process.exit(0);
});
