import assert from "node:assert/strict";
import type { CodeKnowledgePort, KnowledgeSection } from "../code-knowledge-port.js";
import type { VectorHit, VectorIndexPort } from "../vector-index-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

type Chunk = Omit<VectorHit, "score">;
const CHUNKS: readonly Chunk[] = [
  { path: "src/login.ts", startLine: 1, endLine: 9, text: "check the password of a user and log them in" },
  { path: "src/tax.ts", startLine: 3, endLine: 20, text: "compute the tax of an invoice" },
  { path: "docs/login.md", startLine: 1, endLine: 4, text: "how a user can log in with a password" },
];

/** The promises of `VectorIndexPort`. `create` gives an index that has been built over the chunks. */
export const vectorIndexConformance = ({
  create,
}: {
  create: (chunks: readonly Chunk[]) => Promise<Subject<VectorIndexPort>> | Subject<VectorIndexPort>;
}): ConformanceCase[] => {
  const test = (
    name: string,
    chunks: readonly Chunk[],
    run: (port: VectorIndexPort) => Promise<void>,
  ): ConformanceCase =>
    caseOf(
      `vector index: ${name}`,
      () => create(chunks),
      ({ port }) => run(port),
    );
  return [
    test("an empty index says so and refuses to search", [], async (port) => {
      assert.equal((await port.status()).state, "empty");
      await refuses(port.search("anything"), "unavailable");
    }),
    test("the nearest comes first, with its place", CHUNKS, async (port) => {
      assert.equal((await port.status()).state, "ready");
      const { hits } = await port.search("compute tax invoice");
      const { path, startLine, endLine } = hits[0] ?? assert.fail("nothing found");
      assert.deepEqual({ path, startLine, endLine }, { path: "src/tax.ts", startLine: 3, endLine: 20 });
      const scores = hits.map((hit) => hit.score);
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      );
    }),
    test("a search can be kept to a directory and is capped", CHUNKS, async (port) => {
      const { hits } = await port.search("user password", { under: "docs" });
      assert.deepEqual(
        hits.map((hit) => hit.path),
        ["docs/login.md"],
      );
      const one = await port.search("user password", { maxResults: 1 });
      assert.deepEqual([one.hits.length, one.truncated], [1, true]);
    }),
    test("an aborted call rejects with the reason", CHUNKS, (port) =>
      honoursAbort({
        status: (options) => port.status(options),
        search: (options) => port.search("user", options),
      }),
    ),
  ];
};

const SECTIONS: readonly KnowledgeSection[] = [
  "overview",
  "patterns",
  "call-graph",
  "middleware",
  "endpoints",
  "models",
];

/** The promises of `CodeKnowledgePort`. `create` gives a port with an analysis of any code; a section may be missing. */
export const codeKnowledgeConformance = ({
  create,
}: {
  create: () => Promise<Subject<CodeKnowledgePort>> | Subject<CodeKnowledgePort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: CodeKnowledgePort) => Promise<void>): ConformanceCase =>
    caseOf(`code knowledge: ${name}`, create, ({ port }) => run(port));
  return [
    test("each section is an answer within its cap, or refused as unavailable", async (port) => {
      let answered = 0;
      for (const section of SECTIONS) {
        const call = port.section(section, { maxItems: 1 });
        const settled = await Promise.allSettled([call]);
        if (settled[0]?.status !== "fulfilled") {
          await refuses(call, "unavailable");
          continue;
        }
        answered += 1;
        assert.equal(settled[0].value.section, section);
        assert.ok(settled[0].value.items.length <= 1);
      }
      assert.ok(answered > 0, "no section is known at all");
    }),
    test("an unknown name is refused", (port) =>
      refuses(port.related("no such name", "callers"), "not_found")),
    test("an aborted call rejects with the reason", (port) =>
      honoursAbort({
        section: (options) => port.section("overview", options),
        related: (options) => port.related("x", "callers", options),
      })),
  ];
};
