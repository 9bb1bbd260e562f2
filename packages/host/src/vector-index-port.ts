import type { CallOptions } from "./call-options.js";

export interface VectorHit {
  /** Relative to the host's root, with `/`. */
  readonly path: string;
  /** Both count from 1, both included. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** Higher is nearer. Comparable within one answer only. */
  readonly score: number;
}

export interface VectorHits {
  /** Best first. */
  readonly hits: readonly VectorHit[];
  readonly truncated: boolean;
}

export interface VectorIndexStatus {
  readonly state: "ready" | "building" | "empty";
  readonly files: number;
  readonly chunks: number;
}

/** Search by meaning over the workspace. How and when the host builds the index is its own affair. */
export interface VectorIndexPort {
  status(options?: CallOptions): Promise<VectorIndexStatus>;
  /** `maxResults` is 10 unless given; `under` is a directory. An empty index is refused with "unavailable". */
  search(
    query: string,
    options?: CallOptions & { readonly maxResults?: number; readonly under?: string },
  ): Promise<VectorHits>;
}
