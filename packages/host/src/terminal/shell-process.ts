import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Writable } from "node:stream";
import { processTable, sessionMembers, signalAll } from "../process-table.js";
import { newToken, SentinelSplitter, type CommandReport } from "./sentinel.js";

/** How a command left the shell. */
export type ShellEnd =
  ({ kind: "done" } & CommandReport) | { kind: "died"; exitCode: number | null; signal: string | null };

/** How long output may still come after the shell has died before what holds the pipe is given up. */
const DRAIN_MS = 250;
/** How long killed processes may take to be gone. */
const KILL_MS = 2_000;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

// One listener for all shells: they must not outlive the process that started them.
const running = new Set<ShellProcess>();
let exitHookInstalled = false;

/**
 * One shell, driven through pipes. It is interactive (`-i`), though nothing is attached to it: only then does an
 * interrupt end the whole line. A shell that runs a script goes on with the next command of the list, so that stopping
 * `npm test; git push` in its first half would start the second.
 *
 * Lines for the shell come on its descriptor 0, the standard input of interactive commands on 3; 4 is where reports go,
 * the same pipe as the output, so that a report comes after all output of the command.
 */
export class ShellProcess {
  readonly #child: ChildProcess;
  readonly #eval: string;
  readonly #onOutput: (chunk: Buffer) => void;
  readonly #died: Promise<{ exitCode: number | null; signal: string | null }>;
  #active: { splitter: SentinelSplitter; resolve: (end: ShellEnd) => void } | undefined;
  #dead = false;

  constructor(
    file: string,
    options: { cwd: string; env: Record<string, string> },
    onOutput: (chunk: Buffer) => void,
  ) {
    this.#onOutput = onOutput;
    const bash = path.basename(file).startsWith("bash");
    // dash does not undo the redirections of an eval that does not parse, unless it is run by `command`.
    this.#eval = bash ? "eval" : "command eval";
    this.#child = spawn(file, bash ? ["--noprofile", "--norc", "--noediting", "-i"] : ["-i"], {
      ...options,
      // A session of its own: everything in it can be found, and stopped.
      detached: true,
      // What an interactive shell without a terminal complains about at its start is nobody's business.
      stdio: ["pipe", "pipe", "ignore", "pipe"],
    });
    this.#died = new Promise((resolve) => {
      this.#child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
      this.#child.once("error", () => resolve({ exitCode: null, signal: null }));
    });
    void this.#died.then(() => {
      this.#dead = true;
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#receive(chunk));
    // EPIPE, when the shell has died: its death is reported by itself.
    for (const pipe of this.#pipes()) pipe.on("error", () => {});
    const history = bash ? "set +o history +H\n" : "";
    this.#child.stdin?.write(`PS1= PS2=\n${history}exec 2>&1 4>&1\n`);
    running.add(this);
    if (exitHookInstalled) return;
    exitHookInstalled = true;
    process.on("exit", () => {
      for (const shell of running) shell.#signalEverything();
    });
  }

  get alive(): boolean {
    return !this.#dead && this.#child.pid !== undefined;
  }

  #pipes(): Writable[] {
    return [this.#child.stdin, this.#child.stdio[3]].filter((pipe) => pipe !== null) as Writable[];
  }

  #receive(chunk: Buffer): void {
    if (!this.#active) return this.#onOutput(chunk);
    const { output, report, rest } = this.#active.splitter.push(chunk);
    if (output.length > 0) this.#onOutput(output);
    if (!report) return;
    const { resolve } = this.#active;
    this.#active = undefined;
    resolve({ kind: "done", ...report });
    // A background job goes on writing.
    if (rest && rest.length > 0) this.#onOutput(rest);
  }

  /** One at a time. */
  execute(command: string, interactive: boolean): Promise<ShellEnd> {
    const token = newToken();
    const ended = new Promise<ShellEnd>((resolve) => {
      const active = { splitter: new SentinelSplitter(token), resolve };
      this.#active = active;
      void this.#died.then(async (how) => {
        await Promise.race([new Promise((done) => this.#child.once("close", done)), delay(DRAIN_MS)]);
        if (this.#active !== active) return;
        this.#onOutput(active.splitter.flush());
        this.#active = undefined;
        resolve({ kind: "died", ...how });
      });
    });
    // The space keeps a command that begins with a dash from being an option. Tracing (set -x) would report the report.
    const input = interactive ? "<&3" : "</dev/null";
    this.#child.stdin?.write(
      `${this.#eval} ${quote(` ${command}`)} ${input} 3<&- 4>&-\n` +
        // Bash takes a part of the next line for the rest of what did not parse.
        "\n" +
        `{ printf '\\0%s:%d:%s\\0' ${token} "$?" "$PWD" >&4; } 2>/dev/null\n`,
    );
    return ended;
  }

  write(text: string): void {
    (this.#child.stdio[3] as Writable | null)?.write(text);
  }

  /** Everything that the shell has started and that still runs. */
  members(): Set<number> {
    return this.#child.pid === undefined ? new Set() : sessionMembers(this.#child.pid, !this.#dead);
  }

  /** What has been started since then, by anything but what ran then. */
  startedSince(before: ReadonlySet<number>): Set<number> {
    const parents = new Map(processTable().map(({ pid, parent }) => [pid, parent]));
    const isOld = (pid: number): boolean => {
      for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
        if (before.has(at)) return true;
      return false;
    };
    return new Set([...this.members()].filter((pid) => !isOld(pid)));
  }

  /** Ctrl-C: the shell drops the line, its programs get SIGINT. */
  interrupt(before: ReadonlySet<number>): void {
    const targets = this.startedSince(before);
    // The shell first: one that sees its program die of an interrupt that it has not got itself runs the next command.
    if (this.alive && this.#child.pid !== undefined) signalAll([this.#child.pid], "SIGINT");
    signalAll(targets, "SIGINT");
  }

  #signalEverything(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    // The shell first, or it goes on with the next command of its line. It is only held up until its children have been
    // counted: those that made themselves a session of their own are known as its children alone.
    if (!this.#dead) signalAll([pid], "SIGSTOP");
    const members = sessionMembers(pid, !this.#dead);
    if (!this.#dead) members.add(pid);
    signalAll(members, "SIGKILL");
  }

  /** Ends the shell and all that belongs to it; when it resolves nothing of it runs. */
  async kill(): Promise<void> {
    const deadline = performance.now() + KILL_MS;
    do {
      this.#signalEverything();
      await Promise.race([this.#died, delay(10)]);
      if (this.#dead && this.members().size === 0) break;
      await delay(10);
    } while (performance.now() < deadline);
    running.delete(this);
    // A descendant that left the session can hold the pipes open.
    await delay(0);
    this.#child.stdout?.destroy();
    for (const pipe of this.#pipes()) pipe.destroy();
  }
}
