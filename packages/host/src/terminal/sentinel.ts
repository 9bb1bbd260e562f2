import { randomBytes } from "node:crypto";

/**
 * How the end of a command is known: the shell reads the token from its standard input only after the command has ended,
 * and writes it to the stream that the command wrote to. A command can print what it likes and cannot know the token.
 */
export const newToken = (): string => randomBytes(16).toString("hex");

const MAX_REPORT_BYTES = 65_536;

export interface CommandReport {
  exitCode: number;
  cwd: string;
}

/** Takes the report out of the output that it comes with. */
export class SentinelSplitter {
  readonly #marker: Buffer;
  #carry: Buffer = Buffer.alloc(0);

  constructor(token: string) {
    this.#marker = Buffer.from(`\0${token}:`, "latin1");
  }

  /** What is certainly output; and, once it is complete, the report and what came after it. */
  push(chunk: Buffer): { output: Buffer; report?: CommandReport; rest?: Buffer } {
    const data = this.#carry.length > 0 ? Buffer.concat([this.#carry, chunk]) : chunk;
    const at = data.indexOf(this.#marker);
    if (at === -1) {
      const held = this.#partial(data);
      this.#carry = Buffer.from(data.subarray(data.length - held));
      return { output: data.subarray(0, data.length - held) };
    }
    const end = data.indexOf(0, at + this.#marker.length);
    if (end === -1 && data.length - at < MAX_REPORT_BYTES) {
      this.#carry = Buffer.from(data.subarray(at));
      return { output: data.subarray(0, at) };
    }
    const text = data.subarray(at + this.#marker.length, end === -1 ? undefined : end).toString("utf8");
    const colon = text.indexOf(":");
    this.#carry = Buffer.alloc(0);
    return {
      output: data.subarray(0, at),
      report: { exitCode: Number(text.slice(0, colon)), cwd: text.slice(colon + 1) },
      rest: end === -1 ? Buffer.alloc(0) : data.subarray(end + 1),
    };
  }

  /** What was held back, when no report will come. */
  flush(): Buffer {
    const carry = this.#carry;
    this.#carry = Buffer.alloc(0);
    return carry;
  }

  /** Length of the longest end of the data that is a beginning of the marker. */
  #partial(data: Buffer): number {
    for (let length = Math.min(this.#marker.length - 1, data.length); length > 0; length -= 1) {
      if (data.subarray(data.length - length).equals(this.#marker.subarray(0, length))) return length;
    }
    return 0;
  }
}
