import { onAbort } from "../abort.js";
import { HostError } from "../errors.js";
import { OutputBuffer } from "../output-buffer.js";
import { signalAll } from "../process-table.js";
import type {
  TerminalEnding,
  TerminalReadOptions,
  TerminalReadResult,
  TerminalRunResult,
  TerminalSession,
} from "../terminal-port.js";
import { endingOf, listenerOf, type Job } from "./job.js";
import { leadingPart, RingBuffer, trailingPart } from "./ring-buffer.js";
import { ShellProcess, type ShellEnd } from "./shell-process.js";

export interface SessionOptions {
  id: string;
  shell: string;
  cwd: string;
  env: Record<string, string>;
  killGraceMs: number;
  bufferBytes: number;
}

interface Running {
  job: Job;
  shell: ShellProcess;
  /** What ran in the session before: it belongs to earlier commands. */
  before: ReadonlySet<number>;
  collect: (chunk: Buffer) => void;
  ended: Promise<ShellEnd>;
  stopped?: TerminalEnding;
  /** It has ended, and what is left of it is being cleared up: nothing can be written to it any more. */
  over?: boolean;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One session: its queue, its output, and a shell that is started anew when a command takes it along. */
export class Session {
  readonly #options: SessionOptions;
  readonly #ring: RingBuffer;
  readonly #queue: Job[] = [];
  readonly #watchers = new Set<() => void>();
  #shell: ShellProcess | undefined;
  #running: Running | undefined;
  #working: Promise<void> | undefined;
  #cwd: string;
  #restarts = 0;
  #closed = false;
  #lastEnding: TerminalEnding | undefined;
  #usedAtMs = performance.now();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#ring = new RingBuffer(options.bufferBytes);
  }

  /** Starts the shell, so that a session that was opened is one that works. */
  async open(): Promise<void> {
    this.#shell = await this.#startShell();
  }

  /** Somebody asked for it. */
  touch(): void {
    this.#usedAtMs = performance.now();
  }

  /** For how long nobody has used it, while nothing runs in it; 0 while something does. */
  get idleMs(): number {
    const busy = this.#working !== undefined || !this.#shell || this.#shell.members().size > 0;
    return busy ? 0 : performance.now() - this.#usedAtMs;
  }

  info(): TerminalSession {
    return {
      id: this.#options.id,
      shell: this.#options.shell,
      cwd: this.#cwd,
      state: this.#closed ? "closed" : this.#working ? "running" : "idle",
      ...(this.#running ? { command: this.#running.job.command } : {}),
      queued: this.#queue.length,
      restarts: this.#restarts,
      cursor: this.#ring.end,
    };
  }

  enqueue(job: Job): void {
    const { signal } = job.options;
    if (signal?.aborted) return job.resolve(this.#notRun({ kind: "aborted" }));
    this.#queue.push(job);
    const forget = onAbort(signal, () => {
      const at = this.#queue.indexOf(job);
      if (at === -1) return;
      this.#queue.splice(at, 1);
      job.resolve(this.#notRun({ kind: "aborted" }));
    });
    const { resolve, reject } = job;
    job.resolve = (result) => {
      forget();
      resolve(result);
    };
    job.reject = (error) => {
      forget();
      reject(error);
    };
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      try {
        job.resolve(await this.#perform(job));
      } catch (error) {
        job.reject(error);
      }
    }
    this.#working = undefined;
    this.touch();
    this.#notify();
  }

  async #perform(job: Job): Promise<TerminalRunResult> {
    const startedAt = performance.now();
    this.#shell ??= await this.#startShell();
    const shell = this.#shell;
    if (this.#closed || job.options.signal?.aborted)
      return this.#notRun(this.#closed ? { kind: "stopped", by: "kill" } : { kind: "aborted" });
    const buffer = new OutputBuffer(job.options.maxOutputBytes ?? 200_000);
    const listener = listenerOf(job.options);
    const running: Running = {
      job,
      shell,
      before: shell.members(),
      collect: (chunk) => {
        buffer.push(chunk);
        listener?.(chunk);
      },
      ended: shell.execute(job.command, job.options.interactive ?? false),
    };
    this.#running = running;
    const stop = (ending: TerminalEnding): void => void this.#stop(running, ending);
    const timer =
      job.timeoutMs > MAX_TIMER_MS
        ? undefined
        : setTimeout(() => stop({ kind: "timeout", timeoutMs: job.timeoutMs }), job.timeoutMs);
    const forget = onAbort(job.options.signal, () => stop({ kind: "aborted" }));
    const end = await running.ended;
    running.over = true;
    clearTimeout(timer);
    forget();
    const restarted = await this.#afterCommand(running, end);
    this.#running = undefined;
    const ending = running.stopped ?? endingOf(end);
    this.#lastEnding = ending;
    this.#notify();
    return {
      ending,
      output: buffer.text(),
      omittedBytes: buffer.omittedBytes,
      truncated: buffer.omittedBytes > 0,
      durationMs: performance.now() - startedAt,
      cwd: this.#cwd,
      restarted,
      cursor: this.#ring.end,
    };
  }

  /** Stops what a stopped command has left; puts a new shell in the place of a dead one. True when there is a new one. */
  async #afterCommand({ shell, before, stopped }: Running, end: ShellEnd): Promise<boolean> {
    if (end.kind === "done") {
      if (end.cwd !== "") this.#cwd = end.cwd;
      if (stopped && stopped.kind !== "stopped") await this.#stopLeft(shell, before);
      if (await shell.dropInput()) return false;
    }
    this.#shell = undefined;
    await shell.kill();
    if (this.#closed) return false;
    this.#restarts += 1;
    this.#shell = await this.#startShell();
    return true;
  }

  /** Background jobs do not hear SIGINT. */
  async #stopLeft(shell: ShellProcess, before: ReadonlySet<number>): Promise<void> {
    signalAll(shell.startedSince(before), "SIGTERM");
    const deadline = performance.now() + this.#options.killGraceMs;
    while (shell.startedSince(before).size > 0) {
      if (performance.now() >= deadline) signalAll(shell.startedSince(before), "SIGKILL");
      await delay(10);
      if (performance.now() >= deadline + 2_000) return;
    }
  }

  async #stop(running: Running, ending: TerminalEnding): Promise<void> {
    if (running.stopped && running.stopped.kind !== "stopped") return;
    running.stopped = ending;
    // More than once: a shell that is between two programs of a loop takes an interrupt for one that was dealt with.
    let over = false;
    for (let tries = 0; tries < 4 && !over; tries += 1) {
      running.shell.interrupt(running.before);
      const ended = running.ended.then(() => true);
      over = await Promise.race([ended, delay(this.#options.killGraceMs / 4).then(() => false)]);
    }
    // Whatever ignores SIGINT is killed together with the shell: left alone, the shell would go on with its line.
    if (!over) await running.shell.kill();
  }

  async #startShell(): Promise<ShellProcess> {
    const { shell: file, env, cwd } = this.#options;
    let silent = true;
    const receive = (chunk: Buffer): void => {
      if (silent) return;
      this.#ring.push(chunk);
      this.#running?.collect(chunk);
      this.#notify();
    };
    // The directory may have been removed meanwhile.
    for (const directory of new Set([this.#cwd, cwd])) {
      const shell = new ShellProcess(file, { cwd: directory, env }, receive);
      const end = shell.alive
        ? await Promise.race([shell.execute(":", false), delay(10_000).then(() => undefined)])
        : undefined;
      if (end?.kind === "done") {
        if (this.#closed) {
          await shell.kill();
          throw new HostError("closed", "the session was ended");
        }
        silent = false;
        this.#cwd = end.cwd === "" ? directory : end.cwd;
        return shell;
      }
      await shell.kill();
    }
    throw new HostError("unavailable", `the shell ${file} cannot be started in ${this.#cwd}`);
  }

  write(text: string): void {
    const { job, shell, over } = this.#running ?? {};
    if (!job || !shell || over)
      throw new HostError("closed", "no command is running; start one with interactive: true");
    if (!job.options.interactive)
      throw new HostError(
        "closed",
        "the command under way has no standard input; start it with interactive: true",
      );
    shell.write(text);
  }

  interrupt(): boolean {
    const running = this.#running;
    if (!running) return false;
    running.stopped ??= { kind: "stopped", by: "interrupt" };
    running.shell.interrupt(running.before);
    if (running.shell.endsWhenInterrupted) void this.#endWithShell(running);
    return true;
  }

  async #endWithShell({ shell, before }: Running): Promise<void> {
    const deadline = performance.now() + this.#options.killGraceMs;
    while (shell.startedSince(before).size > 0 && performance.now() < deadline) await delay(10);
    await shell.kill();
  }

  async kill(by: "kill" | "close"): Promise<void> {
    this.#closed = true;
    const ending: TerminalEnding = { kind: "stopped", by };
    if (this.#running) this.#running.stopped = ending;
    for (const job of this.#queue.splice(0)) job.resolve(this.#notRun(ending));
    await this.#shell?.kill();
    await this.#working;
    this.#notify();
  }

  async read(options: TerminalReadOptions): Promise<TerminalReadResult> {
    const { cursor = 0, waitMs = 0, maxBytes = 100_000, signal } = options;
    signal?.throwIfAborted();
    for (const [name, value] of Object.entries({ cursor, waitMs, maxBytes }))
      if (!(value >= 0) || (name === "cursor" && !Number.isSafeInteger(value)))
        throw new HostError("invalid_argument", `${name} is ${value}; give a number from 0`);
    if (cursor > this.#ring.end)
      throw new HostError("invalid_argument", `the cursor ${cursor} is past the end, ${this.#ring.end}`);
    if (waitMs > 0 && this.#ring.end === cursor && !this.#closed) await this.#change(waitMs, signal);
    const from = Math.max(cursor, this.#ring.start);
    let bytes = this.#ring.read(from, Math.max(4, maxBytes));
    const lead = from > cursor ? leadingPart(bytes) : 0;
    bytes = bytes.subarray(lead);
    // The rest of a character that is cut in two comes with the next read; when nothing will come, it is shown as it is.
    const tail = trailingPart(bytes);
    const more = from + lead + bytes.length < this.#ring.end;
    if (tail > 0 && (more || this.#working !== undefined)) bytes = bytes.subarray(0, bytes.length - tail);
    const next = from + lead + bytes.length;
    const omittedBytes = from - cursor + lead;
    return {
      output: bytes.toString("utf8"),
      cursor: next,
      omittedBytes,
      truncated: omittedBytes > 0 || (more && next < this.#ring.end),
      session: this.info(),
      ...(this.#lastEnding ? { lastEnding: this.#lastEnding } : {}),
    };
  }

  /** Something new, or the end of the wait. */
  #change(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(done);
        forget();
        if (signal?.aborted) reject(signal.reason as Error);
        else resolve();
      };
      const timer = setTimeout(done, Math.min(waitMs, MAX_TIMER_MS));
      const forget = onAbort(signal, done);
      this.#watchers.add(done);
    });
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #notRun(ending: TerminalEnding): TerminalRunResult {
    return {
      ending,
      output: "",
      omittedBytes: 0,
      truncated: false,
      durationMs: 0,
      cwd: this.#cwd,
      restarted: false,
      cursor: this.#ring.end,
    };
  }
}
