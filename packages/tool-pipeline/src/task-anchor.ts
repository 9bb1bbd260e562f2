import { createHash } from "node:crypto";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph";

/**
 * Where a task of a LangGraph run stands in its thread's checkpoints: enough to store a note beside the task's own
 * pending writes, so that the note lives exactly as long as the task does and goes wherever the checkpoints go.
 */
export interface TaskAnchor {
  readonly saver: Pick<BaseCheckpointSaver, "getTuple" | "putWrites">;
  readonly threadId: string;
  /** Namespace of the graph that runs the task ("" for the root graph). */
  readonly graphNamespace: string;
  /** The checkpoint whose next tasks contain this one. */
  readonly checkpointId: string;
  readonly taskId: string;
  /** True when this super-step is being run again after a crash, an abort or an interrupt. */
  readonly resumed: boolean;
}

const isSaver = (value: unknown): value is TaskAnchor["saver"] =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { getTuple?: unknown }).getTuple === "function" &&
  typeof (value as { putWrites?: unknown }).putWrites === "function";

/**
 * Reads the anchor from a task's `configurable`. LangGraph 1.5 puts these keys there for its own use (pregel/algo.js):
 * `__pregel_checkpointer`, `__pregel_task_id`, `checkpoint_map` (namespace to checkpoint id), `checkpoint_ns` (the
 * graph's namespace, then `node:task`) and `__pregel_resuming`. They are not public, so a missing one means no anchor,
 * never an error; a test of the middleware fails when a new release moves them.
 */
export const anchorOf = (
  configurable: Readonly<Record<string, unknown>> | undefined,
): TaskAnchor | undefined => {
  const saver = configurable?.["__pregel_checkpointer"];
  const threadId = configurable?.["thread_id"];
  const namespace = configurable?.["checkpoint_ns"];
  const taskId = configurable?.["__pregel_task_id"];
  if (
    !isSaver(saver) ||
    typeof threadId !== "string" ||
    typeof namespace !== "string" ||
    typeof taskId !== "string"
  ) {
    return undefined;
  }
  const graphNamespace = namespace.split("|").slice(0, -1).join("|");
  const checkpoints = configurable?.["checkpoint_map"] as Readonly<Record<string, unknown>> | undefined;
  const checkpointId = checkpoints?.[graphNamespace];
  if (typeof checkpointId !== "string") return undefined;
  return {
    saver,
    threadId,
    graphNamespace,
    checkpointId,
    taskId,
    resumed: configurable?.["__pregel_resuming"] === true,
  };
};

/** The channel that notes are written to. No graph has it, and LangGraph ignores writes of tasks it does not know. */
const NOTES = "__fiveseam_notes";

const configOf = (anchor: TaskAnchor): { configurable: Record<string, string> } => ({
  configurable: {
    thread_id: anchor.threadId,
    checkpoint_ns: anchor.graphNamespace,
    checkpoint_id: anchor.checkpointId,
  },
});

/** A stable task id for a note, in the form of a UUID because savers on databases may insist on one. */
const noteId = (anchor: TaskAnchor, note: string): string => {
  const hex = createHash("sha1").update(`${anchor.taskId}\n${note}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
};

interface Note {
  readonly taskId: string;
  readonly callId: string;
  readonly note: string;
}

/** Stores a note beside the task. Resolves when the saver has acknowledged it. */
export const putNote = async (anchor: TaskAnchor, callId: string, note: string): Promise<void> => {
  const value: Note = { taskId: anchor.taskId, callId, note };
  await anchor.saver.putWrites(configOf(anchor), [[NOTES, value]], noteId(anchor, note));
};

/** The notes among the pending writes of a checkpoint. */
export const notesIn = (pendingWrites: CheckpointTuple["pendingWrites"]): Note[] =>
  (pendingWrites ?? []).flatMap(([, channel, value]) => (channel === NOTES ? [value as Note] : []));

/** The notes stored beside the task, in no particular order. */
export const readNotes = async (anchor: TaskAnchor): Promise<string[]> => {
  const tuple = await anchor.saver.getTuple(configOf(anchor));
  return notesIn(tuple?.pendingWrites).flatMap(({ taskId, note }) =>
    taskId === anchor.taskId ? [note] : [],
  );
};
