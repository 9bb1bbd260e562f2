import type { CallOptions } from "./call-options.js";
import type { StoreWarning } from "./store-warning.js";

/** "user": about the person, seen in every project. "project": about this workspace, seen nowhere else. */
export type MemoryScope = "user" | "project";

export interface MemoryBlock {
  readonly scope: MemoryScope;
  /** Lower-case letters, digits, `-`, `_` and `.`; at most 64, beginning with a letter or digit. */
  readonly key: string;
  readonly text: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface MemoryLimits {
  readonly maxBlockBytes: number;
  /** In each scope. */
  readonly maxBlocks: number;
}

export interface MemoryRead {
  /** User before project, then by key. */
  readonly blocks: readonly MemoryBlock[];
  readonly warnings: readonly StoreWarning[];
}

export interface MemoryChanged {
  readonly block: MemoryBlock;
  readonly warnings: readonly StoreWarning[];
}

/**
 * Core memory: a few keyed blocks of text that outlive a session, kept apart by scope. What would be longer than a
 * limit is refused with "too_large" and changes nothing; a block that does not exist with "not_found".
 */
export interface MemoryStorePort {
  readonly limits: MemoryLimits;
  /** Every block, or those of one scope. */
  list(options?: CallOptions & { readonly scope?: MemoryScope }): Promise<MemoryRead>;
  /** Makes a block, or replaces all of it. */
  set(scope: MemoryScope, key: string, text: string, options?: CallOptions): Promise<MemoryChanged>;
  /** Adds to the end, on a line of its own; makes the block if there is none. */
  append(scope: MemoryScope, key: string, text: string, options?: CallOptions): Promise<MemoryChanged>;
  /**
   * Replaces a passage, which has to be there ("not_found") and once only ("invalid_argument"). The new text is taken
   * as it is, `$&` too.
   */
  replace(
    scope: MemoryScope,
    key: string,
    passage: { readonly oldText: string; readonly newText: string },
    options?: CallOptions,
  ): Promise<MemoryChanged>;
  delete(
    scope: MemoryScope,
    key: string,
    options?: CallOptions,
  ): Promise<{ readonly warnings: readonly StoreWarning[] }>;
}
