import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { SqlJsSaver } from "../src/index.js";
import { scratch } from "./support/helpers.js";

/** Opens the folder anew for every single call, so that nothing can be answered from memory. */
class ReopeningSaver extends BaseCheckpointSaver {
  constructor(private readonly directory: string) {
    super();
  }

  async #once<T>(call: (saver: SqlJsSaver) => Promise<T>): Promise<T> {
    const saver = await SqlJsSaver.open({ directory: this.directory });
    try {
      return await call(saver);
    } finally {
      await saver.close();
    }
  }

  getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#once((saver) => saver.getTuple(config));
  }

  async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    yield* await this.#once(async (saver) => {
      const tuples: CheckpointTuple[] = [];
      for await (const tuple of saver.list(config, options)) tuples.push(tuple);
      return tuples;
    });
  }

  put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    versions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#once((saver) => saver.put(config, checkpoint, metadata, versions));
  }

  putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    return this.#once((saver) => saver.putWrites(config, writes, taskId, taskPath));
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#once((saver) => saver.deleteThread(threadId));
  }
}

const close = (saver: BaseCheckpointSaver): Promise<void> | void =>
  saver instanceof SqlJsSaver ? saver.close() : undefined;

const variants: Record<string, () => BaseCheckpointSaver | Promise<BaseCheckpointSaver>> = {
  "SqlJsSaver in memory": () => SqlJsSaver.open(":memory:"),
  "SqlJsSaver on a file": () => SqlJsSaver.open({ file: join(scratch(), "threads.sqlite") }),
  "SqlJsSaver on a directory": () => SqlJsSaver.open({ directory: scratch() }),
  "SqlJsSaver reopened for every call": () => new ReopeningSaver(scratch()),
};

for (const [checkpointerName, createCheckpointer] of Object.entries(variants)) {
  const initializer = { checkpointerName, createCheckpointer, destroyCheckpointer: close };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
