import type { CodeKnowledgePort, KnowledgeAnswer, KnowledgeSection, VectorIndexPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import {
  checkReadsEverything,
  mayRead,
  readsEverything,
  toHostPath,
  toVirtualPath,
} from "./workspace-paths.js";

/** The tool that finds code by what it means. */
export const createSearchVectorDbTool = (index: VectorIndexPort): StructuredTool =>
  defineTool({
    name: "search_vector_db",
    description:
      "Finds code by meaning: describe in a sentence what it does. Use it when you do not know the names; with a name or a text " +
      "ripgrep_search is exact and complete, which this is not.",
    schema: z.object({
      query: z.string().min(1).describe("What the code does, in words."),
      path: z.string().min(1).optional().describe("A directory below /workspace/; default all of it."),
      max_results: z.number().int().min(1).max(50).optional().describe("Default 10."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ query, path, max_results = 10 }, { signal }) {
      const found = await index.search(query, {
        signal,
        maxResults: max_results,
        ...(path === undefined ? {} : { under: toHostPath(path) }),
      });
      const hits = found.hits.filter((hit) => mayRead(toVirtualPath(hit.path)));
      const parts = hits.map(
        ({ path: file, startLine, endLine, text }) =>
          `@@ ${toVirtualPath(file)} lines ${startLine}-${endLine} @@\n${text}`,
      );
      return {
        content: parts.length === 0 ? "Nothing was found." : parts.join("\n\n"),
        artifact: { hits, truncated: found.truncated && readsEverything() },
      };
    },
  });

/** How many items of a section are shown. */
const SECTIONS: Readonly<Record<KnowledgeSection, number>> = {
  overview: 10,
  patterns: 5,
  "call-graph": 8,
  middleware: 10,
  endpoints: 15,
  models: 10,
};
const MAX_BYTES = 12_000;
const NAMES = Object.keys(SECTIONS) as KnowledgeSection[];

const sectionText = ({ section, summary, items, truncated, analysedAt }: KnowledgeAnswer): string => {
  const lines = items.slice(0, SECTIONS[section]).map(({ name, detail, path, line }) => {
    const where =
      path === undefined ? "" : ` (${toVirtualPath(path)}${line === undefined ? "" : `:${line}`})`;
    return `- ${name}${where}: ${detail}`;
  });
  const left = truncated || items.length > lines.length ? ["- [there is more]"] : [];
  const when = new Date(analysedAt).toISOString().slice(0, 16);
  return [`## ${section} (analysed ${when})`, ...(summary === "" ? [] : [summary]), ...lines, ...left].join(
    "\n",
  );
};

/** At most so many bytes of UTF-8, cut between lines. */
const capped = (text: string): string => {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  const note = "\n[cut: ask for one section]";
  const kept: string[] = [];
  let bytes = Buffer.byteLength(note);
  for (const line of text.split("\n")) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES) break;
    kept.push(line);
  }
  return kept.join("\n") + note;
};

/** The tool that answers from a static analysis made beforehand. */
export const createArchitectureKnowledgeTool = (knowledge: CodeKnowledgePort): StructuredTool =>
  defineTool({
    name: "get_architecture_knowledge",
    description:
      "Answers from an analysis of the whole code base that was made beforehand: overview, patterns, call-graph (the hubs), " +
      "middleware, endpoints, models, or all of it in short. Use it first for a question about structure. It says when it was " +
      "made: check in the code what may have changed since.",
    schema: z.object({
      section: z
        .enum([...NAMES, "all"])
        .optional()
        .describe("Default overview."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ section = "overview" }, { signal }) {
      checkReadsEverything("get_architecture_knowledge");
      const wanted = section === "all" ? NAMES : [section];
      const answers = await Promise.all(
        wanted.map((each) => knowledge.section(each, { signal, maxItems: SECTIONS[each] })),
      );
      return { content: capped(answers.map(sectionText).join("\n\n")), artifact: answers };
    },
  });
