import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import type { Directory } from "./directory.js";

const YIELD_EVERY = 500;

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Removes an entry with everything below it, entering no symbolic link: each directory is opened as one, so that a link that
 * takes its place meanwhile is removed itself and not what it points to.
 */
export const removeTree = async (
  parent: Directory,
  name: string,
  budget = { left: YIELD_EVERY },
): Promise<void> => {
  const file = parent.at(name);
  if (!lstatSync(file).isDirectory()) {
    unlinkSync(file);
    return;
  }
  const directory = parent.enter(name);
  try {
    for (const entry of readdirSync(directory.self, { encoding: "buffer" })) {
      budget.left -= 1;
      if (budget.left <= 0) {
        budget.left = YIELD_EVERY;
        await breathe();
      }
      const text = entry.toString();
      if (Buffer.from(text).equals(entry)) await removeTree(directory, text, budget);
      // A name that is no UTF-8 can be named by its bytes alone; what is below it stays, and the directory with it.
      else unlinkSync(Buffer.concat([Buffer.from(`${directory.self}/`), entry]));
    }
  } finally {
    directory.close();
  }
  rmdirSync(file);
};
