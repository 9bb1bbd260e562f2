import type { CheckpointTuple } from "@langchain/langgraph";
import type { Layer, Next, PipelineCall, ToolResult } from "../call.js";
import { isGraphSignal, isNotStarted } from "../control-flow.js";
import { isRepeatable } from "../effects.js";
import { unknownCall } from "../outcomes.js";
import { notesIn, putNote, readNotes, type TaskAnchor } from "../task-anchor.js";

const BEGUN = "begun";
const SUSPENDED = "suspended";
const MAX_AGAIN = 10_000;

const count = (notes: readonly string[], kind: string): number =>
  notes.filter((note) => note.startsWith(`${kind}:`)).length;

/**
 * The layer that keeps a crash from running a side effect twice. Before a tool that is not repeatable runs, a note is
 * stored beside its task in the checkpoint; when the super-step is run again after a crash or an abort and the note is
 * there without a result, the call is reported to the model as unknown instead of being repeated. A tool that
 * interrupts itself is noted as suspended and may run again when the interrupt is answered, as LangGraph does; so is one that
 * never started.
 *
 * Without a checkpointer there is nothing to resume, and the layer does nothing. Run the graph with durability "sync":
 * with "async", LangGraph's default, a tool may run before the checkpoint that its note belongs to is stored.
 */
export const unfinishedCalls = (): Layer => {
  /** Calls that are tried again in this process, whose notes are to be read though the step is not resumed. */
  const again = new Set<string>();

  const noted = async (call: PipelineCall, anchor: TaskAnchor, next: Next): Promise<ToolResult> => {
    const key = `${anchor.taskId} ${call.id}`;
    const notes = anchor.resumed || again.delete(key) ? await readNotes(anchor) : [];
    const attempt = count(notes, SUSPENDED);
    if (count(notes, BEGUN) > attempt) return unknownCall(call);
    await putNote(anchor, call.id, `${BEGUN}:${attempt}`);
    try {
      return await next(call);
    } catch (error) {
      const notStarted = isNotStarted(error);
      if (notStarted || isGraphSignal(error)) await putNote(anchor, call.id, `${SUSPENDED}:${attempt}`);
      if (notStarted) {
        // Of calls that were given up on, one string each would stay.
        if (again.size >= MAX_AGAIN) again.clear();
        again.add(key);
      }
      throw error;
    }
  };

  return {
    name: "unfinished-calls",
    handle(call, next) {
      const { anchor } = call;
      return !anchor || !call.toolExists || isRepeatable(call.declaration)
        ? next(call)
        : noted(call, anchor, next);
    },
  };
};

/** The ids of calls that had begun and were not suspended, from the pending writes of a checkpoint. */
export const unfinishedCallIds = (pendingWrites: CheckpointTuple["pendingWrites"]): Set<string> => {
  const notes = notesIn(pendingWrites);
  const ids = new Set(notes.map((each) => each.callId));
  return new Set(
    [...ids].filter((id) => {
      const own = notes.filter((each) => each.callId === id).map((each) => each.note);
      return count(own, BEGUN) > count(own, SUSPENDED);
    }),
  );
};
