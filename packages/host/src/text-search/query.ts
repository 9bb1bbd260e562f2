import { HostError } from "../errors.js";
import type { FileListQuery, TextSearchOptions, TextSearchQuery } from "../text-search-port.js";

export interface SearchCaps {
  beforeContext: number;
  afterContext: number;
  maxMatches: number;
  maxMatchesPerFile: number;
  maxColumns: number;
  maxFileBytes: number;
}

const whole = (name: string, given: number | undefined, byDefault: number, least: number): number => {
  const value = given ?? byDefault;
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return value;
  throw new HostError("invalid_argument", `${name} is ${value}; give a whole number from ${least} up`);
};

export const searchCaps = (query: TextSearchQuery): SearchCaps => ({
  beforeContext: whole("beforeContext", query.beforeContext, 0, 0),
  afterContext: whole("afterContext", query.afterContext, 0, 0),
  maxMatches: whole("maxMatches", query.maxMatches, 1_000, 1),
  maxMatchesPerFile: whole("maxMatchesPerFile", query.maxMatchesPerFile, Infinity, 1),
  maxColumns: whole("maxColumns", query.maxColumns, 500, 1),
  // Larger ones are no strings to Node.
  maxFileBytes: Math.min(whole("maxFileBytes", query.maxFileBytes, 16 * 2 ** 20, 0), 256 * 2 ** 20),
});

export const fileCap = (query: FileListQuery): number => whole("maxFiles", query.maxFiles, 10_000, 1);

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Runs a search under the caller's signal and its time limit. */
export const withinTime = async <T>(
  { signal, timeoutMs = 30_000 }: TextSearchOptions,
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted();
  if (!(timeoutMs >= 0))
    throw new HostError("invalid_argument", `timeoutMs is ${timeoutMs}; give milliseconds`);
  const late = new AbortController();
  const timer =
    timeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(
          () =>
            late.abort(
              new HostError(
                "timeout",
                `the search took longer than ${timeoutMs} ms; narrow it by paths or globs, or simplify the pattern`,
              ),
            ),
          timeoutMs,
        );
  try {
    return await search(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
};
