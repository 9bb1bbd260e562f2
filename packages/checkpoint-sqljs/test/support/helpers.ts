import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  uuid6,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { afterAll } from "vitest";
import { nodeFileSystem, type FileSystem } from "../../src/file-system.js";
import { SqlJsSaver } from "../../src/index.js";
import type { FileDependencies } from "../../src/file-dependencies.js";
import { loadFile } from "../../src/loading.js";
import { systemProcesses } from "../../src/process-identity.js";
import { summarizeThreads } from "../../src/queries.js";
import { saverModel } from "../../src/saver-model.js";
import type { Storage } from "../../src/storage.js";
import { loadSqlJs } from "../../src/wasm.js";

const made: string[] = [];
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A new empty folder, removed after the test file. */
export const scratch = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "checkpoint-sqljs-"));
  made.push(directory);
  return directory;
};

export const metadata = (extra: Record<string, unknown> = {}): CheckpointMetadata =>
  ({ source: "loop", step: 0, parents: {}, ...extra }) as CheckpointMetadata;

/** A checkpoint whose channels are all at `version`. */
export const checkpoint = (values: Record<string, unknown> = {}, version = 1): Checkpoint => ({
  v: 4,
  id: uuid6(0),
  ts: new Date().toISOString(),
  channel_values: values,
  channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, version])),
  versions_seen: {},
});

export const on = (thread: string, namespace?: string): RunnableConfig => ({
  configurable: { thread_id: thread, ...(namespace === undefined ? {} : { checkpoint_ns: namespace }) },
});

/** Puts a checkpoint whose channels all changed. */
export const putAll = (
  saver: SqlJsSaver,
  config: RunnableConfig,
  values: Record<string, unknown> = {},
  extra: Record<string, unknown> = {},
): Promise<RunnableConfig> => {
  const made = checkpoint(values);
  return saver.put(config, made, metadata(extra), made.channel_versions);
};

export const collect = async (tuples: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> => {
  const all: CheckpointTuple[] = [];
  for await (const tuple of tuples) all.push(tuple);
  return all;
};

export const idOf = (config: RunnableConfig): string => config.configurable?.["checkpoint_id"] as string;

export const dependencies = async (
  over: Partial<FileDependencies> & { fs?: FileSystem } = {},
): Promise<FileDependencies> => ({
  sql: await loadSqlJs(),
  fs: nodeFileSystem,
  processes: systemProcesses(),
  lock: true,
  durability: "grouped",
  maxBytes: Number.POSITIVE_INFINITY,
  onEvent: () => {},
  foldFromBytes: 1_000_000,
  ...over,
});

/** A saver on a storage of the test's own making, through the constructor that is private to everybody else. */
export const saverOn = (storage: Storage, nowMs: () => number = Date.now): SqlJsSaver =>
  Reflect.construct(SqlJsSaver, [storage, undefined, { nowMs, random: Math.random }]) as SqlJsSaver;

export const errno = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: injected`), { code });

/** The names in a folder, without what a database keeps beside its snapshot. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !/\.log$|\.prev$/.test(name))
    .sort();

/** How many checkpoints a file holds for somebody who knows nothing but the disk. */
export const countOnDisk = async (file: string): Promise<number> => {
  const loaded = await loadFile(file, saverModel, await dependencies());
  return summarizeThreads(loaded!.state).reduce((sum, { checkpoints }) => sum + checkpoints, 0);
};
