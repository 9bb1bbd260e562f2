import { ToolMessage } from "@langchain/core/messages";
import type { Layer, PipelineCall } from "./call.js";
import { isGraphSignal } from "./control-flow.js";
import { isRepeatable } from "./effects.js";
import { putNote, readNotes } from "./task-anchor.js";

const BEGUN = "begun";
const SUSPENDED = "suspended";

/** What the model is told of a call that was under way when the run stopped. */
export const UNKNOWN_OUTCOME =
  "The outcome of this call is unknown: the run stopped while it was under way, so it may have taken effect fully, " +
  "in part or not at all. It was not repeated. Look at what it would have changed before you call it again.";

const unknownOutcome = (call: PipelineCall): ToolMessage =>
  new ToolMessage({
    status: "error",
    name: call.toolName,
    tool_call_id: call.id,
    content: UNKNOWN_OUTCOME,
    // Read by whoever shows the call: its status is neither success nor failure.
    artifact: { outcome: "unknown" },
  });

const count = (notes: readonly string[], kind: string): number =>
  notes.filter((note) => note.startsWith(`${kind}:`)).length;

/**
 * The layer that keeps a crash from running a side effect twice. Before a tool that is not repeatable runs, a note is
 * stored beside its task in the checkpoint; when the super-step is run again after a crash or an abort and the note is
 * there without a result, the call is reported to the model as unknown instead of being repeated. A tool that
 * interrupts itself is noted as suspended and may run again when the interrupt is answered, as LangGraph does.
 *
 * Without a checkpointer there is nothing to resume, and the layer does nothing. Run the graph with durability "sync":
 * with "async", LangGraph's default, a tool may run before the checkpoint that its note belongs to is stored.
 */
export const unfinishedCalls = (): Layer => ({
  name: "unfinished-calls",
  async handle(call, next) {
    const { anchor } = call;
    if (!anchor || !call.toolExists || isRepeatable(call.declaration)) return next(call);
    const notes = anchor.resumed ? await readNotes(anchor) : [];
    const attempt = count(notes, SUSPENDED);
    if (count(notes, BEGUN) > attempt) return unknownOutcome(call);
    await putNote(anchor, `${BEGUN}:${attempt}`);
    try {
      return await next(call);
    } catch (error) {
      if (isGraphSignal(error)) await putNote(anchor, `${SUSPENDED}:${attempt}`);
      throw error;
    }
  },
});
