import type { Change } from "./file-dependencies.js";
import type { Model } from "./loading.js";
import { decodeOperation, encodeOperation, type Operation } from "./operations.js";
import { summarizeThreads } from "./queries.js";
import { saverSchema } from "./saver-schema.js";
import { applyOperation, SaverState } from "./thread-state.js";

/** The database of a `SqlJsSaver`. */
export const saverModel: Model<SaverState> = {
  kind: "saver",
  schema: saverSchema,
  create: () => new SaverState(),
  replay: (state, payload) => applyOperation(state, decodeOperation(state.content, payload)),
  sweep: (state) => state.sweep(),
  summarize: summarizeThreads,
};

/** An operation as a change of the journaled file. */
export const changeOf = (state: SaverState, operation: Operation): Change<void> => {
  const parts = state.content.takeUnwritten();
  return {
    payload: () => encodeOperation(state.content, parts, operation),
    apply: () => applyOperation(state, operation),
    undo: () => state.content.returnUnwritten(parts),
  };
};
