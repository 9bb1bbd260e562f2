import { versionsOf } from "./stored-versions.js";
import type { SaverState } from "./thread-state.js";

/** Something that `integrityCheck` found. */
export interface IntegrityProblem {
  /** The database file; empty in memory. */
  readonly file: string;
  readonly message: string;
}

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
