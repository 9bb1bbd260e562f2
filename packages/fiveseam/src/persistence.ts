import path from "node:path";
import { SqlJsSaver, SqlJsStore } from "@fiveseam/checkpoint-sqljs";
import { InMemoryStore, MemorySaver, type BaseCheckpointSaver, type BaseStore } from "@langchain/langgraph";
import { ConfigError } from "./errors.js";
import type { WarningCode } from "./events.js";
import { defaultStateDirectory, ensureStateDirectory } from "./state-directory.js";

/** Where an agent's threads and documents are kept, and what has to be closed with the agent. */
export interface Persistence {
  /** Undefined when nothing is kept on this disk. */
  readonly stateDir: string | undefined;
  readonly checkpointer: BaseCheckpointSaver | undefined;
  readonly store: BaseStore | undefined;
  /** Said by the first run. */
  readonly warnings: readonly { code: WarningCode; message: string }[];
  /** Closes what was opened here; what the user gave stays open. */
  close(): Promise<void>;
}

interface Given {
  checkpointer?: BaseCheckpointSaver | false | undefined;
  store?: BaseStore | false | undefined;
  stateDir?: string | undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Opens in the state directory what the user did not bring. Where the default directory cannot be used the agent works
 * in memory and says so; a directory that the user named is needed, and so is what is already stored.
 *
 * @throws {ConfigError} `stateDir`, when the directory that was named cannot be used.
 */
export const openPersistence = async (given: Given, workspace: string): Promise<Persistence> => {
  if (given.checkpointer !== undefined && given.stateDir === undefined) return open(given, undefined);
  const stateDir = path.resolve(given.stateDir ?? (await defaultStateDirectory(workspace)));
  try {
    await ensureStateDirectory(stateDir);
  } catch (cause) {
    const message = `"${stateDir}" cannot be used as the state directory: ${messageOf(cause)}`;
    if (given.stateDir !== undefined) throw new ConfigError("stateDir", message, { cause });
    const memory = { checkpointer: new MemorySaver(), store: new InMemoryStore() };
    const opened = await open(
      { ...memory, ...(given.store === undefined ? {} : { store: given.store }) },
      undefined,
    );
    const consequence = "Threads and /docs/ are kept in memory and end with this process; pass `stateDir`.";
    return { ...opened, warnings: [{ code: "state_in_memory", message: `${message}. ${consequence}` }] };
  }
  return open(given, stateDir);
};

const open = async (given: Given, stateDir: string | undefined): Promise<Persistence> => {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0)) await each.close();
  };
  const keep = <T extends { close(): Promise<void> }>(each: T): T => {
    opened.push(each);
    return each;
  };
  try {
    const checkpointer =
      given.checkpointer ??
      (stateDir !== undefined && keep(await SqlJsSaver.open({ directory: path.join(stateDir, "threads") })));
    const store =
      given.store ??
      (stateDir !== undefined && keep(await SqlJsStore.open({ file: path.join(stateDir, "docs.sqlite") })));
    return {
      stateDir,
      checkpointer: checkpointer || undefined,
      store: store || undefined,
      warnings: [],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
