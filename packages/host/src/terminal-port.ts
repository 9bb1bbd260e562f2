export interface TerminalOpenOptions {
  /** Name of the session; default a new one. One that is in use is `busy`. */
  id?: string;
  /** Where the shell starts; a relative one starts at the host's root, which is the default. */
  cwd?: string;
  /** Added to the environment that the host allows; `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** A shell that lives on between commands: its directory, variables, functions and background jobs stay. */
export interface TerminalSession {
  id: string;
  shell: string;
  /** The shell's directory after its last command. */
  cwd: string;
  state: "idle" | "running" | "closed";
  /** The command under way. */
  command?: string;
  /** Commands that wait for their turn. */
  queued: number;
  /** How often the shell was lost and started anew; variables, functions and background jobs went with it. */
  restarts: number;
  /** End of the output so far: what `read` gives from here on is new. */
  cursor: number;
}

export interface TerminalRunOptions {
  /** Stops the command, and everything it started. The result then has the ending "aborted". */
  signal?: AbortSignal;
  /** Longest run in milliseconds, the wait for its turn left out; default 120,000, `Infinity` for none. */
  timeoutMs?: number;
  /** Most bytes of output in the result, half from the start and half from the end; default 200,000. */
  maxOutputBytes?: number;
  /** Keep the command's standard input open for `write`; default false: a program that asks reads end of file. */
  interactive?: boolean;
  /** Called with each piece of output as it comes. What it throws is ignored. */
  onOutput?: (text: string) => void;
}

/** How a command in a session came to its end. */
export type TerminalEnding =
  | { kind: "exited"; exitCode: number }
  /** The shell itself was killed by a signal that did not come from us. */
  | { kind: "signaled"; signal: string }
  | { kind: "timeout"; timeoutMs: number }
  | { kind: "aborted" }
  /** By `interrupt`, `kill` or `close`. */
  | { kind: "stopped"; by: "interrupt" | "kill" | "close" };

export interface TerminalRunResult {
  ending: TerminalEnding;
  /** stdout and stderr in order, as UTF-8; invalid bytes become U+FFFD. */
  output: string;
  omittedBytes: number;
  truncated: boolean;
  durationMs: number;
  /** The shell's directory after the command. */
  cwd: string;
  /** The command took the shell with it (`exit`, `exec`), or it could only be stopped with it: there is a new one. */
  restarted: boolean;
  /** End of the session's output after the command. */
  cursor: number;
}

/** A command that was sent and not waited for. */
export interface TerminalStarted {
  /** Where its output starts, if it starts at once; pass it to `read`. */
  cursor: number;
}

export interface TerminalReadOptions {
  /** Read from here; default 0, the start of the session. */
  cursor?: number;
  /** Wait as long as this for something new (output, or the end of the command); default 0. */
  waitMs?: number;
  /** Most bytes in the answer; what is left comes with the next read. Default 100,000. */
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface TerminalReadResult {
  output: string;
  /** Pass it to the next `read`. */
  cursor: number;
  /** Bytes between the cursor given and `output` that the session no longer holds. */
  omittedBytes: number;
  /** Whether there is more to read right now, or something was omitted. */
  truncated: boolean;
  session: TerminalSession;
  /** How the last command ended, once one has. */
  lastEnding?: TerminalEnding;
}

/**
 * Shell sessions. Commands of one session run one at a time in the order in which they were given; sessions run side by
 * side. What a command does is a value; refusals are `HostError`s: `not_found` (no such session), `closed`, `busy`,
 * `invalid_argument`, `unavailable` (no shell).
 */
export interface TerminalPort {
  open(options?: TerminalOpenOptions): Promise<TerminalSession>;
  /** Runs a command to its end. Background jobs (`&`) are left running; they belong to the session. */
  run(sessionId: string, command: string, options?: TerminalRunOptions): Promise<TerminalRunResult>;
  /** Sends a command and does not wait for it: a server, a watcher, a program that is written to. Default `interactive: true`, no time limit. */
  start(sessionId: string, command: string, options?: TerminalRunOptions): Promise<TerminalStarted>;
  /** Output by cursor: whoever passes on the cursor misses nothing, or is told how much. */
  read(sessionId: string, options?: TerminalReadOptions): Promise<TerminalReadResult>;
  /** Text for the standard input of the command under way, which must be `interactive`; `closed` otherwise. What it leaves unread is dropped. */
  write(sessionId: string, text: string, options?: { signal?: AbortSignal }): Promise<void>;
  /** SIGINT to the command under way (Ctrl-C). The queue goes on. True when there was one. */
  interrupt(sessionId: string, options?: { signal?: AbortSignal }): Promise<boolean>;
  /** Ends the session: its command, its queue, its background jobs. Nothing of it runs when this resolves. */
  kill(sessionId: string, options?: { signal?: AbortSignal }): Promise<void>;
  list(options?: { signal?: AbortSignal }): Promise<readonly TerminalSession[]>;
  /** Ends all sessions, and refuses new ones. */
  close(): Promise<void>;
}
