import type { PrefixSource } from "../prefix/source.js";

/** A note that outlives the session, as a MemoryStore of `@fiveseam/host` has it. */
export interface MemoryNote {
  readonly scope: string;
  readonly key: string;
  readonly text: string;
}

export interface MemoryBlocksOptions {
  readonly store: {
    list(options?: { signal?: AbortSignal }): Promise<{ readonly blocks: readonly MemoryNote[] }>;
  };
  /** Default 2,000. */
  readonly maxTokens?: number;
  /** How the model gets at a block that was cut; default a mention of `manage_core_memory`. */
  readonly reachedBy?: string;
}

/**
 * What the agent remembers of earlier sessions, the user's notes before the project's.
 *
 * @example
 * ```ts
 * import { memoryBlocks } from "@fiveseam/context";
 *
 * const source = memoryBlocks({
 *   store: { list: async () => ({ blocks: [{ scope: "user", key: "style", text: "Short answers." }] }) },
 * });
 * ```
 */
export const memoryBlocks = ({
  store,
  maxTokens = 2_000,
  reachedBy = "manage_core_memory lists it",
}: MemoryBlocksOptions): PrefixSource => ({
  title: "Memories",
  intro: "Notes from earlier sessions. They may be out of date: what you see now counts.",
  maxTokens,
  whole: ({ id }) => `${id}: ${reachedBy}`,
  async load({ signal }) {
    const { blocks } = await store.list(signal ? { signal } : {});
    return blocks.map(({ scope, key, text }) => ({
      id: `${scope}/${key}`,
      text: `## ${scope}/${key}\n${text.replaceAll("\r\n", "\n").trim()}`,
    }));
  },
});
