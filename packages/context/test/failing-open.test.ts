import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import {
  contextPrefixMiddleware,
  turnContextMiddleware,
  type CompactionOptions,
  type ContextWarning,
  type PrefixSource,
} from "../src/index.js";
import { call, compactionOf, converse, echo } from "./support.js";

describe("an error of compaction's own", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each<[string, Partial<CompactionOptions>]>([
    [
      "windowTokens throws",
      {
        windowTokens: () => {
          throw new Error("x");
        },
      },
    ],
    ["windowTokens says NaN", { windowTokens: () => NaN }],
    [
      "filesOfCall throws",
      {
        filesOfCall: () => {
          throw new Error("x");
        },
      },
    ],
    [
      "summaryModels throws",
      {
        summaryModels: () => {
          throw new Error("x");
        },
      },
    ],
    [
      "onCompacted rejects",
      {
        onCompacted: (async () => {
          throw new Error("x");
        }) as never,
      },
    ],
    ["write gives nothing", { backend: { write: () => undefined as never } }],
    [
      "write throws null",
      {
        backend: {
          write: () => {
            throw null;
          },
        },
      },
    ],
    [
      "write throws an object without a prototype",
      {
        backend: {
          write: () => {
            throw Object.create(null);
          },
        },
      },
    ],
  ])("does not stop the call: %s", async (_, more) => {
    const { middleware } = compactionOf(more);
    const { state } = await converse([middleware], ["x ".repeat(5_000), "b"], {
      tools: [echo],
      answers: [call("a", "echo", { text: "y", size: 9_000 }), new AIMessage("done"), new AIMessage("done")],
    });
    expect(state.messages.at(-1)!.text).toBe("done");
  });
  it.each<[string, unknown]>([
    ["circular", circular],
    ["BigInt", { n: 1n }],
  ])("does not stop the call: arguments are %s", async (_, args) => {
    const { middleware } = compactionOf();
    const inject = createMiddleware({
      name: "Inject",
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          messages: [
            new HumanMessage("x".repeat(20_000)),
            new AIMessage({
              content: [{ type: "odd", args }] as never,
              tool_calls: [{ id: "q", name: "echo", args: args as never }],
            }),
            new ToolMessage({ content: "r", tool_call_id: "q" }),
            ...request.messages,
          ],
        }),
    });
    const { state } = await converse([inject, middleware], ["hi"]);
    expect(state.messages.at(-1)!.text).toBe("ok");
  });
});

describe("a source", () => {
  const source = (more: Partial<PrefixSource>): PrefixSource => ({
    title: "S",
    maxTokens: 100,
    load: async () => [{ id: "a", text: "text a" }],
    ...more,
  });
  it.each<[string, Partial<PrefixSource>]>([
    ["undefined", { load: async () => undefined as never }],
    ["null sections", { load: async () => [null] as never }],
    ["a text that is none", { load: async () => [{ id: "a", text: 7 }] as never }],
    ["an id that is none", { load: async () => [{ text: "x" }] as never }],
    [
      "whole throws",
      {
        maxTokens: 1,
        whole: () => {
          throw new Error("x");
        },
      },
    ],
    [
      "load throws at once",
      {
        load: () => {
          throw new Error("x");
        },
      },
    ],
    [
      "throws null-proto",
      {
        load: async () => {
          throw Object.create(null);
        },
      },
    ],
    [
      "its own AbortError",
      {
        load: async () => {
          throw new DOMException("timeout of its own", "AbortError");
        },
      },
    ],
  ])("that gives garbage is left out: %s", async (_, more) => {
    const warnings: ContextWarning[] = [];
    const middleware = contextPrefixMiddleware({
      sources: [source({ title: "Good" }), source(more)],
      onWarning: (w) => warnings.push(w),
    });
    const { systems } = await converse([middleware], ["a", "b"]);
    expect(systems[0]).toContain("# Good\n\ntext a");
    expect(warnings.map(({ code }) => code)).toContain("source_unreadable");
  });
});

describe("a note", () => {
  it("may be an object of a class", async () => {
    class Note {
      readonly name = "n";
      readonly said = "hello note";
      write() {
        return this.said;
      }
    }
    const { calls } = await converse([turnContextMiddleware({ notes: [new Note()] })], ["a"]);
    expect(calls[0]!.at(-1)!.text).toContain("hello note");
  });
  it.each<[string, () => never]>([
    [
      "undefined",
      () => {
        throw undefined;
      },
    ],
    [
      "without a prototype",
      () => {
        throw Object.create(null);
      },
    ],
    [
      "a proxy that throws",
      () => {
        throw new Proxy(
          {},
          {
            get() {
              throw new Error("x");
            },
            has() {
              throw new Error("y");
            },
          },
        );
      },
    ],
    [
      "an AbortError of its own",
      () => {
        throw new DOMException("x", "AbortError");
      },
    ],
  ])("that throws %s is left out", async (_, write) => {
    const warnings: ContextWarning[] = [];
    const { state } = await converse(
      [turnContextMiddleware({ notes: [{ name: "bad", write }], onWarning: (w) => warnings.push(w) })],
      ["a"],
    );
    expect(state.messages.at(-1)!.text).toBe("ok");
    expect(warnings.map(({ code }) => code)).toEqual(["note_failed"]);
  });
});
