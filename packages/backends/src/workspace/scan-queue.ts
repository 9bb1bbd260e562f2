import type { Directory } from "./directory.js";
import type { Wanted } from "./grep-file.js";
import { scanHere } from "./scan-files.js";
import { askHelper, startHelpers } from "./scan-helpers.js";
import type { FileRun } from "./walk.js";

/** A smaller tree is searched before a thread has started. */
const ALONE_FILES = 2_000;
/** Each holds a directory open. */
const MAX_AHEAD = 16;

interface Waiting<Run> {
  readonly run: Run;
  readonly found: Promise<readonly number[]>;
}

/** Scans runs of files, in this thread and in helpers, and gives them back in the order in which they came. */
export class ScanQueue<Run extends FileRun> {
  readonly #wanted: Wanted;
  readonly #here: ReturnType<typeof scanHere>;
  readonly #waiting: Waiting<Run>[] = [];
  #files = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#here = scanHere(wanted);
  }

  add(run: Run): void {
    const { names } = run;
    if (this.#files < ALONE_FILES && this.#files + names.length >= ALONE_FILES) startHelpers();
    this.#files += names.length;
    let directory: Directory;
    try {
      // The walk closes its own when it goes on.
      directory = run.directory.enter(".");
    } catch {
      return; // Gone meanwhile.
    }
    const { bytes, ascii } = this.#wanted;
    const here = (): number[] => this.#here(directory.self, names);
    const helped = askHelper({ directory: directory.self, names, bytes, ascii });
    const found = helped ? helped.catch(here) : Promise.resolve(here());
    this.#waiting.push({ run: { ...run, directory }, found });
  }

  /**
   * Hands on what is scanned, until no more than may lie ahead is left or `look` returns false.
   *
   * @param look is given the names that are to be looked at closely.
   */
  async each(look: (run: Run, names: string[]) => Promise<boolean>, rest = false): Promise<boolean> {
    const most = rest ? 0 : MAX_AHEAD;
    while (this.#waiting.length > most) {
      const { run, found } = this.#waiting.shift() as Waiting<Run>;
      try {
        const names = (await found).map((index) => run.names[index] as string);
        if (!(await look(run, names))) return false;
      } finally {
        run.directory.close();
      }
    }
    return true;
  }

  async close(): Promise<void> {
    for (const { run, found } of this.#waiting.splice(0)) {
      // A helper names files by the descriptor of the directory, which may be another's once it is closed.
      await found;
      run.directory.close();
    }
  }
}
