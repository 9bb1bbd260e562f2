import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import fc from "fast-check";
import { createAgent, createMiddleware, fakeModel, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  compactionMiddleware,
  type Compacted,
  type CompactionOptions,
  type ContextWarning,
} from "../src/index.js";
import { call, converse } from "./support.js";

const echo = tool(({ text, size }: { text: string; size: number }) => `${text} `.repeat(size), {
  name: "echo",
  description: "Echoes.",
  schema: z.object({ text: z.string(), size: z.number() }),
});

/** A backend that keeps files in memory. */
const keeping = () => {
  const files = new Map<string, string>();
  return { files, backend: { write: (path: string, content: string) => (files.set(path, content), {}) } };
};

const compaction = (more: Partial<CompactionOptions> = {}) => {
  const { files, backend } = keeping();
  const events: Compacted[] = [];
  const warnings: ContextWarning[] = [];
  const middleware = compactionMiddleware({
    backend,
    windowTokens: () => 4_000,
    onCompacted: (event) => events.push(event),
    onWarning: (warning) => warnings.push(warning),
    ...more,
  });
  return { middleware, files, events, warnings };
};

const text = (messages: readonly BaseMessage[]): string => messages.map((message) => message.text).join("\n");
const done = new AIMessage("done");

/** Every call has its results behind it and every result its call before it. */
const isWhole = (messages: readonly BaseMessage[]): boolean => {
  const open = new Set<string>();
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      if (!open.delete(message.tool_call_id)) return false;
    } else if (open.size > 0) return false;
    if (AIMessage.isInstance(message)) for (const { id } of message.tool_calls ?? []) open.add(id!);
  }
  return open.size === 0;
};

describe("compactionMiddleware", () => {
  it("strips old results first, without a model, says where the whole is, and keeps the last ones", async () => {
    const { middleware, files, events } = compaction();
    const { calls, state } = await converse([middleware], ["go"], {
      tools: [echo],
      answers: [
        ...Array.from({ length: 9 }, (_, at) => call(`c${at}`, "echo", { text: `n${at}`, size: 560 })),
        done,
      ],
    });
    expect(events.map(({ tier, cause }) => [tier, cause])[0]).toEqual([1, "threshold"]);
    const sent = calls.at(-1)!;
    expect(isWhole(sent.slice(1))).toBe(true);
    expect(text(sent)).toMatch(
      /\[Removed to save space: the result of echo, 1680 characters\. The whole of it is below \/conversation_history\/thread_t\/\./,
    );
    expect(text(sent)).toContain("n8 n8 n8");
    expect(text(sent)).not.toContain("n0 n0 n0");
    expect([...files.keys()][0]).toMatch(
      /^\/conversation_history\/thread_t\/000000-0000\d\d-[\da-f]{12}\.md$/,
    );
    expect([...files.values()].join()).toContain("n0 n0 n0");
    // The conversation itself keeps everything.
    expect(text(state.messages)).toContain("n0 n0 n0");
    for (const { tokensAfter } of events) expect(tokensAfter).toBeLessThan(3_200);
  });

  it("does not act again at once, and what it sends meanwhile only grows at its end", async () => {
    const { middleware, events } = compaction();
    const { calls } = await converse([middleware], ["go"], {
      tools: [echo],
      answers: [
        ...Array.from({ length: 16 }, (_, at) => call(`c${at}`, "echo", { text: `n${at}`, size: 560 })),
        done,
      ],
    });
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(events.length).toBeLessThanOrEqual(5);
    let moved = 0;
    for (const [at, sent] of calls.slice(0, -1).entries()) {
      const next = calls[at + 1]!.slice(0, sent.length).map((message) => message.text);
      if (next.join("\n") !== sent.map((message) => message.text).join("\n")) moved += 1;
    }
    expect(moved).toBe(events.length);
  });

  it("has a model summarise when stripping is not enough, and hands on the user's words, the plan and the files", async () => {
    const { middleware, files, events } = compaction({ summaryModels: (model) => [model] });
    const chatter = (at: number) => new AIMessage(`thought ${at} ${"blah ".repeat(1_000)}`);
    const { calls } = await converse(
      [middleware],
      ["Fix the bug in $& /workspace/a.ts", "more", "and more", "last"],
      {
        tools: [
          tool(() => "ok", { name: "write_todos", description: "t", schema: z.any() }),
          tool(() => "ok", { name: "edit_file", description: "t", schema: z.any() }),
          tool(() => "ok", { name: "read_file", description: "t", schema: z.any() }),
        ],
        answers: [
          call("1", "write_todos", { todos: [{ content: "find it", status: "in_progress" }] }),
          call("2", "edit_file", { file_path: "/workspace/a.ts" }),
          call("3", "read_file", { file_path: "/workspace/b.ts" }),
          chatter(0),
          chatter(1),
          chatter(2),
          new AIMessage("SUMMARY"),
          done,
        ],
      },
    );
    expect(events.map(({ tier }) => tier)).toEqual([2]);
    const sent = calls.at(-1)!;
    expect(sent[1]).toBeInstanceOf(HumanMessage);
    expect(sent[1]!.additional_kwargs).toEqual({ lc_source: "summarization" });
    for (const part of [
      "<summary>\nSUMMARY\n</summary>",
      "- Fix the bug in $& /workspace/a.ts",
      "- [in_progress] find it",
      "Files changed so far:\n- /workspace/a.ts",
      "- /workspace/b.ts",
      "/conversation_history/thread_t/",
    ])
      expect(sent[1]!.text).toContain(part);
    expect(sent.at(-1)!.text).toBe("last");
    expect([...files.values()].join()).toContain("thought 0");
    // The summarising model was shown the conversation as material.
    expect(text(calls.at(-2)!)).toContain("thought 0");
  });

  it("falls to the last tier when no model can summarise, which needs none", async () => {
    const { middleware, events, warnings } = compaction({
      summaryModels: () => [
        fakeModel().respond(new Error("provider down")),
        fakeModel().respond(new AIMessage(" ")),
      ],
    });
    const chatter = (at: number) => new AIMessage(`thought ${at} ${"blah ".repeat(800)}`);
    const { calls } = await converse([middleware], ["the task", "two", "three", "four", "five"], {
      answers: [chatter(0), chatter(1), chatter(2), chatter(3), done],
    });
    expect(events[0]).toMatchObject({
      tier: 3,
      cause: "threshold",
      keptIn: "/conversation_history/thread_t/",
    });
    expect(warnings.filter(({ code }) => code === "summary_failed").map(({ message }) => message)).toEqual([
      "A summary could not be written: provider down",
      "A summary could not be written: The model returned an empty summary.",
    ]);
    expect(text(calls.at(-1)!)).toMatch(
      /What the user asked for, word for word:\n- the task[^]*What you said, last:\n- thought 0/,
    );
    expect(calls.at(-1)!.at(-1)!.text).toBe("five");
  });

  it("compacts and asks once more when the provider says that the prompt is too long, and remembers its size", async () => {
    const { middleware, events } = compaction({ windowTokens: () => undefined });
    const overflow = () => ContextOverflowError.fromError(new Error("prompt is too long"));
    const refusing: AgentMiddleware = createMiddleware({
      name: "refusing",
      wrapModelCall: (request, handler) => {
        if (text(request.messages).length > 4_000) throw new Error("wrapped", { cause: overflow() });
        return handler(request);
      },
    });
    const { calls, state } = await converse([middleware, refusing], ["go"], {
      tools: [echo],
      answers: [
        call("1", "echo", { text: "a", size: 1_000 }),
        call("2", "echo", { text: "b", size: 1_500 }),
        done,
      ],
    });
    expect(events.map(({ cause }) => cause)).toEqual(["overflow"]);
    expect(state.messages.at(-1)!.text).toBe("done");
    expect(isWhole(calls.at(-1)!.slice(1))).toBe(true);
  });

  it("gives up after one retry, and leaves other errors alone", async () => {
    const { middleware, events } = compaction();
    const always = new Error("wrapped", { cause: ContextOverflowError.fromError(new Error("too long")) });
    const run = (error: Error) => converse([middleware], ["go"], { answers: [error, error, error] });
    await expect(run(always)).rejects.toThrow("wrapped");
    expect(events).toHaveLength(1);
    await expect(run(new Error("other"))).rejects.toThrow("other");
    expect(events).toHaveLength(1);
  });

  it("cuts the results of one huge step so that they fit, and never drops the step", async () => {
    const { middleware } = compaction();
    const huge = new AIMessage({
      content: "",
      tool_calls: [0, 1, 2].map((at) => ({
        id: `c${at}`,
        name: "echo",
        args: { text: `h${at}`, size: 12_000 },
        type: "tool_call" as const,
      })),
    });
    const { calls } = await converse([middleware], ["go"], { tools: [echo], answers: [huge, done] });
    const sent = calls.at(-1)!;
    expect(isWhole(sent.slice(1))).toBe(true);
    expect(sent.filter((message) => ToolMessage.isInstance(message))).toHaveLength(3);
    expect(text(sent).length).toBeLessThan(14_000);
    expect(text(sent)).toContain("[cut to save space; call the tool again for the rest]");
  });

  it("warns once at 80 %, again only after a compaction, and goes on when history cannot be kept", async () => {
    const { middleware, warnings, events } = compaction({
      backend: { write: () => ({ error: "disk full" }) },
    });
    await converse([middleware], ["go"], {
      tools: [echo],
      answers: [
        ...Array.from({ length: 80 }, (_, at) => call(`c${at}`, "echo", { text: `n${at}`, size: 60 })),
        done,
      ],
    });
    const nearly = warnings.filter(({ code }) => code === "context_nearly_full").length;
    expect(nearly).toBeGreaterThan(0);
    expect(nearly).toBeLessThanOrEqual(events.length + 1);
    expect(events[0]!.keptIn).toBeNull();
    expect(
      warnings.some(({ code, message }) => code === "history_not_kept" && message.includes("disk full")),
    ).toBe(true);
  });

  it("believes the provider's count of tokens over its own estimate", async () => {
    const { middleware, events } = compaction({ windowTokens: () => 12_000 });
    const counted = (input_tokens: number) =>
      new AIMessage({
        content: "ok",
        usage_metadata: { input_tokens, output_tokens: 1, total_tokens: input_tokens + 1 },
      });
    await converse([middleware], ["x".repeat(20_000), "more"], { answers: [counted(5_000), done] });
    expect(events).toEqual([]);
    await converse([middleware], ["x".repeat(20_000), "more"], {
      answers: [counted(11_500), done, done],
      threadId: "u",
    });
    expect(events).toHaveLength(1);
  });

  it("counts pictures", async () => {
    const { middleware, events } = compaction({ windowTokens: () => 6_000 });
    const model = fakeModel().respond(done).respond(done).respond(done);
    const agent = createAgent({ model, tools: [], middleware: [middleware] });
    const picture = () =>
      new HumanMessage({
        content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      });
    await agent.invoke({
      messages: [
        picture(),
        done,
        picture(),
        done,
        picture(),
        done,
        picture(),
        done,
        new HumanMessage("what?"),
      ],
    });
    expect(events).toHaveLength(1);
  });

  it("works on a branch that is shorter than where the thread was compacted", async () => {
    const checkpointer = new MemorySaver();
    const { middleware } = compaction();
    const answers = [
      ...Array.from({ length: 8 }, (_, at) => call(`c${at}`, "echo", { text: `n${at}`, size: 560 })),
      done,
    ];
    await converse([middleware], ["go"], { tools: [echo], answers, checkpointer });
    const model = fakeModel().respond(done);
    const agent = createAgent({ model, tools: [echo], middleware: [middleware], checkpointer });
    let oldest;
    for await (const tuple of checkpointer.list({ configurable: { thread_id: "t" } }))
      if ((tuple.checkpoint.channel_values["messages"] as unknown[] | undefined)?.length === 3)
        oldest = tuple.config;
    await agent.invoke({ messages: [new HumanMessage("other")] }, oldest);
    expect(text(model.calls[0]!.messages)).toContain("other");
    expect(isWhole(model.calls[0]!.messages)).toBe(true);
  });

  it("refuses levels that make no sense", () => {
    for (const levels of [{ target: 0.95 }, { actAt: 1.5 }, { warnAt: 0.95 }, { target: 0 }])
      expect(() => compaction({ levels })).toThrow(RangeError);
  });

  it("does not replace a structured answer", async () => {
    const { providerStrategy } = await import("langchain");
    const { middleware } = compaction();
    const agent = createAgent({
      model: fakeModel().respond(new AIMessage("SUMMARY")).respond(new AIMessage('{"answer":1}')),
      tools: [],
      responseFormat: providerStrategy(z.object({ answer: z.number() })),
      middleware: [middleware],
    });
    const long = new AIMessage("x".repeat(16_000));
    const state = await agent.invoke({ messages: [new HumanMessage("a"), long, new HumanMessage("b")] });
    expect(state.structuredResponse).toEqual({ answer: 1 });
  });
});

/** A conversation as models make them: users, texts, steps with one or several calls, all answered. */
const history = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant("user" as const), size: fc.integer({ min: 0, max: 600 }) }),
      fc.record({ kind: fc.constant("text" as const), size: fc.integer({ min: 0, max: 600 }) }),
      fc.record({
        kind: fc.constant("step" as const),
        sizes: fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 4 }),
      }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => {
    const messages: BaseMessage[] = [new HumanMessage({ id: "first", content: "the very first request" })];
    for (const [at, part] of parts.entries()) {
      if (part.kind === "user")
        messages.push(new HumanMessage({ id: `u${at}`, content: `user ${at} ${"u".repeat(part.size)}` }));
      else if (part.kind === "text")
        messages.push(new AIMessage({ id: `a${at}`, content: `said ${at} ${"a".repeat(part.size)}` }));
      else {
        messages.push(
          new AIMessage({
            id: `s${at}`,
            content: "",
            tool_calls: part.sizes.map((_, index) => ({
              id: `c${at}.${index}`,
              name: "echo",
              args: { text: "", size: 0 },
              type: "tool_call" as const,
            })),
          }),
          ...part.sizes.map(
            (size, index) =>
              new ToolMessage({
                id: `r${at}.${index}`,
                name: "echo",
                tool_call_id: `c${at}.${index}`,
                content: `result ${at}.${index} ${"r".repeat(size)}`,
              }),
          ),
        );
      }
    }
    return [...messages, new HumanMessage({ id: "last", content: "the very last request" })];
  });

describe("compaction of any history", () => {
  it("keeps calls and results together, the last request, the first one's words, and every removed word in a file", async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (messages, modelWorks) => {
        const { middleware, files, events } = compaction({
          windowTokens: () => 1_500,
          summaryModels: () => [
            modelWorks
              ? fakeModel().respond(new AIMessage("SUMMARY"))
              : fakeModel().respond(new Error("down")),
          ],
        });
        const model = fakeModel().respond(done);
        await createAgent({ model, tools: [echo], middleware: [middleware] }).invoke({ messages });
        const sent = model.calls[0]!.messages.filter((message) => message.getType() !== "system");
        expect(isWhole(sent)).toBe(true);
        expect(sent.at(-1)!.text).toBe("the very last request");
        const everything = `${text(sent)}\n${[...files.values()].join("\n")}`;
        for (const message of messages) expect(everything).toContain(message.text);
        if (events.length === 0) {
          expect(sent.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
          return;
        }
        expect(text(sent)).toContain("the very first request");
        expect(events[0]!.tokensAfter).toBeLessThan(events[0]!.tokensBefore);
        expect(events[0]!.tokensAfter).toBeLessThanOrEqual(1_500);
      }),
      { numRuns: 60 },
    );
  });
});
