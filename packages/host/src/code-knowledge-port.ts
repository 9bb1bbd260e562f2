import type { CallOptions } from "./call-options.js";

export type KnowledgeSection = "overview" | "patterns" | "call-graph" | "middleware" | "endpoints" | "models";

/** One thing that the analysis found: a pattern, a hub of the call graph, an endpoint, a model. */
export interface KnowledgeItem {
  readonly name: string;
  readonly detail: string;
  readonly path?: string;
  /** Counts from 1. */
  readonly line?: number;
}

export interface KnowledgeAnswer {
  readonly section: KnowledgeSection;
  /** A few sentences; may be empty. */
  readonly summary: string;
  /** The most important first. */
  readonly items: readonly KnowledgeItem[];
  readonly truncated: boolean;
  /** Milliseconds since 1970: when the analysis was made. */
  readonly analysedAt: number;
}

export type GraphRelation = "callers" | "callees" | "imports" | "imported_by";

export interface GraphAnswer {
  readonly items: readonly KnowledgeItem[];
  readonly truncated: boolean;
}

/** What a static analysis made beforehand knows about the code base. Without one a call is refused with "unavailable". */
export interface CodeKnowledgePort {
  section(
    section: KnowledgeSection,
    options?: CallOptions & { readonly maxItems?: number },
  ): Promise<KnowledgeAnswer>;
  /** Neighbours of a symbol or a file in the graph. An unknown name is refused with "not_found". */
  related(
    name: string,
    relation: GraphRelation,
    options?: CallOptions & { readonly maxItems?: number },
  ): Promise<GraphAnswer>;
}
