import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Directory } from "./directory.js";
import { mayHoldOtherwise, type Wanted } from "./grep-file.js";

const BUFFER_BYTES = 1024 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Which of some files are to be looked at closely: never without one that holds the text, seldom with one that does not. */
export type Scan = (directory: Directory, names: readonly string[]) => string[];

/**
 * Most files of a tree do not hold what is looked for, and making sure of that is nearly all of a search. So many files are
 * read into one buffer, and searched at once as the bytes that they are.
 */
export const scanFor = (wanted: Wanted): Scan => {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);

  return (directory, names) => {
    const maybe = new Set<number>();
    let held: { readonly index: number; readonly start: number }[] = [];
    let end = 0;

    const search = (): void => {
      const all = buffer.subarray(0, end);
      let at = 0;
      for (let hit = all.indexOf(wanted.bytes); hit >= 0 && at < held.length;) {
        while (at + 1 < held.length && (held[at + 1] as { start: number }).start <= hit) at += 1;
        maybe.add((held[at] as { index: number }).index);
        at += 1;
        const next = held[at];
        // What begins in one file and ends in another is in neither, and is not missed after it.
        hit = next ? all.indexOf(wanted.bytes, next.start) : -1;
      }
      held = [];
      end = 0;
    };

    const hold = (index: number): void => {
      const fd = openSync(directory.at(names[index] as string), READ);
      try {
        const stats = fstatSync(fd);
        // One byte more than there should be shows that there is more.
        const length = stats.size + 1;
        if (!stats.isFile() || length > BUFFER_BYTES) return void maybe.add(index);
        if (length > BUFFER_BYTES - end) search();
        const bytesRead = readSync(fd, buffer, end, length, null);
        if (bytesRead !== stats.size || mayHoldOtherwise(buffer.subarray(end, end + bytesRead), wanted))
          return void maybe.add(index);
        held.push({ index, start: end });
        end += bytesRead;
      } finally {
        closeSync(fd);
      }
    };

    for (const index of names.keys()) {
      try {
        hold(index);
      } catch {
        maybe.add(index); // Whoever looks closely finds out what is the matter.
      }
    }
    search();
    return names.filter((_, index) => maybe.has(index));
  };
};
