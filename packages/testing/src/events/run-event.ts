/**
 * What is read of a run event: the events of `fiveseam` fit, and so does anything with the same names. Structural, so that
 * nothing is imported for it.
 */
export interface RunEventLike {
  readonly type: string;
  /** "main", or the role of a delegate. */
  readonly agent?: string;
  readonly delegation?: string | null;
  readonly runId?: string;
  readonly threadId?: string;
  readonly interruptId?: string;
  readonly messageId?: string;
  readonly callId?: string;
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly status?: string;
  readonly output?: string;
  readonly restored?: boolean;
  readonly text?: string;
  readonly reason?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  readonly actions?: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
  readonly value?: unknown;
  readonly todos?: readonly { readonly content: string; readonly status: string }[];
  readonly role?: string;
  readonly brief?: string;
  readonly report?: string;
  readonly code?: string;
  readonly message?: string;
  readonly from?: string;
  readonly to?: string;
  readonly resumed?: boolean;
  readonly usage?: unknown;
}

/** Events that were collected, or are still coming. */
export type RunEvents<Event extends RunEventLike = RunEventLike> = Iterable<Event> | AsyncIterable<Event>;
