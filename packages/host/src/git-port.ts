import type { CallOptions } from "./call-options.js";

/*
 * Paths, in requests and in answers, are relative to the directory that the port was made for, with `/` between their
 * parts. References (`ref`) are a branch, a tag, a commit, `HEAD`, or one of these with `~2`, `^` or `@{upstream}`
 * behind it; anything else is refused with the code "invalid_argument", before git sees it.
 *
 * Where there is no repository a call is refused with "not_found", where git is missing or does not trust the
 * directory's owner with "unavailable".
 */

/** Where HEAD is. `commit` is a full object name. */
export type GitHead =
  | { kind: "branch"; branch: string; commit: string; upstream?: GitUpstream }
  | { kind: "detached"; commit: string }
  /** A repository without a commit. */
  | { kind: "unborn"; branch: string };

export interface GitUpstream {
  /** For instance `origin/main`. */
  name: string;
  /** Commits that the upstream lacks and that we lack. Absent when the upstream's branch is gone. */
  ahead?: number;
  behind?: number;
}

export type GitChangeKind = "added" | "modified" | "deleted" | "renamed" | "copied" | "type_changed";

/** A path that differs from HEAD. */
export type GitFileStatus =
  | {
      kind: "changed";
      path: string;
      /** What the next commit takes along. */
      staged?: GitChangeKind;
      /** What lies in the work tree beyond that. */
      unstaged?: GitChangeKind;
      /** The path it had, when it was renamed or copied. */
      from?: string;
      submodule: boolean;
    }
  | { kind: "conflicted"; path: string; conflict: GitConflictKind }
  /** A whole untracked directory is one entry that ends with `/`, unless `untracked` is "all". */
  | { kind: "untracked"; path: string };

export type GitConflictKind =
  | "both_deleted"
  | "added_by_us"
  | "deleted_by_them"
  | "added_by_them"
  | "deleted_by_us"
  | "both_added"
  | "both_modified";

/** Something that was begun and waits for a person: commit it, or give it up. */
export type GitOperation = "merge" | "rebase" | "cherry_pick" | "revert" | "bisect";

export interface GitStatus {
  head: GitHead;
  operation?: GitOperation;
  files: readonly GitFileStatus[];
  truncated: boolean;
}

export interface GitStatusOptions extends CallOptions {
  readonly paths?: readonly string[];
  /** Default "directories". */
  readonly untracked?: "none" | "directories" | "all";
  /** Default 2,000. */
  readonly maxFiles?: number;
}

/** What a diff compares. */
export type GitDiffTarget =
  /** The work tree with the index: what `add` would stage. */
  | { kind: "worktree" }
  /** The index with HEAD: what `commit` would record. */
  | { kind: "staged" }
  /** The work tree with a commit. */
  | { kind: "since"; ref: string }
  /** Two commits; with `mergeBase` the second with their common ancestor, as a pull request shows it. */
  | { kind: "between"; from: string; to: string; mergeBase?: boolean };

export interface GitDiffOptions extends CallOptions {
  /** Default `{ kind: "worktree" }`. */
  readonly target?: GitDiffTarget;
  readonly paths?: readonly string[];
  /** Unchanged lines around a change; default 3. */
  readonly contextLines?: number;
  /** Bytes of patch kept, from its start; default 200,000. 0 gives `files` alone. */
  readonly maxPatchBytes?: number;
}

export interface GitDiffFile {
  path: string;
  kind: GitChangeKind | "unmerged";
  from?: string;
  /** Lines; absent in a binary file. */
  added?: number;
  removed?: number;
  binary: boolean;
}

export interface GitDiff {
  files: readonly GitDiffFile[];
  /** A unified diff. Bytes that are no UTF-8 show as U+FFFD. */
  patch: string;
  truncated: boolean;
}

export interface GitSignature {
  name: string;
  email: string;
  /** ISO 8601, with the offset that the author had. */
  date: string;
}

export interface GitCommit {
  /** The full object name. */
  id: string;
  parents: readonly string[];
  author: GitSignature;
  committer: GitSignature;
  subject: string;
  /** What follows the subject. */
  body: string;
  /** Branches and tags that point here, for instance `HEAD -> main`, `tag: v1`. */
  refs: readonly string[];
}

export interface GitLogOptions extends CallOptions {
  /** Where to start; default HEAD. */
  readonly ref?: string;
  /** Leaves out what this reference already holds. */
  readonly since?: string;
  readonly paths?: readonly string[];
  /** Default 50, at most 1,000. */
  readonly maxCount?: number;
  readonly skip?: number;
  /** Commits whose author's name or email holds this text, whatever its case. */
  readonly author?: string;
  /** Commits whose message holds this text, whatever its case. */
  readonly message?: string;
}

export interface GitLog {
  /** Newest first. Empty in a repository without a commit. */
  commits: readonly GitCommit[];
  /** There are more. */
  truncated: boolean;
}

export interface GitShowOptions extends CallOptions {
  readonly paths?: readonly string[];
  readonly contextLines?: number;
  readonly maxPatchBytes?: number;
}

/** A commit and what it changed; a merge is compared with its first parent. */
export interface GitShow {
  commit: GitCommit;
  diff: GitDiff;
}

export interface GitBlameOptions extends CallOptions {
  /** Default: the file as it lies in the work tree. */
  readonly ref?: string;
  /** Counted from 1. */
  readonly startLine?: number;
  readonly endLine?: number;
  /** Default 1,000. */
  readonly maxLines?: number;
}

export interface GitBlameLine {
  /** Counted from 1. */
  line: number;
  text: string;
  /** Absent for a line that is not committed yet. */
  commit?: string;
  author: string;
  date: string;
  subject: string;
}

export interface GitBlame {
  lines: readonly GitBlameLine[];
  truncated: boolean;
}

export interface GitBranch {
  name: string;
  remote: boolean;
  current: boolean;
  commit: string;
  subject: string;
  upstream?: string;
}

export interface GitBranchList {
  /** Most recently committed first. */
  branches: readonly GitBranch[];
  truncated: boolean;
}

export interface GitFileContent {
  /** The size of the whole file. */
  bytes: number;
  binary: boolean;
  /** Empty when it is binary. */
  text: string;
  truncated: boolean;
}

export interface GitStash {
  /** 0 is the newest. Numbers move with every push and pop; `commit` stays. */
  index: number;
  commit: string;
  message: string;
}

export interface GitStashList {
  stashes: readonly GitStash[];
  truncated: boolean;
}

/** What can be asked of a repository without changing it. Nothing of the repository's is run: no hook, filter or pager. */
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
