import {
  createFakeBrowser,
  createFakeCodeKnowledge,
  createFakeDebug,
  createFakePreview,
  createFakeVectorIndex,
} from "@fiveseam/host";
import { describe, expect, it } from "vitest";
import { calledWith, NO_SECRETS, toolsOver } from "./support.js";

describe("the five debug tools", () => {
  const frames = [{ id: 7, name: "parse", path: "src/a.ts", line: 3, column: 5 }];
  const stops = [
    {
      reason: "breakpoint",
      frames,
      variables: { 7: [{ name: "text", value: '"x"', type: "string", reference: 0 }] },
      evaluations: { "text.length": "1" },
    },
  ];

  it("answer with an error result, each of them, when no session is active", async () => {
    const { tools } = toolsOver({ debug: createFakeDebug(stops) });
    const use = calledWith(tools, {});
    const calls = {
      debug_get_state: {},
      debug_get_stack_trace: {},
      debug_get_variables: {},
      debug_evaluate: { expression: "1" },
      debug_control: { step: "next" },
    };
    for (const [name, args] of Object.entries(calls)) {
      expect((await use(name, args)).status, name).toBe("error");
    }
  });

  it("show where the program stands and what it holds, and step to its end", async () => {
    const debug = createFakeDebug(stops);
    await debug.start({ name: "tests" });
    const { use } = toolsOver({ debug });
    expect((await use("debug_get_state")).text).toContain("stopped, breakpoint");
    expect((await use("debug_get_stack_trace")).text).toBe("frame 7: parse /workspace/src/a.ts:3:5");
    expect((await use("debug_get_variables")).text).toBe('text: string = "x"');
    expect((await use("debug_evaluate", { expression: "text.length" })).text).toBe("text.length = 1");
    expect((await use("debug_control", { step: "continue" })).text).toBe("The program has ended.");
  });
});

describe("the three browser tools", () => {
  const browser = () =>
    createFakeBrowser({
      pages: { "http://localhost/": { title: "Home", elements: ["button Send"] } },
      evaluate: () => 42,
    });

  it("take exactly one of code and actions, by a schema without a union, and say which argument a step lacks", async () => {
    const { use, tools } = toolsOver({ browser: browser() });
    await expect(use("browser_run", {})).rejects.toThrow("exactly one of `actions` and `code`");
    await expect(use("browser_run", { code: "1", actions: [{ kind: "click", id: "e1" }] })).rejects.toThrow(
      "exactly one of `actions` and `code`",
    );
    await expect(use("browser_run", { actions: [{ kind: "fill", id: "e1" }] })).rejects.toThrow(
      "needs `text`",
    );
    expect((await use("browser_run", { code: "6 * 7" })).text).toContain("returned 42");
    const run = tools.find(({ name }) => name === "browser_run");
    expect(run?.description).toContain("exactly one of `actions`");
  });

  it("know the ids of the latest snapshot only", async () => {
    const { use } = toolsOver({ browser: browser() });
    const id = /\[(\w+)\]|(e\d+)/
      .exec((await use("browser_snapshot")).text)
      ?.slice(1)
      .find(Boolean);
    await use("browser_run", { actions: [{ kind: "click", id }] });
    await use("browser_snapshot");
    await expect(use("browser_run", { actions: [{ kind: "click", id }] })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("show a picture as a picture", async () => {
    const { use } = toolsOver({ browser: browser() });
    const { content } = await use("browser_screenshot");
    expect(content).toMatchObject([
      { type: "text" },
      { type: "image", mimeType: expect.stringMatching(/^image\//) },
    ]);
  });
});

describe("open_web_preview", () => {
  it("shows a page, and refuses what is no web address", async () => {
    const { use } = toolsOver({ preview: createFakePreview() });
    expect((await use("open_web_preview", { url: "http://localhost:3000/" })).text).toBe(
      "Shown as preview-1.",
    );
    await expect(use("open_web_preview", { url: "file:///etc/passwd" })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });
});

describe("search_vector_db", () => {
  it("shows code by meaning, and nothing that the caller may not read", async () => {
    const vectorIndex = createFakeVectorIndex([
      { path: "src/a.ts", startLine: 1, endLine: 2, text: "parse numbers" },
      { path: "secret/b.ts", startLine: 1, endLine: 2, text: "parse keys" },
    ]);
    const { use, tools } = toolsOver({ vectorIndex });
    expect((await use("search_vector_db", { query: "parse" })).text).toContain(
      "@@ /workspace/secret/b.ts lines 1-2 @@",
    );
    const limited = calledWith(tools, { rights: NO_SECRETS });
    expect((await limited("search_vector_db", { query: "parse" })).text).toBe(
      "@@ /workspace/src/a.ts lines 1-2 @@\nparse numbers",
    );
  });
});

describe("get_architecture_knowledge", () => {
  const items = (kind: string, detail = "x") =>
    Array.from({ length: 40 }, (_, n) => ({
      name: `${kind}${n}`,
      detail,
      path: `src/${kind}${n}.ts`,
      line: n + 1,
    }));
  const knowledge = (detail?: string) =>
    createFakeCodeKnowledge({
      sections: {
        overview: { summary: "A compiler." },
        patterns: { items: items("pattern", detail) },
        "call-graph": { items: items("hub", detail) },
        middleware: { items: items("middleware", detail) },
        endpoints: { items: items("endpoint", detail) },
        models: { items: items("model", detail) },
      },
    });
  const countOf = (text: string, kind: string) =>
    text.split("\n").filter((line) => line.startsWith(`- ${kind}`)).length;

  it("answers each section and all of them, with at most 5 patterns, 8 hubs, 15 endpoints and 10 models", async () => {
    const { use } = toolsOver({ codeKnowledge: knowledge() });
    const { text } = await use("get_architecture_knowledge", { section: "all" });
    expect(["pattern", "hub", "endpoint", "model"].map((kind) => countOf(text, kind))).toEqual([
      5, 8, 15, 10,
    ]);
    for (const section of ["overview", "patterns", "call-graph", "middleware", "endpoints", "models"]) {
      expect((await use("get_architecture_knowledge", { section })).text).toMatch(`## ${section} (analysed `);
    }
    expect((await use("get_architecture_knowledge")).text).toContain("A compiler.");
  });

  it("never says more than 12 KB", async () => {
    const { use } = toolsOver({ codeKnowledge: knowledge("é".repeat(2_000)) });
    const { text } = await use("get_architecture_knowledge", { section: "all" });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12_000);
    expect(text).toMatch(/\[cut: ask for one section\]$/);
  });
});
