import type {
  CodeKnowledgePort,
  GraphRelation,
  KnowledgeAnswer,
  KnowledgeItem,
  KnowledgeSection,
} from "../code-knowledge-port.js";
import { HostError } from "../errors.js";
import type { VectorHit, VectorIndexPort } from "../vector-index-port.js";

/** An analysis made up by hand. A section or a name that it lacks is refused as the port says. */
export const createFakeCodeKnowledge = (known: {
  readonly sections?: Readonly<
    Partial<
      Record<KnowledgeSection, { readonly summary?: string; readonly items?: readonly KnowledgeItem[] }>
    >
  >;
  readonly graph?: Readonly<
    Record<string, Readonly<Partial<Record<GraphRelation, readonly KnowledgeItem[]>>>>
  >;
  readonly analysedAt?: number;
}): CodeKnowledgePort => ({
  async section(section, { signal, maxItems = 100 } = {}): Promise<KnowledgeAnswer> {
    signal?.throwIfAborted();
    const found = known.sections?.[section];
    if (!found) throw new HostError("unavailable", `no analysis of ${section} has been made`);
    const items = found.items ?? [];
    return {
      section,
      summary: found.summary ?? "",
      items: items.slice(0, maxItems),
      truncated: items.length > maxItems,
      analysedAt: known.analysedAt ?? 0,
    };
  },
  async related(name, relation, { signal, maxItems = 100 } = {}) {
    signal?.throwIfAborted();
    const node = known.graph && Object.hasOwn(known.graph, name) ? known.graph[name] : undefined;
    if (!node) throw new HostError("not_found", `the graph has no "${name}"`);
    const items = node[relation] ?? [];
    return { items: items.slice(0, maxItems), truncated: items.length > maxItems };
  },
});

/** Ranks chunks by the words that they share with the query: no meaning, but an order that a test can foresee. */
export const createFakeVectorIndex = (chunks: readonly Omit<VectorHit, "score">[]): VectorIndexPort => ({
  async status({ signal } = {}) {
    signal?.throwIfAborted();
    const files = new Set(chunks.map((chunk) => chunk.path)).size;
    return { state: chunks.length > 0 ? "ready" : "empty", files, chunks: chunks.length };
  },
  async search(query, { signal, maxResults = 10, under } = {}) {
    signal?.throwIfAborted();
    if (chunks.length === 0) throw new HostError("unavailable", "the index is empty");
    const asked = words(query);
    const folder =
      under === undefined || under === "." || under === "" ? "" : `${under.replace(/\/+$/, "")}/`;
    const ranked = chunks
      .filter((chunk) => chunk.path.startsWith(folder))
      .map((chunk) => {
        const own = words(chunk.text);
        return {
          ...chunk,
          score: [...asked].filter((word) => own.has(word)).length / Math.max(1, asked.size),
        };
      })
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1) || a.startLine - b.startLine);
    return { hits: ranked.slice(0, maxResults), truncated: ranked.length > maxResults };
  },
});

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
