import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { HostError } from "./errors.js";
import { findProgram } from "./find-program.js";
import type { ProcessCommand, ProcessOptions, ProcessPort, ProcessResult } from "./process-port.js";

export interface SandboxOptions {
  /** The workspace: the one directory that a command may write to. */
  root: string;
  /** Whether a command reaches the network; default false. Its own loopback is all there is then. */
  network?: boolean;
  /** More directories that may be written to, caches for instance; absolute, and they must exist. */
  writable?: readonly string[];
  /**
   * What to do where bubblewrap is missing or does not work: "refuse", the default, rejects with the code
   * `unavailable`; "run-unconfined" runs the command as if there were no sandbox.
   */
  whenMissing?: "refuse" | "run-unconfined";
}

/**
 * Runs the commands of another process port under bubblewrap (Linux): the whole file system is readable and none of it
 * writable but the workspace, `/tmp` is private and empty, there is no network, processes of the machine are out of
 * sight, and whatever a command leaves behind ends with it.
 *
 * @example
 * ```ts
 * import { createNodeProcess, createSandboxedProcess } from "@fiveseam/host";
 *
 * const root = process.cwd();
 * const processes = createSandboxedProcess(createNodeProcess({ root }), { root, network: false });
 * await processes.run({ shell: "npm test" });
 * ```
 */
export const createSandboxedProcess = (inner: ProcessPort, options: SandboxOptions): ProcessPort => {
  const root = path.resolve(options.root);
  let looked: Promise<{ bwrap: string } | { missing: string }> | undefined;

  const run = async (command: ProcessCommand, given: ProcessOptions = {}): Promise<ProcessResult> => {
    const found = await (looked ??= lookFor(root));
    if ("missing" in found) {
      if (options.whenMissing === "run-unconfined") return inner.run(command, given);
      throw new HostError(
        "unavailable",
        `commands are to run in a sandbox, and ${found.missing}; install bubblewrap, or allow whenMissing: "run-unconfined"`,
      );
    }
    const args = await sandboxArguments(root, options, given.cwd);
    const program =
      "shell" in command ? ["/bin/sh", "-c", command.shell] : [command.file, ...(command.args ?? [])];
    // The directory of the command is that inside; bubblewrap itself starts where it surely can.
    const result = await inner.run(
      { file: found.bwrap, args: [...args, "--", ...program] },
      { ...given, cwd: "/" },
    );
    return "file" in command ? notFound(result, command.file) : result;
  };

  return { run };
};

/** Found, and able to do it: in a container without user namespaces it is there in vain. */
const lookFor = async (root: string): Promise<{ bwrap: string } | { missing: string }> => {
  const bwrap = process.platform === "linux" ? findProgram("bwrap", root) : undefined;
  if (bwrap === undefined) return { missing: "there is no bubblewrap (bwrap) on this machine" };
  return new Promise((resolve) => {
    const probe = [...isolation(false), ...READ_ONLY, "true"];
    execFile(bwrap, probe, { timeout: 10_000 }, (error, _stdout, stderr) =>
      resolve(
        error ? { missing: `bubblewrap does not work here (${stderr.trim() || error.message})` } : { bwrap },
      ),
    );
  });
};

const READ_ONLY = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

const isolation = (network: boolean): string[] => [
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  ...(network ? [] : ["--unshare-net"]),
  // Also for root, who could mount everything anew.
  "--cap-drop",
  "ALL",
  "--die-with-parent",
];

const sandboxArguments = async (
  root: string,
  { network = false, writable = [] }: SandboxOptions,
  cwd: string | undefined,
): Promise<string[]> => {
  const binds: string[] = [];
  for (const directory of [root, ...writable]) {
    try {
      const real = await realpath(directory);
      binds.push("--bind", real, real);
    } catch (cause) {
      throw new HostError("not_found", `the writable directory ${directory} does not exist`, { cause });
    }
  }
  // Sockets can be connected to on a file system that is read-only, the one of a container engine too.
  const sockets = ["/run", "/var/run"].filter((directory) => existsSync(directory));
  const masks = [...new Set(await Promise.all(sockets.map((directory) => realpath(directory))))];
  return [
    ...isolation(network),
    ...READ_ONLY,
    ...["/tmp", ...masks].flatMap((directory) => ["--tmpfs", directory]),
    // Where names are looked up on machines with systemd.
    ...(network ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    // After the rest: the workspace may lie in /tmp.
    ...binds,
    "--setenv",
    "TMPDIR",
    "/tmp",
    "--chdir",
    path.resolve(await realpath(root), cwd ?? "."),
  ];
};

/** What bubblewrap says when the program does not exist; the port has an ending for that. */
const notFound = (result: ProcessResult, file: string): ProcessResult =>
  result.ending.kind === "exited" &&
  result.ending.exitCode === 1 &&
  result.output === `bwrap: execvp ${file}: No such file or directory\n`
    ? {
        ...result,
        ending: { kind: "not_started", code: "ENOENT", message: `${file} does not exist` },
        output: "",
      }
    : result;
