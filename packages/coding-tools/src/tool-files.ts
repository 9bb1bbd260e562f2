type MaybePromise<T> = T | Promise<T>;

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
}
