import type { CallOptions } from "./call-options.js";

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
