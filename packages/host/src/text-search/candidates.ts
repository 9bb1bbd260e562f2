import type { SearchBase, SearchScope } from "./scope.js";
import type { SearchPattern } from "./pattern.js";

export interface CandidateRequest {
  scope: SearchScope;
  base: SearchBase;
  /** Absent when files are only listed. */
  pattern?: SearchPattern;
  maxFileBytes?: number;
  signal: AbortSignal;
}

/**
 * Proposes the files below a directory, absolute paths: every file of the scope that holds a match must be among them,
 * and more may be. What is in the answer is decided by code that all engines share.
 */
export interface CandidateSource {
  readonly engine: "ripgrep" | "javascript";
  /** Whether the files come in the order of the answer, so that reading may stop before the last. */
  readonly ordered: boolean;
  candidates(request: CandidateRequest): AsyncIterable<string>;
}

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Component by component: what is in the folder `a` comes before the file `a.ts`. */
export const byPath = (a: string, b: string): number => byCodeUnit(orderKey(a), orderKey(b));

/** No name holds NUL, and none sorts before it. */
const orderKey = (path: string): string => path.replaceAll("/", "\0");
