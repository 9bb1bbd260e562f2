import { SqlJsSaverError } from "./errors.js";
import { loadFile, type LoadDependencies } from "./loading.js";
import { saverModel } from "./saver-model.js";
import { versionsOf } from "./stored-versions.js";
import type { SaverState } from "./thread-state.js";

/** Something that `integrityCheck` found. */
export interface IntegrityProblem {
  /** The database file; empty in memory. */
  readonly file: string;
  readonly message: string;
}

/** Reads the file as a new process would and looks whether everything in it can be put together. */
export const checkFile = async (file: string, deps: LoadDependencies): Promise<IntegrityProblem[]> => {
  try {
    const loaded = await loadFile(file, saverModel, deps);
    if (!loaded) return [];
    const { state, damage } = loaded;
    return [...(damage ? [{ file, message: damage.type }] : []), ...checkState(state, file)];
  } catch (error) {
    if (error instanceof SqlJsSaverError) return [{ file, message: error.message }];
    throw error;
  }
};

export const checkState = (state: SaverState, file: string): IntegrityProblem[] => {
  const problems: IntegrityProblem[] = [];
  try {
    state.content.reachable(state.texts());
  } catch (error) {
    problems.push({ file, message: String(error) });
  }
  for (const [threadId, { namespaces }] of state.threads)
    for (const [name, { checkpoints }] of namespaces)
      for (const [id, checkpoint] of checkpoints)
        try {
          versionsOf(state.content, checkpoint);
        } catch (error) {
          problems.push({
            file,
            message: `thread ${threadId}, checkpoint ${id} in "${name}": ${String(error)}`,
          });
        }
  return problems;
};
