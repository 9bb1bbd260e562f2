/** Something that context could not do; the model call went on without it. */
export interface ContextWarning {
  readonly code:
    | "source_unreadable"
    | "skill_skipped"
    | "note_failed"
    | "history_not_kept"
    | "summary_failed"
    | "compaction_failed"
    | "context_nearly_full"
    | "context_still_full";
  readonly message: string;
  readonly cause?: unknown;
}

export type OnWarning = (warning: ContextWarning) => void;

/** In words. Total: what is thrown may be anything, objects that throw when they are looked at among it. */
export const reasonOf = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "what was thrown says nothing";
  }
};

/** Calls a listener; one that throws, at once or later, must not stop a model call. */
export const tell = <T>(listener: ((said: T) => unknown) | undefined, said: T): void => {
  try {
    const told = listener?.(said);
    if (told instanceof Promise) told.catch(() => {});
  } catch {}
};

/** Says it to whoever listens. */
export const warnWith =
  (onWarning: OnWarning | undefined) =>
  (code: ContextWarning["code"], message: string, cause?: unknown): void =>
    tell(onWarning, { code, message, ...(cause === undefined ? {} : { cause }) });

const bubblesUp = (error: unknown): boolean => {
  try {
    return typeof error === "object" && error !== null && "is_bubble_up" in error;
  } catch {
    return false;
  }
};

/**
 * Aborts of the run and LangGraph's own signals (interrupts, a parent's commands) are no failures: nobody may swallow them.
 * An AbortError while the run goes on is a failure: somebody's own deadline.
 */
export const isControlFlow = (error: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true || bubblesUp(error);
