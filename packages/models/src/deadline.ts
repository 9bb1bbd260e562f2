/** A signal of one's own that also follows the caller's, without `AbortSignal.any`, which leaks on Node 20. */
const linked = (caller: AbortSignal | undefined): { controller: AbortController; unlink: () => void } => {
  const controller = new AbortController();
  if (!caller) return { controller, unlink: () => undefined };
  const follow = (): void => controller.abort(caller.reason);
  if (caller.aborted) follow();
  else caller.addEventListener("abort", follow, { once: true });
  return { controller, unlink: () => caller.removeEventListener("abort", follow) };
};

export interface Deadline {
  readonly timeoutMs: number;
  readonly late: () => Error;
}

const within = async <T>(work: Promise<T>, controller: AbortController, deadline: Deadline): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = deadline.late();
      controller.abort(error);
      reject(error);
    }, deadline.timeoutMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
};

/** Runs a request that must answer within the deadline; then its signal is aborted and the deadline's error thrown. */
export const answerWithin = async <T>(
  deadline: Deadline,
  caller: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { controller, unlink } = linked(caller);
  try {
    return await within(request(controller.signal), controller, deadline);
  } finally {
    unlink();
  }
};

/** Streams a request of which the first and every next piece must come within the deadline. Never a limit in total. */
export async function* piecesWithin<T>(
  deadline: Deadline,
  caller: AbortSignal | undefined,
  request: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { controller, unlink } = linked(caller);
  const pieces = request(controller.signal)[Symbol.asyncIterator]();
  let finished = false;
  try {
    for (;;) {
      const step = await within(pieces.next(), controller, deadline);
      if (step.done) {
        finished = true;
        return;
      }
      yield step.value;
    }
  } catch (error) {
    finished = true;
    throw error;
  } finally {
    // The consumer left early: close the client's stream, and with it the connection. Google's SDK reads on until its
    // signal says no.
    if (!finished) {
      controller.abort();
      await pieces.return?.();
    }
    unlink();
  }
}
