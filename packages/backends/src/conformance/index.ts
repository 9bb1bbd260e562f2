import { casesOf, type BackendConformanceOptions, type ConformanceCase } from "./conformance-case.js";
import { contentDrafts } from "./contents.js";
import { diskDrafts } from "./disk.js";
import { removeDrafts } from "./removing.js";
import { searchDrafts } from "./searching.js";

export type {
  BackendConformanceOptions,
  BackendSubject,
  BackendTrait,
  ConformanceCase,
} from "./conformance-case.js";

/**
 * What every backend keeps to, so that the same tool calls do the same on each: cases for the test runner that you have.
 *
 * @example
 * ```ts
 * import { backendConformance } from "@fiveseam/backends/conformance";
 * import { InMemoryStore } from "@langchain/langgraph-checkpoint";
 * import { StoreBackend } from "deepagents";
 *
 * const cases = backendConformance({
 *   create: () => ({ backend: new StoreBackend({ store: new InMemoryStore(), namespace: ["files"] }) }),
 *   lacks: ["disk"],
 * });
 * for (const { name, run } of cases) console.log(name, run); // it(name, run)
 * ```
 */
export const backendConformance = (options: BackendConformanceOptions): ConformanceCase[] =>
  casesOf([...contentDrafts, ...searchDrafts, ...removeDrafts, ...diskDrafts], options);
