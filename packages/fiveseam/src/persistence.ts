import path from "node:path";
import { SqlJsSaver, SqlJsStore } from "@fiveseam/checkpoint-sqljs";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";

/** Where an agent's threads and documents are kept, and what has to be closed with the agent. */
export interface Persistence {
  readonly checkpointer: BaseCheckpointSaver | undefined;
  readonly store: BaseStore | undefined;
  /** Closes what was opened here; what the user gave stays open. */
  close(): Promise<void>;
}

/** Opens in the state directory what the user did not bring. Without a directory nothing is opened. */
export const openPersistence = async (
  given: { checkpointer?: BaseCheckpointSaver | false; store?: BaseStore | false },
  stateDir: string | undefined,
): Promise<Persistence> => {
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
    return { checkpointer: checkpointer || undefined, store: store || undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
};
