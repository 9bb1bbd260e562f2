import { AIMessage } from "@langchain/core/messages";
import { carriedFrom, type FilesOfCall } from "../compaction/carry.js";
import type { TurnNote, TurnNoteCall } from "./turn-context.js";

/** How a file that the agent has read stands now. */
export type FileFreshness = "fresh" | "changed" | "deleted" | "unknown";

export interface SessionFilesOptions {
  readonly filesOfCall?: FilesOfCall;
  /**
   * Says whether a file is still as this agent saw it last. Files that are, are not named; default: nothing is known, and
   * only the files that the agent changed are named.
   */
  readonly freshness?: (file: string, call: TurnNoteCall) => FileFreshness | Promise<FileFreshness>;
  /** Most files named of a kind; default 20. */
  readonly maxFiles?: number;
}

const WORDS = { changed: "changed since you read it", deleted: "deleted since you read it" } as const;

/**
 * A note of what the agent has changed in this conversation, and of what it has read that is different by now.
 *
 * @example
 * ```ts
 * import { sessionFilesNote, turnContextMiddleware } from "@fiveseam/context";
 *
 * const middleware = turnContextMiddleware({ notes: [sessionFilesNote()] });
 * ```
 */
export const sessionFilesNote = (options: SessionFilesOptions = {}): TurnNote => {
  const { filesOfCall, freshness, maxFiles = 20 } = options;
  return {
    name: "files of this conversation",
    async write(call) {
      if (!call.messages.some((message) => AIMessage.isInstance(message) && message.tool_calls?.length))
        return undefined;
      const { filesRead, filesChanged } = carriedFrom(call.messages, filesOfCall);
      const stale: string[] = [];
      if (freshness) {
        for (const file of [...filesRead, ...filesChanged]) {
          if (stale.length >= maxFiles) break;
          const state = await freshness(file, call);
          if (state === "changed" || state === "deleted") stale.push(`${file}: ${WORDS[state]}`);
        }
      }
      const changed = filesChanged.slice(-maxFiles);
      return [
        ...(changed.length > 0 ? [`You changed: ${changed.join(", ")}`] : []),
        ...(stale.length > 0 ? [`Not as you know it: ${stale.join("; ")}`] : []),
      ].join("\n");
    },
  };
};
