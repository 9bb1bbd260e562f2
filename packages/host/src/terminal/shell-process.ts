import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Writable } from "node:stream";
import { HostError } from "../errors.js";
import { processTable, sessionMembers, signalAll } from "../process-table.js";
import { linesFor, newToken, SentinelSplitter, type CommandReport } from "./sentinel.js";

/** How a command left the shell. */
export type ShellEnd =
  ({ kind: "done" } & CommandReport) | { kind: "died"; exitCode: number | null; signal: string | null };

/** How long output may still come after the shell has died before what holds the pipe is given up. */
const DRAIN_MS = 250;
/** How long it may take to read away what no program has read. */
const DROP_MS = 3_000;
/** How long killed processes may take to be gone. */
const KILL_MS = 2_000;

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** What may wait for a program that does not read. */
const MAX_WAITING_BYTES = 2 ** 20;

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
  readonly #bash: boolean;
  #distrust = false;
  #written = false;
  #interactive = false;
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
    this.#bash = bash;
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
    this.#distrust = report.distrust;
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
    this.#interactive = interactive;
    const lines = { bash: this.#bash, distrust: this.#distrust };
    this.#child.stdin?.write(linesFor(lines, command, interactive ? "<&3" : "</dev/null", token));
    return ended;
  }

  write(text: string): void {
    const input = this.#child.stdio[3] as Writable | null;
    if (!input) return;
    if (input.writableLength + Buffer.byteLength(text) > MAX_WAITING_BYTES)
      throw new HostError(
        "too_large",
        `more than ${MAX_WAITING_BYTES} bytes would wait for the program to read them; wait until it has, or use a file`,
      );
    this.#written = true;
    input.write(text);
  }

  /**
   * Takes away what was written for a command that has ended and did not read it: the next program would take it for
   * its own answer. False when that did not work, and the shell is not to be used any more.
   */
  async dropInput(): Promise<boolean> {
    if (!this.#written) return true;
    this.#written = false;
    const token = newToken();
    (this.#child.stdio[3] as Writable | null)?.write(`\n${token}\n`);
    const plainly = this.#bash ? "\\builtin command" : "\\command";
    // With -p it is found whatever PATH is now.
    const drain = this.execute(`LC_ALL=C ${plainly} -p grep -qF ${token} >/dev/null 2>&1`, true);
    const end = await Promise.race([drain, delay(DROP_MS).then(() => undefined)]);
    return end?.kind === "done" && end.exitCode === 0;
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

  /**
   * dash does not undo the redirections of a line that is interrupted: it would take what was written for a program for
   * its own next line. It is held up instead, and has to be killed.
   */
  get endsWhenInterrupted(): boolean {
    return !this.#bash && this.#interactive;
  }

  /** Ctrl-C: the shell drops the line, its programs get SIGINT. */
  interrupt(before: ReadonlySet<number>): void {
    const targets = this.startedSince(before);
    if (this.endsWhenInterrupted) {
      if (this.alive && this.#child.pid !== undefined) signalAll([this.#child.pid], "SIGSTOP");
      return signalAll(targets, "SIGINT");
    }
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
