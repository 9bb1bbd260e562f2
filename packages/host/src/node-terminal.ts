import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { commandEnvironment, DEFAULT_ENVIRONMENT } from "./environment.js";
import { HostError } from "./errors.js";
import type { TerminalPort, TerminalRunOptions, TerminalRunResult } from "./terminal-port.js";
import { Session } from "./terminal/session.js";

export interface NodeTerminalOptions {
  /** Where shells start that are given no directory. */
  root: string;
  /** Names of the environment variables that shells inherit; default `DEFAULT_ENVIRONMENT`. */
  inheritEnv?: readonly string[];
  /** Absolute path of a bash or another POSIX shell; default the first bash that is found, else `/bin/sh`. */
  shell?: string;
  /** Time between interrupting a command (SIGINT) and killing it, in milliseconds; default 1,000. */
  killGraceMs?: number;
  /** Output that a session keeps for `read`; default 1 MiB. */
  bufferBytes?: number;
  /** Most sessions at once. The next one takes the place of the longest unused one, or is `busy`. Default 64. */
  maxSessions?: number;
  /**
   * A session in which nothing runs, in the background neither, and that was not used for so long is closed when its
   * place is needed; default 600,000, `Infinity` for never.
   */
  evictIdleMs?: number;
}

const findShell = (): string | undefined => {
  const directories = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((each) => path.isAbsolute(each));
  const shells = ["/bin/bash", ...directories.map((each) => path.join(each, "bash")), "/bin/sh"];
  return process.platform === "win32" ? undefined : shells.find((each) => existsSync(each));
};

/**
 * Shell sessions over pipes: no terminal device and no native module, so programs see no terminal and are neither
 * coloured nor paged. On Windows, which has no such shell, every session is `unavailable`.
 *
 * @example
 * ```ts
 * import { createNodeTerminal } from "@fiveseam/host";
 *
 * const terminal = createNodeTerminal({ root: process.cwd() });
 * const { id } = await terminal.open();
 * await terminal.run(id, "cd src && export MODE=test");
 * const { output, cwd } = await terminal.run(id, "echo $MODE");
 * console.log(output, cwd);
 * await terminal.close();
 * ```
 */
export const createNodeTerminal = (options: NodeTerminalOptions): TerminalPort => {
  const root = path.resolve(options.root);
  const allowed = options.inheritEnv ?? DEFAULT_ENVIRONMENT;
  const maxSessions = options.maxSessions ?? 64;
  const sessions = new Map<string, Session>();
  let closed = false;
  let made = 0;

  const evictIdleMs = options.evictIdleMs ?? 600_000;
  const session = (id: string): Session => {
    const found = sessions.get(id);
    found?.touch();
    if (found) return found;
    throw closed
      ? new HostError("closed", "the terminal is closed")
      : new HostError(
          "not_found",
          `there is no session ${JSON.stringify(id)}, or it was closed after a long time without use; open one`,
        );
  };

  /** Makes room, if there is none: whoever forgot a session must not keep all others from having one. */
  const evict = (): Session | undefined => {
    if (sessions.size < maxSessions) return undefined;
    let longest: { id: string; session: Session; idleMs: number } | undefined;
    for (const [id, each] of sessions) {
      const { idleMs } = each;
      if (idleMs > 0 && idleMs >= evictIdleMs && idleMs > (longest?.idleMs ?? 0))
        longest = { id, session: each, idleMs };
    }
    if (!longest)
      throw new HostError("busy", `${maxSessions} sessions are open; kill one that is not needed`);
    sessions.delete(longest.id);
    return longest.session;
  };

  const newId = (): string => {
    do made += 1;
    while (sessions.has(`terminal-${made}`));
    return `terminal-${made}`;
  };

  const enqueue = (
    id: string,
    command: string,
    given: TerminalRunOptions,
    timeoutMs: number,
  ): { cursor: number; done: Promise<TerminalRunResult> } => {
    const target = session(id);
    if (command.includes("\0")) throw new HostError("invalid_argument", "the command holds a NUL character");
    if (!(timeoutMs >= 0))
      throw new HostError("invalid_argument", `timeoutMs is ${timeoutMs}; give milliseconds, or Infinity`);
    if (given.maxOutputBytes !== undefined && !(given.maxOutputBytes >= 0))
      throw new HostError("invalid_argument", `maxOutputBytes is ${given.maxOutputBytes}; give bytes`);
    const { cursor } = target.info();
    const done = new Promise<TerminalRunResult>((resolve, reject) =>
      target.enqueue({ command, options: given, timeoutMs, resolve, reject }),
    );
    return { cursor, done };
  };

  return {
    async open({ id = newId(), cwd, env, signal } = {}) {
      signal?.throwIfAborted();
      if (closed) throw new HostError("closed", "the terminal is closed");
      if (sessions.has(id)) throw new HostError("busy", `the session ${JSON.stringify(id)} is open already`);
      if (typeof id !== "string" || id === "")
        throw new HostError("invalid_argument", "a session needs a name that is not empty");
      const directory = path.resolve(root, cwd ?? ".");
      if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
        throw new HostError("not_found", `the directory ${directory} does not exist`);
      const shell = options.shell ?? findShell();
      if (shell === undefined)
        throw new HostError("unavailable", "there is no bash and no sh on this machine");
      const evicted = evict();
      const opened = new Session({
        id,
        shell,
        cwd: directory,
        // Nothing is attached that understands the codes of a terminal.
        env: commandEnvironment(process.env, allowed, { TERM: "dumb", ...env }),
        killGraceMs: options.killGraceMs ?? 1_000,
        bufferBytes: options.bufferBytes ?? 2 ** 20,
      });
      sessions.set(id, opened);
      try {
        await evicted?.kill("kill");
        await opened.open();
        signal?.throwIfAborted();
      } catch (error) {
        sessions.delete(id);
        await opened.kill("kill");
        throw error;
      }
      return opened.info();
    },

    run: async (id, command, given = {}) => enqueue(id, command, given, given.timeoutMs ?? 120_000).done,

    async start(id, command, given = {}) {
      given.signal?.throwIfAborted();
      const options = { ...given, interactive: given.interactive ?? true };
      const { cursor, done } = enqueue(id, command, options, given.timeoutMs ?? Infinity);
      // How it ends is read with `read`.
      done.catch(() => {});
      return { cursor };
    },

    read: async (id, given = {}) => session(id).read(given),

    async write(id, text, given = {}) {
      given.signal?.throwIfAborted();
      session(id).write(text);
    },

    async interrupt(id, given = {}) {
      given.signal?.throwIfAborted();
      return session(id).interrupt();
    },

    async kill(id, given = {}) {
      given.signal?.throwIfAborted();
      const target = session(id);
      sessions.delete(id);
      await target.kill("kill");
    },

    async list(given = {}) {
      given.signal?.throwIfAborted();
      return [...sessions.values()].map((each) => each.info());
    },

    async close() {
      closed = true;
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map((each) => each.kill("close")));
    },
  };
};
