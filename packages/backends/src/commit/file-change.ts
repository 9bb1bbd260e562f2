import type { BackendProtocolV2 } from "deepagents";
import type { ChangeGuard, FileReceipt } from "../workspace/change-guard.js";
import type { FileFailure } from "../workspace/options.js";

/** What a change set does to one file. Later changes see what earlier ones did. */
export type FileChange = {
  /**
   * SHA-256 in hex of the content that the change is meant for, null when there must be no file; the set is refused when
   * something else is there. Of the file as it was before the whole set.
   */
  readonly expect?: string | null;
} & (
  | {
      /** Makes a file or replaces the whole of one. Text takes on the encoding and the line endings of what it replaces. */
      readonly kind: "write";
      readonly path: string;
      readonly content: string | Uint8Array;
      /** Permission bits; default those of the file that is replaced. */
      readonly mode?: number;
    }
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly oldString: string;
      readonly newString: string;
      readonly replaceAll?: boolean;
    }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "rename";
      readonly path: string;
      /** Where nothing is. */
      readonly to: string;
    }
);

/** What became of a change set. */
export type CommitResult =
  | {
      readonly receipts: readonly FileReceipt[];
      /** All or nothing even when the process is killed; false when it was only rolled back on a failure. */
      readonly atomic: boolean;
      readonly error?: undefined;
    }
  | (FileFailure & {
      /** Which of the changes was refused, counted from 0; undefined when it was none in particular. */
      readonly failedAt?: number;
    });

/** A backend that takes several changes as one. */
export interface CommittingBackend extends BackendProtocolV2 {
  commit(changes: readonly FileChange[], guard?: ChangeGuard): Promise<CommitResult>;
}

export const isCommitting = (backend: BackendProtocolV2): backend is CommittingBackend =>
  typeof (backend as Partial<CommittingBackend>).commit === "function";

/** The paths that a change is about. */
export const pathsOf = (change: FileChange): readonly string[] =>
  change.kind === "rename" ? [change.path, change.to] : [change.path];
