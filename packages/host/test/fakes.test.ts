import { describe, expect, it } from "vitest";
import {
  createFakeBrowser,
  createFakeCodeKnowledge,
  createFakeDebug,
  createFakeEditor,
  createFakeLanguage,
  createFakeMemoryStore,
  createFakePreview,
  createFakeTaskStore,
  createFakeVectorIndex,
  createFakeWebFetch,
  createFakeWebSearch,
  createLineLogger,
  createManualClock,
  createMemoryLogger,
  createSequentialIds,
  systemClock,
  systemIds,
} from "../src/index.js";
import {
  browserConformance,
  codeKnowledgeConformance,
  debugConformance,
  editorConformance,
  languageConformance,
  memoryStoreConformance,
  previewConformance,
  taskStoreConformance,
  vectorIndexConformance,
  webFetchConformance,
  webSearchConformance,
} from "../src/conformance/index.js";

const base = "https://example.com";
const frame = { id: 7, name: "main", path: "a.ts", line: 3, column: 1 };

describe("the fakes keep the promises of their ports", () => {
  const cases = [
    ...taskStoreConformance({ create: () => ({ port: createFakeTaskStore() }) }),
    ...memoryStoreConformance({ create: () => ({ port: createFakeMemoryStore() }) }),
    ...webFetchConformance({
      create: (site) => ({
        base,
        port: createFakeWebFetch(
          Object.fromEntries(
            Object.entries(site).map(([path, { contentType, body }]) => [
              base + path,
              {
                text: body,
                contentType: contentType.split(";")[0] ?? "",
                kind: contentType.includes("json") ? ("json" as const) : ("text" as const),
              },
            ]),
          ),
        ),
      }),
    }),
    ...webSearchConformance({ create: (answers) => ({ port: createFakeWebSearch(answers) }) }),
    ...languageConformance({
      create: (files) => ({
        port: createFakeLanguage(
          Object.fromEntries(
            Object.entries(files).map(([path, text]) => [
              path,
              {
                text,
                problems: [],
                symbols: [{ name: path === "answer.ts" ? "answer" : "twice", kind: "constant" as const }],
              },
            ]),
          ),
        ),
      }),
    }),
    ...editorConformance({ create: (scene) => ({ port: createFakeEditor(scene) }) }),
    ...debugConformance({
      create: () => ({
        port: createFakeDebug([{ reason: "entry", frames: [frame] }]),
        configuration: { name: "program" },
      }),
    }),
    ...browserConformance({
      create: () => ({
        port: createFakeBrowser({ pages: { [base]: { title: "T", elements: ["button Go"] } } }),
      }),
    }),
    ...previewConformance({ create: () => ({ port: createFakePreview() }) }),
    ...vectorIndexConformance({ create: (chunks) => ({ port: createFakeVectorIndex(chunks) }) }),
    ...codeKnowledgeConformance({
      create: () => ({ port: createFakeCodeKnowledge({ sections: { overview: { summary: "small" } } }) }),
    }),
  ];
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_, each) => each.run());
});

describe("the suites", () => {
  it("fail on a port that breaks its promise", async () => {
    const port = createFakeTaskStore();
    const broken = {
      ...port,
      apply: async (...args: Parameters<typeof port.apply>) => {
        const done = await port.apply(...args);
        return { ...done, tasks: done.tasks.slice(1) };
      },
    };
    const failed: string[] = [];
    for (const each of taskStoreConformance({ create: () => ({ port: broken }) }))
      await each.run().catch((error: Error) => failed.push(`${error.name}: ${each.name}`));
    expect(failed).toContain(
      "AssertionError: task store: added tasks come back in their order with all their fields",
    );
  });

  it("close what they were given, also after a failure", async () => {
    let closed = 0;
    const [first] = memoryStoreConformance({
      create: () => ({
        port: { ...createFakeMemoryStore(), list: () => Promise.reject(new Error("broken")) },
        close: () => void (closed += 1),
      }),
    });
    await expect(first?.run()).rejects.toThrow("broken");
    expect(closed).toBe(1);
  });
});

describe("clock, ids and logger", () => {
  it("a manual clock ends sleeps in their order, those begun meanwhile too, and not too early", async () => {
    const clock = createManualClock(1_000);
    const seen: string[] = [];
    void clock.sleep(20).then(() => seen.push(`b at ${clock.now()}`));
    void clock
      .sleep(10)
      .then(() => seen.push(`a at ${clock.now()}`))
      .then(() => clock.sleep(5))
      .then(() => seen.push(`c at ${clock.now()}`));
    void clock.sleep(31).then(() => seen.push("never"));
    await clock.advance(30);
    expect(seen).toEqual(["a at 1010", "c at 1015", "b at 1020"]);
    expect([clock.now(), clock.monotonicMs()]).toEqual([1_030, 30]);
  });

  it.each([
    ["manual", createManualClock()],
    ["system", systemClock],
  ])("a sleep by the %s clock rejects with the reason of its signal", async (_, clock) => {
    const stop = new AbortController();
    const slept = clock.sleep(60_000, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    await expect(clock.sleep(1, { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("ids are new each time, and countable in a test", () => {
    const ids = createSequentialIds();
    expect([ids.next("a-"), ids.next()]).toEqual(["a-1", "2"]);
    expect(systemIds.next("t_")).toMatch(/^t_[\w-]{36}$/);
    expect(systemIds.next()).not.toBe(systemIds.next());
  });

  it("a line logger leaves out lesser levels and survives what cannot be written", () => {
    const lines: string[] = [];
    const logger = createLineLogger({ write: (line) => void lines.push(line), now: () => 0 });
    logger.log("debug", "unheard");
    logger.log("warn", "heard", { count: 1 });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => logger.log("error", "odd", circle)).not.toThrow();
    expect(lines).toEqual(['{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"heard","count":1}']);
  });

  it("a memory logger remembers", () => {
    const logger = createMemoryLogger();
    logger.log("info", "x");
    expect(logger.entries).toEqual([{ level: "info", message: "x", fields: {} }]);
  });
});
