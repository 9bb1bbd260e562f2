import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { mayHoldOtherwise } from "./grep-file.js";
import { SCAN_BYTES, SCAN_FLAGS, scanFiles, type ScanJob } from "./scan-files.js";

/** None once one has failed: the next would fail as well. */
let wantedHelpers = Math.min(3, availableParallelism() - 1);
/** So that a helper has something to do while its answer is on the way. */
const JOBS_AHEAD = 8;
const IDLE_MS = 30_000;

// As text: a file of its own would be missing where everything is bundled into one.
const program = (): string => `
const fs = require("node:fs");
const { isUtf8 } = require("node:buffer");
const { parentPort } = require("node:worker_threads");
// esbuild puts calls of it around functions when it is to keep their names.
const __name = (value) => value;
const mayHoldOtherwise = ${mayHoldOtherwise.toString()};
const scanFiles = ${scanFiles.toString()};
const tools = {
  fs,
  flags: ${SCAN_FLAGS},
  buffer: Buffer.allocUnsafe(${SCAN_BYTES}),
  mayHoldOtherwise: (bytes, ascii) => mayHoldOtherwise(bytes, ascii, isUtf8),
};
parentPort.on("message", (job) => parentPort.postMessage(scanFiles(tools, job)));
`;

interface Asked {
  resolve(found: number[]): void;
  reject(error: unknown): void;
}

/** A thread that scans. */
class Helper {
  readonly #worker: Worker;
  readonly #asked: Asked[] = [];
  #state: "starting" | "ready" | "gone" = "starting";
  #idle: NodeJS.Timeout | undefined;

  constructor() {
    // Without the loaders and the inspector of the process.
    this.#worker = new Worker(program(), { eval: true, execArgv: [] });
    this.#worker.unref();
    this.#worker
      .on("online", () => (this.#state = "ready"))
      .on("message", (found: number[]) => {
        this.#asked.shift()?.resolve(found);
        this.#rest();
      })
      .on("error", (error) => {
        wantedHelpers = 0;
        this.#end(error);
      })
      .on("exit", () => this.#end(new Error("The helper has ended.")));
    this.#rest();
  }

  get isGone(): boolean {
    return this.#state === "gone";
  }

  get isFree(): boolean {
    return this.#state === "ready" && this.#asked.length < JOBS_AHEAD;
  }

  ask(job: ScanJob): Promise<number[]> {
    clearTimeout(this.#idle);
    // The process must not end while somebody waits for the answer, and may while nobody does.
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker.postMessage(job);
    });
  }

  #rest(): void {
    if (this.#asked.length > 0) return;
    this.#worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#worker.terminate(), IDLE_MS).unref();
  }

  #end(error: unknown): void {
    this.#state = "gone";
    clearTimeout(this.#idle);
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}

let helpers: Helper[] = [];

/** Starts the threads that help with large searches, one less than there are processors; they end when they are idle. */
export const startHelpers = (): void => {
  helpers = helpers.filter(({ isGone }) => !isGone);
  try {
    while (helpers.length < wantedHelpers) helpers.push(new Helper());
  } catch {
    wantedHelpers = 0; // This process may have no threads.
  }
};

/** The answer of a helper that has time; undefined when none has. */
export const askHelper = (job: ScanJob): Promise<number[]> | undefined =>
  helpers.find(({ isFree }) => isFree)?.ask(job);
