import { randomBytes } from "node:crypto";

/**
 * How the end of a command is known: the shell reads the token from its standard input only after the command has ended,
 * and writes it to the stream that the command wrote to. A command can print and define what it likes, and is not told
 * the token. One that searches the memory of its shell can find it: what runs as the same user has no secrets.
 */
export const newToken = (): string => randomBytes(16).toString("hex");

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The lines that run a command and report its end. A name that a command can define anew says nothing: functions and
 * aliases called printf are common (activate scripts have them), and $PWD is a variable as any other. A backslash keeps
 * aliases out and `builtin` functions; the report is made in a subshell, which is thrown away with all that keeps
 * `builtin` itself from being a function there. In bash only what POSIX calls special goes before a function of the same
 * name, and that only in its POSIX mode.
 */
export const linesFor = (
  { bash, distrust }: { bash: boolean; distrust: boolean },
  command: string,
  input: "<&3" | "</dev/null",
  token: string,
): string => {
  const plainly = bash ? "\\builtin" : "\\command";
  const restore = bash
    ? distrust
      ? "POSIXLY_CORRECT=1; \\unset -f builtin; \\unset -v POSIXLY_CORRECT\n"
      : ""
    : "\\unset -f command\n";
  const kept = `v${token}`;
  const reset = bash
    ? `POSIXLY_CORRECT=1; \\trap '' INT; \\export -f builtin && ${kept}=$${kept}! ; \\unset -f builtin`
    : "\\trap '' INT; \\unset -f command";
  return (
    restore +
    // The space keeps a command that begins with a dash from being an option. dash does not undo the redirections of an
    // eval that does not parse, unless it is run by `command`.
    `${plainly} eval ${quote(` ${command}`)} ${input} 3<&- 4>&-\n` +
    // Bash takes a part of the next line for the rest of what did not parse.
    "\n" +
    // An interrupt that comes too late must not end the report, for which somebody waits.
    // Tracing (set -x) would report the report. The x keeps newlines at the end of a directory's name.
    `( ${kept}=$?; ${reset}; ${plainly} printf '\\0%s:%s:%s\\0' ${token} "$${kept}" ` +
    `"$(${plainly} pwd; ${plainly} printf x)" >&4 ) 2>/dev/null\n`
  );
};

const MAX_REPORT_BYTES = 65_536;

export interface CommandReport {
  exitCode: number;
  /** Empty when the shell does not know it. */
  cwd: string;
  /** The command has put a function in the place of `builtin`. */
  distrust: boolean;
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
      report: {
        exitCode: Number.parseInt(text.slice(0, colon), 10),
        cwd: /^([^]*)\nx$/.exec(text.slice(colon + 1))?.[1] ?? "",
        distrust: text.slice(0, colon).endsWith("!"),
      },
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
