import path from "node:path";
import type { GitPort } from "./git-port.js";
import { createGitRead } from "./git-read.js";
import { createGitProgram } from "./git-run.js";
import { createGitWrite } from "./git-write.js";

export interface GitOptions {
  /** Absolute path of the directory that paths are relative to. It may be a part of a repository. */
  readonly root: string;
  /** Default false: the port has no `write`. */
  readonly write?: boolean;
  /** Whether writing calls run the repository's hooks; default false. Reading never does. */
  readonly hooks?: boolean;
  /** Whether commits and tags are signed where git is configured so; default false, for a signature may wait for a person. */
  readonly sign?: boolean;
  /** The git program; default "git", from the path. */
  readonly gitPath?: string;
  /** For one git process; default 60,000. A call may take a few of them. */
  readonly timeoutMs?: number;
}

/**
 * Git over the git program, 2.31 or newer. Nothing goes over the network, and no repository decides what is run while
 * it is only read: no hook, no pager, no external diff, no text conversion, no file system monitor.
 *
 * @example
 * ```ts
 * import { createGit } from "@fiveseam/host";
 *
 * const git = createGit({ root: process.cwd() });
 * const { head, files } = await git.read.status();
 * console.log(head.kind, files.length);
 * ```
 */
export const createGit = (options: GitOptions): GitPort => {
  const { write = false, hooks = false, sign = false, gitPath = "git", timeoutMs = 60_000 } = options;
  const program = { root: path.resolve(options.root), gitPath, timeoutMs };
  const read = createGitRead(createGitProgram({ ...program, hooks: false }));
  if (!write) return { read };
  return { read, write: createGitWrite(createGitProgram({ ...program, hooks }), read, { sign }) };
};
