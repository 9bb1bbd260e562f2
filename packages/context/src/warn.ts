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

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says it to whoever listens; a listener that throws must not stop a model call. */
export const warnWith =
  (onWarning: OnWarning | undefined) =>
  (code: ContextWarning["code"], message: string, cause?: unknown): void => {
    try {
      const said: unknown = onWarning?.({ code, message, ...(cause === undefined ? {} : { cause }) });
      if (said instanceof Promise) said.catch(() => {});
    } catch {}
  };

/** Aborts and LangGraph's own signals (interrupts, a parent's commands) are no failures: nobody may swallow them. */
export const isControlFlow = (error: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true ||
  (typeof error === "object" &&
    error !== null &&
    ("is_bubble_up" in error || (error as { name?: unknown }).name === "AbortError"));
