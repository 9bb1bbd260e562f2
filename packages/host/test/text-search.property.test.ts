import { existsSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJsSearch, createRipgrepSearch, HostError, type TextSearchPort } from "../src/index.js";
import { query, tree, withTree } from "./support/search-trees.js";

const RUNS = Number(process.env["SEARCH_FUZZ"] ?? 100);
/** Every ripgrep at hand: releases differ, the answers must not. */
const PROGRAMS = [
  rgPath,
  ...(process.env["SEARCH_FUZZ"] && existsSync("/usr/bin/rg") ? ["/usr/bin/rg"] : []),
];

/** What is the same for every engine: the answer without its name, or the refusal. */
const answer = async <T extends { engine: string }>(call: () => Promise<T>): Promise<unknown> => {
  try {
    const { engine: _, ...rest } = await call();
    return rest;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { code: error.code, message: error.message };
  }
};

let searches = 0;
let found = 0;

describe("on generated trees and queries", () => {
  it(
    `ripgrep and JavaScript give one answer (${RUNS} trees)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(tree, fc.array(query, { minLength: 1, maxLength: 3 }), (given, queries) =>
          withTree(given, async (root) => {
            const js = createJsSearch({ root });
            const engines: TextSearchPort[] = PROGRAMS.map((program) =>
              createRipgrepSearch({ root, rgPath: program }),
            );
            for (const each of queries) {
              const expected = await answer(() => js.search(each));
              searches += 1;
              if ((expected as { matchCount?: number }).matchCount) found += 1;
              const { maxMatches, ...scope } = each;
              const list = { ...scope, ...(maxMatches === undefined ? {} : { maxFiles: maxMatches }) };
              const listed = await answer(() => js.files(list));
              for (const engine of engines) {
                expect(await answer(() => engine.search(each))).toEqual(expected);
                expect(await answer(() => engine.files(list))).toEqual(listed);
              }
            }
          }),
        ),
        {
          numRuns: RUNS,
          ...(process.env["SEARCH_SEED"] ? { seed: Number(process.env["SEARCH_SEED"]) } : {}),
        },
      );
      // A property of empty answers would say nothing.
      expect(found / searches).toBeGreaterThan(0.15);
    },
    RUNS * 1_000 + 60_000,
  );
});
