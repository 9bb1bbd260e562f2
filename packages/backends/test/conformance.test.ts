import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { FilesystemBackend, StateBackend, StoreBackend } from "deepagents";
import { describe, expect, it } from "vitest";
import { backendConformance, type BackendConformanceOptions } from "@fiveseam/backends/conformance";
import { FreshnessLedger, withFreshness, withRights, withStaging, WorkspaceBackend } from "../src/index.js";
import { inGraph } from "./state-graph.js";
import { rootWith } from "./support.js";

/** What deepagents' backends without a disk do with their keys and bytes, seen with 1.14.1. */
const NO_PATHS = {
  "pages are the lines that were asked for": "an offset behind the end is an empty page",
  "a path that names nothing here is an error, and makes nothing": "every text is a key",
  "bytes that are no text come back as they were": "they are decoded as UTF-8",
};

/** @param known cases that the backend is known to fail, and how. They must fail: else the list is wrong. */
const suite = (
  name: string,
  options: BackendConformanceOptions,
  known: Readonly<Record<string, string>> = {},
): void => {
  describe(`${name}`, () => {
    const cases = backendConformance(options).map((each) => ({
      ...each,
      why: known[each.name.replace("backend: ", "")],
    }));
    it.each(cases.filter(({ why }) => why === undefined))("$name", ({ run }) => run());
    it.each(cases.filter(({ why }) => why !== undefined))("$name (known to fail: $why)", ({ run }) =>
      expect(run()).rejects.toThrow(/./),
    );
    it("is known to fail only cases that there are", () => {
      expect(cases.filter(({ why }) => why !== undefined)).toHaveLength(Object.keys(known).length);
    });
  });
};

suite("a workspace whose changes are staged", {
  async create() {
    const root = await rootWith();
    const directory = await rootWith();
    return { backend: withStaging(new WorkspaceBackend({ root, fsync: false }), { directory }) };
  },
  // What it is given does not reach the disk.
  lacks: ["disk"],
});

suite("WorkspaceBackend", {
  async create() {
    const root = await rootWith();
    return { backend: new WorkspaceBackend({ root, fsync: false }), root };
  },
});

suite("WorkspaceBackend by paths", {
  async create() {
    const root = await rootWith();
    return { backend: new WorkspaceBackend({ root, fsync: false, confinement: "paths" }), root };
  },
});

suite("WorkspaceBackend under rights and a ledger", {
  async create() {
    const root = await rootWith();
    const files = withFreshness(new WorkspaceBackend({ root, fsync: false }), {
      ledger: new FreshnessLedger(),
    });
    return { backend: withRights(files, { covers: () => true }), root };
  },
});

suite(
  "deepagents' StateBackend in a graph",
  {
    create: () => ({ backend: new StateBackend(), inContext: inGraph }),
    lacks: ["disk"],
  },
  NO_PATHS,
);

suite(
  "deepagents' StoreBackend",
  {
    create: () => ({ backend: new StoreBackend({ store: new InMemoryStore(), namespace: ["files"] }) }),
    lacks: ["disk"],
  },
  NO_PATHS,
);

suite(
  "deepagents' FilesystemBackend",
  {
    async create() {
      const root = await rootWith();
      return { backend: new FilesystemBackend({ rootDir: root, virtualMode: true }), root };
    },
  },
  {
    "a file that is not there is an error, and not an exception": "readRaw throws ENOENT",
    "of two edits of one file at the same time none is lost": "the second overwrites the first",
    "whatever ls, glob and grep name can be read under that name":
      "a name that begins with two dots is refused",
    "an edit keeps the line endings, the byte-order mark and the mode": "a span over CRLF is not found",
    "a binary file is not edited as text": "it is, and corrupted",
  },
);
