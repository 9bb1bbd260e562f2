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
  isScanned: boolean;
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
    if (names.length === 0) return;
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
    const waiting = { run: { ...run, directory }, found, isScanned: helped === undefined };
    void found.then(() => (waiting.isScanned = true));
    this.#waiting.push(waiting);
  }

  /**
   * Hands on what is scanned, and waits for what is not when too much lies ahead, until `look` returns false.
   *
   * @param look is given the names that are to be looked at closely.
   */
  async each(look: (run: Run, names: string[]) => Promise<boolean>, rest = false): Promise<boolean> {
    const most = rest ? 0 : MAX_AHEAD;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (!next.isScanned && this.#waiting.length <= most) break;
      this.#waiting.shift();
      const { run, found } = next;
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
