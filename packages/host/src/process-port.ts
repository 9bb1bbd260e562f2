/** A command: a line for the shell, or a program and its arguments (no shell, nothing interpreted). */
export type ProcessCommand = { shell: string } | { file: string; args?: readonly string[] };

export interface ProcessOptions {
  /** Working directory; a relative one starts at the host's root, which is the default. */
  cwd?: string;
  /** Added to the environment that the host allows; `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Stops the process and its children. The result then has the ending "aborted". */
  signal?: AbortSignal;
  /** Longest run in milliseconds; default 120,000, `Infinity` for none. The result then has the ending "timeout". */
  timeoutMs?: number;
  /** Most bytes of output kept, half from the start and half from the end; default 200,000. */
  maxOutputBytes?: number;
  /** Called with each piece of output as it comes, for progress. What it throws is ignored. */
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
}

/** How a process came to its end. */
export type ProcessEnding =
  | { kind: "exited"; exitCode: number }
  /** Killed by a signal that did not come from us. */
  | { kind: "signaled"; signal: string }
  | { kind: "timeout"; timeoutMs: number }
  | { kind: "aborted" }
  /** It could not be started: no such program, no such directory, no permission. */
  | { kind: "not_started"; code: string; message: string };

export interface ProcessResult {
  ending: ProcessEnding;
  /** stdout and stderr in the order in which they came, as UTF-8; invalid bytes become U+FFFD. */
  output: string;
  /** Bytes left out of the middle of `output`; 0 when it is whole. The cut is marked in the text. */
  omittedBytes: number;
  truncated: boolean;
  durationMs: number;
  /** True when the command left processes in the background, which were stopped with it. */
  stoppedBackground: boolean;
}

/**
 * Runs one command to its end. Implementations never throw for what the command does: every ending is a value. When
 * the promise resolves, no process that the command started is left in its process group.
 */
export interface ProcessPort {
  run(command: ProcessCommand, options?: ProcessOptions): Promise<ProcessResult>;
}
