import path from "node:path";
import { createJsonFile, type FileStoreOptions, type JsonFile } from "./json-file.js";
import {
  applyMemoryChange,
  blockOf,
  blocksOf,
  checkedMemoryScope,
  DEFAULT_MEMORY_LIMITS,
  EMPTY_MEMORY,
  faultOfMemory,
  type MemoryChange,
  type MemoryState,
} from "./memory-blocks.js";
import type { MemoryBlock, MemoryLimits, MemoryScope, MemoryStorePort } from "./memory-store-port.js";
import type { StoreWarning } from "./store-warning.js";

export interface MemoryStoreOptions extends FileStoreOptions, Partial<MemoryLimits> {
  /** Where the person's memory is kept, the same for all projects. */
  readonly userDirectory: string;
  /** Where this project's memory is kept. */
  readonly projectDirectory: string;
}

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Core memory in two files, one a scope. Each change is on the disk before its call resolves; a process that is killed
 * leaves the old or the new memory, and several processes may work on one. A file that cannot be read is set aside and
 * reported, never overwritten.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from "@fiveseam/host";
 *
 * const memory = createMemoryStore({ userDirectory: ".state/user", projectDirectory: ".state/project" });
 * await memory.append("project", "conventions", "Tests live beside the source.");
 * console.log((await memory.list({ scope: "project" })).blocks);
 * ```
 */
export const createMemoryStore = (options: MemoryStoreOptions): MemoryStorePort => {
  const { now = Date.now } = options;
  const limits: MemoryLimits = {
    maxBlockBytes: options.maxBlockBytes ?? DEFAULT_MEMORY_LIMITS.maxBlockBytes,
    maxBlocks: options.maxBlocks ?? DEFAULT_MEMORY_LIMITS.maxBlocks,
  };
  // Two names, so that the scopes stay apart in one directory too.
  const fileIn = (directory: string, name: string): JsonFile<MemoryState> =>
    createJsonFile<MemoryState>({
      ...options,
      file: path.join(directory, name),
      empty: EMPTY_MEMORY,
      faultOf: faultOfMemory,
      version: 1,
      maxBytes: MAX_BYTES,
    });
  const files: Readonly<Record<MemoryScope, JsonFile<MemoryState>>> = {
    user: fileIn(options.userDirectory, "user-memory.json"),
    project: fileIn(options.projectDirectory, "project-memory.json"),
  };

  const change = async (
    scope: MemoryScope,
    key: string,
    what: MemoryChange,
    signal: AbortSignal | undefined,
  ): Promise<{ block: MemoryBlock | undefined; warnings: StoreWarning[] }> => {
    const { result, warnings } = await files[checkedMemoryScope(scope)].update((before) => {
      const value = applyMemoryChange(before, key, what, now(), limits);
      return { value, result: what.kind === "delete" ? undefined : blockOf(scope, key, value) };
    }, signal);
    return { block: result, warnings };
  };
  const changed = async (...given: Parameters<typeof change>) => {
    const { block, warnings } = await change(...given);
    return { block: block as MemoryBlock, warnings };
  };

  return {
    limits,
    async list({ scope, signal } = {}) {
      const scopes: MemoryScope[] = scope === undefined ? ["user", "project"] : [checkedMemoryScope(scope)];
      const read = await Promise.all(
        scopes.map(async (each) => {
          const { value, warnings } = await files[each].read(signal);
          return { blocks: blocksOf(each, value), warnings };
        }),
      );
      return { blocks: read.flatMap((each) => each.blocks), warnings: read.flatMap((each) => each.warnings) };
    },
    set: (scope, key, text, { signal } = {}) => changed(scope, key, { kind: "set", text }, signal),
    append: (scope, key, text, { signal } = {}) => changed(scope, key, { kind: "append", text }, signal),
    replace: (scope, key, passage, { signal } = {}) =>
      changed(scope, key, { kind: "replace", ...passage }, signal),
    async delete(scope, key, { signal } = {}) {
      const { warnings } = await change(scope, key, { kind: "delete" }, signal);
      return { warnings };
    },
  };
};
