import type {
  BackendProtocolV2,
  DeleteResult,
  EditResult,
  FileUploadResponse,
  WriteResult,
} from "deepagents";
import type { CommitResult, FileChange } from "../commit/file-change.js";
import type { EditOutcome } from "../edit/apply-edit.js";
import type { Observation, ObservationLimits } from "../exec/observation.js";
import type { FileFailure } from "./options.js";
import type { FileAccess } from "../rights/file-access.js";

/** A change that was made, as `metadata` of the result tells it. */
export interface FileReceipt {
  /** The canonical virtual path, symbolic links resolved. */
  readonly file: string;
  /** SHA-256 in hex; null where there was, or is, no file. */
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
  /** Of an edit. */
  readonly strategy?: EditOutcome["strategy"];
  readonly span?: EditOutcome["span"];
}

/** A regular file as it is before a change. */
export interface FileBefore {
  /** As the backend names it: without its mount. */
  readonly path: string;
  /** As the agent knows it. */
  readonly file: string;
  /** Permission bits. */
  readonly mode: number;
  /** Undefined when it is larger than the backend's `maxFileBytes`. */
  readonly content: Buffer | undefined;
}

/** What a change is about to change, while it is locked. */
export interface ChangeTarget {
  /** As the agent knows it, symbolic links resolved. */
  readonly file: string;
  /** The same as the backend names it: without its mount. */
  readonly path: string;
  /** SHA-256 in hex of the file, null when there is none. */
  hash(): Promise<string | null>;
  /**
   * Goes through the regular files that the change replaces or removes: itself, or all below a directory.
   *
   * @param other is told of each link and other entry there is besides: its name as the agent knows it, and what a link leads to.
   * @returns how many of those there are.
   */
  eachFile(
    visit: (file: FileBefore) => Promise<void>,
    other?: (file: string, leadsTo: string | undefined) => void,
  ): Promise<number>;
}

/** A file, or a directory that goes, when it is known what will be there. */
export interface PlannedChange {
  readonly target: ChangeTarget;
  /** What will be there; null when it goes. */
  readonly after: Uint8Array | null;
}

/** Looks at a change while the file is locked; what `before` and `ready` throw refuses the change. */
export interface ChangeGuard {
  /** Before anything is done. */
  before?(target: ChangeTarget): void | Promise<void>;
  /** Once, with all that will change, when it is known what will be there and nothing is changed yet. */
  ready?(changes: readonly PlannedChange[]): void | Promise<void>;
  /** After it was written. */
  after?(receipt: FileReceipt): void;
}

/** What was done to a file without the backend, by a command. */
export interface OutsideChange {
  /** As the backend names it. */
  readonly path: string;
  /** As the agent knows it. */
  readonly file: string;
  /** Null when there was no file. */
  readonly before: FileBefore | null;
  /** SHA-256 in hex; null when the file is gone, "" of one that is too large to be read. */
  readonly hashAfter: string | null;
  /** When the command began, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A backend that lets a change be looked at while the file is locked. `WorkspaceBackend` is one. */
export interface GuardedBackend extends BackendProtocolV2 {
  readonly guarded: true;
  write(filePath: string, content: string, guard?: ChangeGuard): Promise<WriteResult>;
  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll?: boolean,
    guard?: ChangeGuard,
  ): Promise<EditResult>;
  delete(filePath: string, guard?: ChangeGuard): Promise<DeleteResult>;
  uploadFiles?(files: [string, Uint8Array][], guard?: ChangeGuard): Promise<FileUploadResponse[]>;
  /** Several changes as one. */
  commit?(changes: readonly FileChange[], guard?: ChangeGuard): Promise<CommitResult>;
  /** Where a path leads, symbolic links resolved, as the backend names it; for what is not there, as far as it is. */
  locate?(path: string): Promise<{ readonly path: string } | FileFailure>;
  /** Whether a path of the real file system lies in the tree and is not hidden: no place for a decorator's own files. */
  contains?(realPath: string): boolean;
  /** Looks at the whole tree; what is as it was in the previous observation is not read again. For `bracketExec`. */
  observe?(previous: Observation | undefined, limits: ObservationLimits): Promise<Observation>;
  /** Is told what a command of the calling agent changed. */
  record?(changes: readonly OutsideChange[]): Promise<void>;
  /** The same files for somebody who may do no more than this. */
  restrict?(access: FileAccess): GuardedBackend;
}
