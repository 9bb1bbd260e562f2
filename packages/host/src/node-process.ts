import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { onAbort } from "./abort.js";
import { commandEnvironment, DEFAULT_ENVIRONMENT } from "./environment.js";
import { OutputBuffer } from "./output-buffer.js";
import { groupAlive, signalGroup, windows } from "./process-group.js";
import type {
  ProcessCommand,
  ProcessEnding,
  ProcessOptions,
  ProcessPort,
  ProcessResult,
} from "./process-port.js";

export interface NodeProcessOptions {
  /** Working directory of commands that name none. */
  root: string;
  /** Names of the environment variables that commands inherit; default `DEFAULT_ENVIRONMENT`. */
  inheritEnv?: readonly string[];
  /** Time between asking a process to stop (SIGTERM) and killing it (SIGKILL), in milliseconds; default 1,000. */
  killGraceMs?: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_OUTPUT_BYTES = 200_000;
/** How long output may still come after the command itself has ended before what holds the pipes is stopped. */
const DRAIN_MS = 250;
/** How long a killed group may take to be gone; only a process stuck in the kernel takes longer. */
const KILL_MS = 2_000;
/** setTimeout takes no longer delay than this, and fires at once for one that is. */
const MAX_TIMER_MS = 2 ** 31 - 1;

// One listener for all running children: commands must not outlive the process that ran them.
const running = new Set<ChildProcess>();
let exitHookInstalled = false;
const killOnExit = (): void => {
  for (const child of running) signalGroup(child, "SIGKILL");
};
const track = (child: ChildProcess): void => {
  running.add(child);
  if (exitHookInstalled) return;
  exitHookInstalled = true;
  process.on("exit", killOnExit);
};

const start = (command: ProcessCommand, cwd: string, env: Record<string, string>): ChildProcess => {
  const common = {
    cwd,
    env,
    // Its own process group, so that all of it can be signalled at once.
    detached: !windows,
    windowsHide: true,
    // No standard input: a program that asks a question gets end of file instead of waiting for ever.
    stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
  };
  if ("shell" in command) {
    return windows
      ? spawn(process.env["COMSPEC"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command.shell}"`], {
          ...common,
          windowsVerbatimArguments: true,
        })
      : spawn("/bin/sh", ["-c", command.shell], common);
  }
  return spawn(command.file, [...(command.args ?? [])], common);
};

const wrongOption = ({ timeoutMs, maxOutputBytes, signal }: ProcessOptions): string | undefined => {
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    return `timeoutMs is ${timeoutMs}; give milliseconds, or Infinity`;
  if (maxOutputBytes !== undefined && !(maxOutputBytes >= 0))
    return `maxOutputBytes is ${maxOutputBytes}; give bytes`;
  if (signal !== undefined && typeof signal.addEventListener !== "function")
    return "signal is no AbortSignal";
  return undefined;
};

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs commands as real processes, each in a process group of its own that is stopped as a whole on abort, on timeout,
 * when the command itself has ended, and when this process exits (not when it is killed by a signal that it has no
 * handler for: Node runs no code then).
 *
 * @example
 * ```ts
 * import { createNodeProcess } from "@fiveseam/host";
 *
 * const processes = createNodeProcess({ root: process.cwd() });
 * const result = await processes.run({ shell: "echo hello" }, { timeoutMs: 5_000 });
 * if (result.ending.kind === "exited") console.log(result.ending.exitCode, result.output);
 * ```
 */
export const createNodeProcess = (options: NodeProcessOptions): ProcessPort => {
  const allowed = options.inheritEnv ?? DEFAULT_ENVIRONMENT;
  const graceMs = options.killGraceMs ?? 1_000;
  const root = path.resolve(options.root);

  const stop = async (child: ChildProcess): Promise<void> => {
    signalGroup(child, "SIGTERM");
    // Not Date.now(): the clock may be set back while we wait.
    const deadline = performance.now() + graceMs;
    while (groupAlive(child) && performance.now() < deadline) await delay(20);
    if (!groupAlive(child)) return;
    signalGroup(child, "SIGKILL");
    // SIGKILL cannot be refused, but it takes effect when the process is next scheduled: `run` promises that it has.
    const killedBy = performance.now() + KILL_MS;
    while (groupAlive(child) && performance.now() < killedBy) await delay(10);
  };

  const run = (command: ProcessCommand, given: ProcessOptions = {}): Promise<ProcessResult> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const cwd = path.resolve(root, given.cwd ?? ".");
      const buffer = new OutputBuffer(given.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES);
      let ending: ProcessEnding | undefined;
      let stoppedBackground = false;
      const finish = (): void => {
        const output = buffer.text();
        resolve({
          ending: ending ?? { kind: "aborted" },
          output,
          omittedBytes: buffer.omittedBytes,
          truncated: buffer.omittedBytes > 0,
          durationMs: performance.now() - startedAt,
          stoppedBackground,
        });
      };
      const notStarted = (error: unknown): void => {
        const { code, message } = error as NodeJS.ErrnoException;
        // spawn blames the program, in the same words, when the directory is what is missing.
        const reason = existsSync(cwd) ? message : `the working directory "${cwd}" does not exist`;
        ending = { kind: "not_started", code: code ?? "UNKNOWN", message: reason };
        finish();
      };
      const wrong = wrongOption(given);
      if (wrong) return notStarted(Object.assign(new Error(wrong), { code: "ERR_INVALID_ARG_VALUE" }));
      if (given.signal?.aborted) return finish();

      let child: ChildProcess;
      try {
        const env = commandEnvironment(process.env, allowed, given.env);
        child = start(command, cwd, env);
      } catch (error) {
        return notStarted(error);
      }
      if (child.pid !== undefined) track(child);
      const collect = (stream: "stdout" | "stderr") => {
        // A character may come in two chunks.
        const decoder = new StringDecoder("utf8");
        return (chunk: Buffer): void => {
          buffer.push(chunk);
          const text = decoder.write(chunk);
          if (!given.onOutput || text === "") return;
          // Progress is a convenience; a listener's fault, now or in a promise, is not the command's.
          try {
            Promise.resolve(given.onOutput(text, stream)).catch(() => {});
          } catch {}
        };
      };
      child.stdout?.on("data", collect("stdout"));
      child.stderr?.on("data", collect("stderr"));

      const timeoutMs = given.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      const onTimeout = (): void => {
        ending ??= { kind: "timeout", timeoutMs };
        void stop(child);
      };
      const timer = timeoutMs <= MAX_TIMER_MS ? setTimeout(onTimeout, timeoutMs) : undefined;
      const abort = (): void => {
        ending ??= { kind: "aborted" };
        void stop(child);
      };
      const forget = onAbort(given.signal, abort);
      const release = (): void => {
        clearTimeout(timer);
        forget();
        running.delete(child);
      };

      child.once("error", (error) => {
        // After a successful spawn "error" means that a signal could not be sent; "exit" still comes.
        if (child.pid !== undefined) return;
        release();
        notStarted(error);
      });
      child.once("exit", (exitCode, signal) => {
        ending ??= signal ? { kind: "signaled", signal } : { kind: "exited", exitCode: exitCode ?? 0 };
        const closed = new Promise<void>((done) => child.once("close", () => done()));
        void (async () => {
          // The command is over. What it left in its group either still writes to our pipes or runs silently on.
          await Promise.race([closed, delay(DRAIN_MS)]);
          if (groupAlive(child)) {
            stoppedBackground = ending?.kind === "exited";
            await stop(child);
          }
          // A descendant that left the group (setsid) can keep the pipes open: give up on its output, not on the caller.
          await Promise.race([closed, delay(DRAIN_MS)]);
          child.stdout?.destroy();
          child.stderr?.destroy();
          release();
          finish();
        })();
      });
    });

  return { run };
};
