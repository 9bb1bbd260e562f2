import type { BackendProtocolV2, DeleteResult, EditResult, WriteResult } from "deepagents";
import type { EditOutcome } from "../edit/apply-edit.js";
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

/** Looks at a change while the file is locked; what it throws refuses the change. */
export interface ChangeGuard {
  /** Before anything is written. The hash is null when there is no file. */
  before?(file: string, hash: () => Promise<string | null>): void | Promise<void>;
  /** After it was written. */
  after?(receipt: FileReceipt): void;
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
  /** The same files for somebody who may do no more than this. */
  restrict?(access: FileAccess): GuardedBackend;
}
