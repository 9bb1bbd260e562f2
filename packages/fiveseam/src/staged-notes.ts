import { currentCall, withNote, type Layer } from "@fiveseam/tool-pipeline";

const MAX_NAMED = 5;

const noteOf = (files: readonly string[]): string => {
  const named = files.slice(0, MAX_NAMED).join(", ");
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
  return `[Staged, and not on the disk until the user accepts it: ${named}${more}. You read it as changed; commands do not.]`;
};

/** Says in the result of a call which files it has only staged: deepagents' tools say that they have written them. */
export const stagedNotes = (): { onStaged(file: string): void; layer: Layer } => {
  const staged = new Map<string, Set<string>>();
  const keyOf = (call: { threadId: string | undefined; namespace: string; id: string }): string =>
    JSON.stringify([call.threadId, call.namespace, call.id]);
  return {
    onStaged(file) {
      const call = currentCall();
      if (call) staged.get(keyOf(call))?.add(file);
    },
    layer: {
      name: "staged-notes",
      async handle(call, next) {
        const key = keyOf(call);
        const files = new Set<string>();
        staged.set(key, files);
        try {
          const result = await next(call);
          return files.size === 0 ? result : withNote(result, call.id, noteOf([...files]));
        } finally {
          staged.delete(key);
        }
      },
    },
  };
};
