import { Worker } from "node:worker_threads";
import { HostError } from "../errors.js";
import { MAX_SPANS, type Scan } from "./line-scan.js";
import type { SearchPattern } from "./pattern.js";

/**
 * JavaScript's regular expressions backtrack: `(a+)+$` takes longer than anybody lives, and nothing interrupts it in the
 * thread that runs it. So they run in a thread of their own, which is ended when the time is up. Its program is a string,
 * since a file of its own would not survive bundling.
 */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const expression = new RegExp(workerData.source, workerData.flags);
const scan = ({ text, maxLines }) => {
  const lines = [];
  let total = 0;
  let lineNumber = 1;
  for (let start = 0; start < text.length; lineNumber += 1) {
    const newline = text.indexOf("\\n", start);
    const next = newline === -1 ? text.length : newline;
    const end = next > start && text[next - 1] === "\\r" ? next - 1 : next;
    const line = text.slice(start, end);
    expression.lastIndex = 0;
    let found = expression.exec(line);
    if (found) {
      total += 1;
      if (lines.length < maxLines) {
        const spans = [];
        while (found && spans.length < workerData.maxSpans) {
          spans.push({ start: found.index, end: expression.lastIndex });
          if (found[0] === "") {
            // Past the whole character: with the flag u, an index inside a pair would match before it again.
            expression.lastIndex += line.codePointAt(found.index) > 0xffff ? 2 : 1;
          }
          found = expression.lastIndex > line.length ? null : expression.exec(line);
        }
        lines.push({ lineNumber, start, end, spans });
      }
    }
    start = next + 1;
  }
  return { lines, total };
};
parentPort.on("message", (request) => {
  let answer;
  try {
    answer = { scan: scan(request) };
  } catch (error) {
    answer = { error: String(error) };
  }
  parentPort.postMessage(answer);
});
`;

/** Scans texts for one pattern, one after the other. */
export class RegexWorker {
  readonly #worker: Worker;
  readonly #waiting: { resolve: (scan: Scan) => void; reject: (error: unknown) => void }[] = [];
  #broken: unknown;

  constructor({ source, flags }: SearchPattern) {
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { source, flags, maxSpans: MAX_SPANS },
      // Nothing of the caller's: no loader, no environment with keys in it.
      execArgv: [],
      env: {},
    });
    this.#worker.on("message", (answer: { scan: Scan } | { error: string }) => {
      const first = this.#waiting.shift();
      if ("scan" in answer) first?.resolve(answer.scan);
      else
        first?.reject(
          new HostError("invalid_argument", `the regular expression cannot be run: ${answer.error}`),
        );
    });
    this.#worker.on("error", (cause) =>
      this.#fail(new HostError("failed", `the search thread failed: ${String(cause)}`, { cause })),
    );
  }

  scan(text: string, maxLines: number): Promise<Scan> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken as Error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is no window
      this.#worker.postMessage({ text, maxLines });
    });
  }

  #fail(error: unknown): void {
    this.#broken ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken);
  }

  /** Ends the thread, in the middle of a match if need be. */
  async close(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }
}
