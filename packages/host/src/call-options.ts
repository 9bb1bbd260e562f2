/** What every call of a port takes. */
export interface CallOptions {
  /** Stops the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}
