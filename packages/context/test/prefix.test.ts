import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { AIMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  compactionMiddleware,
  contextPrefixMiddleware,
  instructionFiles,
  memoryBlocks,
  storeFiles,
  turnContextMiddleware,
  type ContextWarning,
  type PrefixSource,
} from "../src/index.js";
import { converse, filesOf } from "./support.js";

const prefixOf = (sources: PrefixSource[], onWarning?: (warning: ContextWarning) => void) =>
  contextPrefixMiddleware({ sources, ...(onWarning ? { onWarning } : {}) });

const source = (sections: Record<string, string>, maxTokens = 1_000): PrefixSource => ({
  title: "Rules",
  maxTokens,
  load: async () => Object.entries(sections).map(([id, text]) => ({ id, text })),
});

describe("contextPrefixMiddleware", () => {
  it("keeps the system prompt's bytes when a source changes, and says the change once behind the user's message", async () => {
    const rules: Record<string, string> = { a: "Use tabs.", b: "No $& magic." };
    const { systems, calls, state } = await converse([prefixOf([source(rules)])], ["one", "two", "three"], {
      between: (turn) => {
        if (turn === 0) rules["a"] = "Use spaces.";
        if (turn === 1) delete rules["b"];
      },
    });
    expect(systems[0]).toBe("BASE\n\n# Rules\n\nUse tabs.\n\nNo $& magic.");
    expect(new Set(systems).size).toBe(1);
    const users = calls
      .at(-1)!
      .filter((message) => message.getType() === "human")
      .map((message) => message.text);
    expect(users[0]).toBe("one");
    expect(users[1]).toMatch(/^two\n\n<context-changed>\n# Rules: changed[^]*Use spaces\./);
    expect(users[1]).not.toContain("magic");
    expect(users[2]).toMatch(/^three[^]*no longer there\nb\n/);
    // What was sent at a call is the beginning of what is sent at the next one.
    for (const [at, sent] of calls.slice(0, -1).entries())
      expect(calls[at + 1]!.slice(0, sent.length).map(({ text }) => text)).toEqual(
        sent.map(({ text }) => text),
      );
    expect(state.messages.map(({ text }) => text)).toEqual(["one", "ok", "two", "ok", "three", "ok"]);
  });

  it("is the same after a restart and on a branch, for what was told is in the thread", async () => {
    const rules: Record<string, string> = { a: "Use tabs." };
    const checkpointer = new MemorySaver();
    const first = await converse([prefixOf([source(rules)])], ["one"], { checkpointer });
    rules["a"] = "Use spaces.";
    const second = await converse([prefixOf([source(rules)])], ["two"], { checkpointer });
    expect(second.systems[0]).toBe(first.systems[0]);
    expect(second.calls[0]!.at(-1)!.text).toContain("Use spaces.");
    // Nothing has changed since: nothing is said again.
    const third = await converse([prefixOf([source(rules)])], ["three"], { checkpointer });
    expect(third.calls[0]!.at(-1)!.text).toBe("three");
  });

  it("says nothing of a source that cannot be read, and does not take it for deleted", async () => {
    const warnings: ContextWarning[] = [];
    let broken = false;
    const flaky: PrefixSource = {
      title: "Notes",
      maxTokens: 100,
      load: async () => {
        if (broken) throw new Error("EIO");
        return [{ id: "n", text: "Note." }];
      },
    };
    const { systems, calls } = await converse(
      [prefixOf([flaky, source({ a: "Rule." })], (warning) => warnings.push(warning))],
      ["one", "two", "three"],
      { between: (turn) => void (broken = turn === 0) },
    );
    expect(new Set(systems).size).toBe(1);
    expect(calls[2]!.map(({ text }) => text).join()).not.toContain("no longer there");
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ["source_unreadable", "Notes could not be read: EIO"],
    ]);
    const listener = () => {
      throw new Error("listener");
    };
    broken = true;
    expect(
      (await converse([prefixOf([flaky, source({ a: "Rule." })], listener)], ["one"])).systems[0],
    ).toContain("Rule.");
  });

  it("keeps to each source's budget and names what was cut and what was left out", async () => {
    const { systems } = await converse(
      [prefixOf([source({ a: "x".repeat(500), b: "y" }, 100), source({ z: "Z" })])],
      ["hi"],
    );
    expect(systems[0]).toContain(`${"x".repeat(400)}\n[cut here to fit 100 tokens; a]`);
    expect(systems[0]).toContain("[not shown, for the 100 tokens of this part are used up: b]");
    expect(systems[0]).toContain("\n\nZ");
  });

  it("writes the head anew when the changes have become longer than it may be, instead of dragging them all along", async () => {
    const rules: Record<string, string> = { a: "0" };
    const turns = Array.from({ length: 20 }, (_, turn) => `turn ${turn}`);
    const { systems, calls } = await converse([prefixOf([source(rules, 300)])], turns, {
      between: (turn) => void (rules["a"] = `version ${turn + 1}`),
    });
    expect(new Set(systems).size).toBe(2);
    expect(calls.at(-1)!.filter(({ text }) => text.includes("<context-changed>")).length).toBeLessThan(13);
    expect(
      calls
        .at(-1)!
        .map(({ text }) => text)
        .join("\n"),
    ).toContain("version 19");
  });

  it.each([
    [
      "behind the notes and outside of the compaction",
      (prefix: AgentMiddleware, notes: AgentMiddleware, compaction: AgentMiddleware) => [
        notes,
        prefix,
        compaction,
      ],
    ],
    [
      "inside of the compaction",
      (prefix: AgentMiddleware, notes: AgentMiddleware, compaction: AgentMiddleware) => [
        compaction,
        prefix,
        notes,
      ],
    ],
  ])(
    "tells a change in whatever order the middleware stands, also after a compaction: %s",
    async (_name, order) => {
      const rules: Record<string, string> = { a: "version 1" };
      const compaction = compactionMiddleware({ backend: { write: () => ({}) }, windowTokens: () => 2_000 });
      const notes = turnContextMiddleware({ notes: [{ name: "n", write: () => "now" }] });
      const turns = Array.from({ length: 14 }, (_, turn) => `turn ${turn}`);
      const { calls } = await converse(order(prefixOf([source(rules)]), notes, compaction), turns, {
        answers: Array.from({ length: 60 }, () => new AIMessage("word ".repeat(200))),
        between: (turn) => void (rules["a"] = turn >= 2 ? "version 2" : "version 1"),
      });
      const asked = calls.filter((sent) => sent.some(({ text }) => /^turn \d/.test(text)));
      const knows = asked.map((sent) =>
        sent
          .map(({ text }) => text)
          .join("\n")
          .includes("version 2"),
      );
      expect(knows.slice(0, 3)).toEqual([false, false, false]);
      // One call at most, that in which the compaction takes it out.
      expect(knows.slice(3).filter((each) => !each).length).toBeLessThanOrEqual(1);
      expect(knows.at(-1)).toBe(true);
    },
  );

  it("leaves the state to deepagents' own memory where that is there too, and says so", async () => {
    const warnings: ContextWarning[] = [];
    const theirs = createMiddleware({
      name: "theirs",
      stateSchema: z.object({ memoryContents: z.record(z.string(), z.string()).optional() }),
      beforeAgent: () => ({ memoryContents: { "/AGENTS.md": "text" } }),
    });
    const { systems, state } = await converse(
      [theirs, prefixOf([source({ a: "Rule." })], (warning) => warnings.push(warning))],
      ["one", "two"],
    );
    expect(systems.every((system) => system.includes("Rule."))).toBe(true);
    expect(state["memoryContents"]).toEqual({ "/AGENTS.md": "text" });
    expect(warnings[0]?.message).toContain("memoryContents is in use");
  });

  it("does not lose a structured answer to its own note of what was told", async () => {
    const { createAgent, fakeModel, providerStrategy } = await import("langchain");
    const { z } = await import("zod");
    const model = fakeModel().respond(new AIMessage('{"answer":42}'));
    const agent = createAgent({
      model,
      tools: [],
      responseFormat: providerStrategy(z.object({ answer: z.number() })),
      middleware: [prefixOf([source({ a: "Rule." })])],
    });
    const state = await agent.invoke({ messages: [{ role: "user", content: "?" }] });
    expect(state.structuredResponse).toEqual({ answer: 42 });
  });
});

describe("instructionFiles", () => {
  const load = (files: Record<string, string | Error>, options: object = {}) =>
    instructionFiles({ files: filesOf(files), root: "/workspace/", ...options }).load({});

  it("finds AGENTS.md in both places, CLAUDE.md and the rules, in a fixed order", async () => {
    const sections = await load({
      "/workspace/.fiveseam/rules/b.md": "B",
      "/workspace/.fiveseam/rules/a.md": "A",
      "/workspace/.fiveseam/rules/a.txt": "no",
      "/workspace/.fiveseam/rules.md": "R",
      "/workspace/.fiveseam/AGENTS.md": "own",
      "/workspace/CLAUDE.md": "C",
      "/workspace/AGENTS.md": "\uFEFFroot\r\nline",
    });
    expect(sections.map(({ text }) => text)).toEqual([
      "## /workspace/AGENTS.md\nroot\nline",
      "## /workspace/.fiveseam/AGENTS.md\nown",
      "## /workspace/CLAUDE.md\nC",
      "## /workspace/.fiveseam/rules.md\nR",
      "## /workspace/.fiveseam/rules/a.md\nA",
      "## /workspace/.fiveseam/rules/b.md\nB",
    ]);
  });

  it("says once what CLAUDE.md repeats or imports of AGENTS.md, and takes in what it imports besides", async () => {
    const agents = { "/workspace/AGENTS.md": "root" };
    expect(await load({ ...agents, "/workspace/CLAUDE.md": "root" })).toHaveLength(1);
    expect(await load({ ...agents, "/workspace/CLAUDE.md": "@AGENTS.md\n" })).toHaveLength(1);
    const [, claude] = await load({
      ...agents,
      "/workspace/CLAUDE.md":
        "@AGENTS.md\nBefore\n@docs/style.md\n```\n@docs/style.md\n```\n@../secret\n@gone.md\nme@example.org",
      "/workspace/docs/style.md": "Style\n@more.md",
      "/workspace/docs/more.md": "More\n@style.md",
    });
    expect(claude?.text).toBe(
      "## /workspace/CLAUDE.md\nBefore\nStyle\nMore\n@style.md\n```\n@docs/style.md\n```\n@../secret\n@gone.md\nme@example.org",
    );
  });

  it("takes the same from a store, where a change needs no redeploy", async () => {
    const store = new InMemoryStore();
    const files = storeFiles(store, ["team", "rules"]);
    await store.put(["team", "rules"], "/AGENTS.md", { content: ["Use tabs.", "Always."] });
    await store.put(["team", "rules"], "/.fiveseam/rules/x.md", { content: "X" });
    const { calls } = await converse([prefixOf([instructionFiles({ files, root: "/" })])], ["one", "two"], {
      between: () => store.put(["team", "rules"], "/AGENTS.md", { content: "Use spaces." }),
    });
    expect(calls[0]![0]!.text).toContain("## /AGENTS.md\nUse tabs.\nAlways.\n\n## /.fiveseam/rules/x.md\nX");
    expect(calls[1]!.at(-1)!.text).toContain("Use spaces.");
  });
});

describe("memoryBlocks", () => {
  it("shows what was remembered with its scope, and how to reach what was cut", async () => {
    const store = {
      list: async () => ({
        blocks: [
          { scope: "user", key: "style", text: "Short answers." },
          { scope: "project", key: "long", text: "x".repeat(200) },
        ],
      }),
    };
    const { systems } = await converse([prefixOf([memoryBlocks({ store, maxTokens: 20 })])], ["hi"]);
    expect(systems[0]).toMatch(
      /# Memories\n\nNotes[^]*## user\/style\nShort answers\.[^]*cut here to fit 20 tokens; project\/long: manage_core_memory/,
    );
  });
});
