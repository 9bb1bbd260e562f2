type MaybePromise<T> = T | Promise<T>;

/** What a change set does to one file. Later changes see what earlier ones did. */
export type ToolFileChange = {
  /** SHA-256 in hex of the bytes that the change is meant for, null when there must be no file. */
  readonly expect?: string | null;
} & (
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly oldString: string;
      readonly newString: string;
      readonly replaceAll?: boolean;
    }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
);

/** That one file was changed: hashes are SHA-256 in hex, null where there was, or is, no file. */
export interface ToolFileReceipt {
  readonly file: string;
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
}

/** What became of a change set. */
export type ToolCommitResult =
  | {
      readonly receipts: readonly ToolFileReceipt[];
      /** All or nothing even when the process is killed; false when it was only rolled back on a failure. */
      readonly atomic: boolean;
      readonly error?: undefined;
    }
  | {
      readonly error: string;
      /** In one word, such as `stale` or `ambiguous`. */
      readonly errorKind: string;
      /** Which of the changes was refused, counted from 0. */
      readonly failedAt?: number;
    };

/** What somebody may do with files, asked with canonical paths. */
export interface ToolFileAccess {
  readonly who: string;
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
}

/** The part of deepagents' backend protocol that the tools use; any of its backends fits. */
export interface ToolFiles {
  ls(path: string): MaybePromise<{
    error?: string | undefined;
    files?: readonly { path: string; is_dir?: boolean; size?: number }[] | undefined;
  }>;
  readRaw(path: string): MaybePromise<{
    error?: string | undefined;
    data?: { content: string | Uint8Array | readonly string[] } | undefined;
  }>;
  downloadFiles?(
    paths: string[],
  ): MaybePromise<readonly { content: Uint8Array | null; error: string | null }[]>;
  /** Several changes as one. The backends of `@fiveseam/backends` have it; without it no tool changes files. */
  commit?(changes: readonly ToolFileChange[]): Promise<ToolCommitResult>;
  /** The same files for somebody who may do no more than this, enforced on the file that a path really leads to. */
  restrict?(access: ToolFileAccess): ToolFiles;
}

/** Files that can be changed. */
export type ChangeableFiles = ToolFiles & Required<Pick<ToolFiles, "commit">>;

export const isChangeable = (files: ToolFiles | undefined): files is ChangeableFiles =>
  typeof files?.commit === "function";
