import type { CallOptions } from "./call-options.js";
import type {
  GitHead,
  GitStatus,
  GitStatusOptions,
  GitDiffOptions,
  GitDiff,
  GitCommit,
  GitLogOptions,
  GitLog,
  GitShowOptions,
  GitShow,
  GitBlameOptions,
  GitBlame,
  GitBranch,
  GitBranchList,
  GitFileContent,
  GitStash,
  GitStashList,
} from "./git-results.js";

/*
 * Paths, in requests and in answers, are relative to the directory that the port was made for, with `/` between their
 * parts. References (`ref`) are a branch, a tag, a commit, `HEAD`, or one of these with `~2`, `^` or `@{upstream}`
 * behind it; anything else is refused with the code "invalid_argument", before git sees it.
 *
 * Where there is no repository a call is refused with "not_found", where git is missing or does not trust the
 * directory's owner with "unavailable".
 */

/**
 * What can be asked of a repository without changing it. While reading no hook, pager, external diff, text conversion or
 * file system monitor is run; a clean filter that is configured (git-lfs) is, for without it `status` would be wrong.
 */
export interface GitReadPort {
  status(options?: GitStatusOptions): Promise<GitStatus>;
  diff(options?: GitDiffOptions): Promise<GitDiff>;
  log(options?: GitLogOptions): Promise<GitLog>;
  show(ref: string, options?: GitShowOptions): Promise<GitShow>;
  blame(path: string, options?: GitBlameOptions): Promise<GitBlame>;
  branches(
    options?: CallOptions & { readonly remote?: boolean; readonly maxCount?: number },
  ): Promise<GitBranchList>;
  head(options?: CallOptions): Promise<GitHead>;
  /** A file as a commit holds it. `maxBytes` is 200,000 unless given. */
  fileAt(
    ref: string,
    path: string,
    options?: CallOptions & { readonly maxBytes?: number },
  ): Promise<GitFileContent>;
  stashes(options?: CallOptions): Promise<GitStashList>;
}

export interface GitCommitOptions extends CallOptions {
  /** Commits these paths as they lie in the work tree, and nothing else; default: what is staged. */
  readonly paths?: readonly string[];
  /** Default: what git is configured with; without any it is refused with "invalid_argument". */
  readonly author?: { readonly name: string; readonly email: string };
  readonly allowEmpty?: boolean;
}

/** How a merge, a revert or a stash's pop ended. Conflicts lie in the work tree; `status` names them. */
export type GitMergeResult =
  | { kind: "done"; head: GitHead }
  | { kind: "nothing_to_do"; head: GitHead }
  | { kind: "conflicts"; paths: readonly string[] };

/** What changes a repository. `GIT_WRITE_EFFECTS` says of each call whether git can bring back what it takes away. */
export interface GitWritePort {
  /** Stages paths, deleted ones too; a directory means all below it, `.` everything. */
  add(paths: readonly string[], options?: CallOptions): Promise<GitStatus>;
  /** Takes paths out of the index again; the work tree keeps them as they are. */
  unstage(paths: readonly string[], options?: CallOptions): Promise<GitStatus>;
  /** Overwrites files of the work tree with the index, or with `ref`. DESTRUCTIVE: what was not committed is gone. */
  discard(paths: readonly string[], options?: CallOptions & { readonly ref?: string }): Promise<GitStatus>;
  /** Records a new commit, never a changed old one. Nothing to commit is refused with "failed". */
  commit(message: string, options?: GitCommitOptions): Promise<GitCommit>;
  createBranch(name: string, options?: CallOptions & { readonly from?: string }): Promise<GitBranch>;
  /** Changes the branch; refused with "failed" where local changes would be overwritten. */
  switchBranch(
    name: string,
    options?: CallOptions & { readonly create?: boolean; readonly from?: string },
  ): Promise<GitHead>;
  stashPush(
    options?: CallOptions & {
      readonly message?: string;
      readonly paths?: readonly string[];
      readonly includeUntracked?: boolean;
    },
  ): Promise<GitStash>;
  /** Applies a stash (0 unless given) and drops it; on conflicts it stays in the list. */
  stashPop(options?: CallOptions & { readonly index?: number }): Promise<GitMergeResult>;
  merge(ref: string, options?: CallOptions & { readonly message?: string }): Promise<GitMergeResult>;
  /** Gives up a merge, revert or cherry-pick under way. DESTRUCTIVE: conflicts that were solved meanwhile are lost. */
  abort(options?: CallOptions): Promise<GitStatus>;
  revert(ref: string, options?: CallOptions): Promise<GitMergeResult>;
  /** With a message an annotated tag, else a light one. */
  tag(
    name: string,
    options?: CallOptions & { readonly ref?: string; readonly message?: string },
  ): Promise<void>;
}

/**
 * What each writing call can cost. "recoverable": git itself still has what was there. "destructive": work that was
 * never committed is lost, so ask first.
 */
export const GIT_WRITE_EFFECTS: Readonly<Record<keyof GitWritePort, "recoverable" | "destructive">> = {
  add: "recoverable",
  unstage: "recoverable",
  discard: "destructive",
  commit: "recoverable",
  createBranch: "recoverable",
  switchBranch: "recoverable",
  stashPush: "recoverable",
  stashPop: "recoverable",
  merge: "recoverable",
  abort: "destructive",
  revert: "recoverable",
  tag: "recoverable",
};

export interface GitPort {
  readonly read: GitReadPort;
  /** Absent where the host allows reading only. */
  readonly write?: GitWritePort;
}
