import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { CassetteError } from "../errors.js";
import type { CassetteAnswer } from "./answer.js";
import {
  CASSETTE_VERSION,
  createLines,
  type CassetteEntry,
  type CassetteHeader,
  type ModelIdentity,
} from "./format.js";
import type { CassetteRequest } from "./request.js";

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Says who records to a file. What a process left behind that died is taken over. */
const lock = (file: string, name: string): void => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const handle = openSync(name, "wx");
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      const pid = Number(readFileSync(name, "utf8"));
      // Empty for the instant between making it and writing to it.
      if (attempt > 0 || pid === 0 || isAlive(pid))
        throw new CassetteError(
          "cassette_busy",
          file,
          `${file} is being recorded by process ${pid || "unknown"}. Finish or dispose that recording first; ` +
            `if there is none, delete ${name}.`,
          { cause },
        );
      rmSync(name, { force: true });
    }
  }
};

/** One call being recorded. */
export interface TapeSlot {
  settle(answer: CassetteAnswer): void;
}

/** Collects calls in the order in which they began, and writes them all at once. */
export class Tape {
  readonly file: string;
  readonly #lock: string;
  readonly #identity: ModelIdentity;
  readonly #calls: { request: CassetteRequest; answer: () => CassetteAnswer }[] = [];
  #state: "open" | "finished" | "discarded" = "open";

  constructor(file: string, identity: ModelIdentity) {
    this.file = path.resolve(file);
    this.#lock = `${this.file}.recording`;
    this.#identity = identity;
    mkdirSync(path.dirname(this.file), { recursive: true });
    lock(this.file, this.#lock);
  }

  get size(): number {
    return this.#calls.length;
  }

  assertOpen(): void {
    if (this.#state === "open") return;
    throw new CassetteError(
      "cassette_closed",
      this.file,
      `The recording to ${this.file} is ${this.#state}: its model cannot be called any more.`,
    );
  }

  /** Begins a call. `soFar` is what counts when the tape is finished before the call is. */
  begin(request: CassetteRequest, soFar: () => CassetteAnswer): TapeSlot {
    this.assertOpen();
    const call = { request, answer: soFar };
    this.#calls.push(call);
    return {
      settle: (answer) => {
        call.answer = () => answer;
      },
    };
  }

  /** Puts the recording in the place of the file, whole or not at all. */
  async finish(clean: (answer: CassetteAnswer) => Promise<CassetteAnswer>): Promise<void> {
    if (this.#state === "finished") return;
    this.assertOpen();
    // From here on: a call that began while answers are cleaned would be missing.
    this.#state = "finished";
    const calls = this.#calls.map(({ request, answer }) => ({ request, answer: answer() }));
    try {
      const entries: CassetteEntry[] = [];
      for (const { request, answer } of calls) entries.push({ request, answer: await clean(answer) });
      this.#write(entries);
    } catch (error) {
      this.#state = "discarded";
      throw error;
    } finally {
      rmSync(this.#lock, { force: true });
    }
  }

  #write(entries: readonly CassetteEntry[]): void {
    const header: CassetteHeader = {
      cassette: "fiveseam",
      version: CASSETTE_VERSION,
      identity: this.#identity,
    };
    const lines = entries.map(createLines());
    const scratch = `${this.file}.${process.pid}.tmp`;
    try {
      const handle = openSync(scratch, "w");
      try {
        writeFileSync(handle, `${JSON.stringify(header)}\n${lines.join("")}`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(scratch, this.file);
    } catch (error) {
      rmSync(scratch, { force: true });
      throw error;
    }
  }

  /** Leaves the file as it was. */
  discard(): void {
    if (this.#state !== "open") return;
    this.#state = "discarded";
    rmSync(this.#lock, { force: true });
  }
}
