import type { Confinement } from "./directory.js";
import type { FileErrorKind } from "./file-error.js";

export interface WorkspaceBackendOptions {
  /** Path of a directory that exists. Virtual paths begin at it: `/src/index.ts`. */
  root: string;
  /** Virtual paths that may be read and not changed, with all below. `.git` is, always. */
  protectedPaths?: readonly string[];
  /** Virtual paths that are not there for whoever asks, with all below. */
  hiddenPaths?: readonly string[];
  /**
   * What to do about writing a file that has other names, which may lie outside: "refuse" (default), or "break" the link, so
   * that this name gets the new content and the others keep the old.
   */
  hardlinks?: "refuse" | "break";
  /** Force each change to the disk before it is reported; default true. */
  fsync?: boolean;
  /** Largest file that is edited, searched, or read raw; default 64 MiB. Reading pages has no limit. */
  maxFileBytes?: number;
  /** Directory for the locks between processes; default below the system's directory for temporary files. */
  lockDirectory?: string;
  /** Where the agent sees the root, for messages and receipts: `/workspace`; default "". */
  mount?: string;
  /** How directories are held; default "descriptors" on Linux, else "paths". */
  confinement?: Confinement;
}

/** What a failed operation returns beside `error`. */
export interface FileFailure {
  error: string;
  errorKind: FileErrorKind;
}
