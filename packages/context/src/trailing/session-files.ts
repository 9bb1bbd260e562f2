import { filesUsed, type FilesOfCall } from "../compaction/carry.js";
import { isHuman } from "../compaction/messages.js";
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

/** The latest files of a conversation that are looked at. */
const MAX_LOOKED_AT = 100;
const MAX_CONVERSATIONS = 500;

const keyOf = ({ threadId, namespace }: TurnNoteCall): string => `${threadId ?? ""}\n${namespace}`;

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
  /** By conversation, what was not as the agent knew it at the last call, and of which turn that was. */
  const known = new Map<string, { turn: string | undefined; files: readonly string[] }>();

  /** All files once a turn, and at its further calls those alone that were not fresh: looking is not for nothing. */
  const toLookAt = (
    call: TurnNoteCall,
    read: readonly string[],
    changed: readonly string[],
  ): readonly string[] => {
    const turn = call.messages.findLast(isHuman)?.id;
    const before = known.get(keyOf(call));
    return before && turn !== undefined && before.turn === turn
      ? before.files
      : [...read, ...changed].slice(-MAX_LOOKED_AT);
  };

  return {
    name: "files of this conversation",
    async write(call) {
      const { read, changed } = filesUsed(call.messages, filesOfCall);
      if (read.length === 0 && changed.length === 0) return undefined;
      const stale: { file: string; state: "changed" | "deleted" }[] = [];
      if (freshness) {
        for (const file of toLookAt(call, read, changed)) {
          const state = await freshness(file, call);
          if (state === "changed" || state === "deleted") stale.push({ file, state });
        }
        known.delete(keyOf(call));
        known.set(keyOf(call), {
          turn: call.messages.findLast(isHuman)?.id,
          files: stale.map(({ file }) => file),
        });
        if (known.size > MAX_CONVERSATIONS) known.delete(known.keys().next().value as string);
      }
      const named = stale.slice(0, maxFiles).map(({ file, state }) => `${file}: ${WORDS[state]}`);
      return [
        ...(changed.length > 0 ? [`You changed: ${changed.slice(-maxFiles).join(", ")}`] : []),
        ...(named.length > 0 ? [`Not as you know it: ${named.join("; ")}`] : []),
      ].join("\n");
    },
  };
};
