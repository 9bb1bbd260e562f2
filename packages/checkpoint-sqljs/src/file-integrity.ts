import { SqlJsSaverError } from "./errors.js";
import { checkState, type IntegrityProblem } from "./integrity.js";
import { loadFile, type LoadDependencies } from "./loading.js";
import { saverModel } from "./saver-model.js";

/** Reads the file as a new process would and looks whether everything in it can be put together. */
export const checkFile = async (file: string, deps: LoadDependencies): Promise<IntegrityProblem[]> => {
  try {
    const loaded = await loadFile(file, saverModel, deps);
    if (!loaded) return [];
    const { state, damage, journal } = loaded;
    const tail = journal && !damage ? journal.size - journal.end : 0;
    return [
      ...(damage ? [{ file, message: damage.type }] : []),
      // A crash leaves that too, of a call that was never acknowledged; from here the two look alike.
      ...(tail > 0 ? [{ file, message: `the last ${tail} bytes of the journal are no whole record` }] : []),
      ...checkState(state, file),
    ];
  } catch (error) {
    if (error instanceof SqlJsSaverError) return [{ file, message: error.message }];
    throw error;
  }
};
