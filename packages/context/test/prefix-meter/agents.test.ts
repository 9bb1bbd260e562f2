import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { createAgent, createMiddleware, fakeModel, type AgentMiddleware } from "langchain";
import { ScriptedChatModel } from "@fiveseam/models";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createPrefixMeter,
  expectStablePrefix,
  PrefixMovedError,
  type PrefixMeter,
} from "../../src/prefix-meter/index.js";

const MARK = { cache_control: { type: "ephemeral" as const } };
const RULES = "Follow the rules of the house. ".repeat(300);

/** Appends a block to the system prompt. */
const adds = (name: string, text: () => string): AgentMiddleware =>
  createMiddleware({
    name,
    wrapModelCall: (request, handler) =>
      handler({ ...request, systemMessage: request.systemMessage.concat(new SystemMessage(text())) }),
  }) as AgentMiddleware;

/** Marks the last message, as a caching middleware does. */
const marks = createMiddleware({
  name: "Marks",
  wrapModelCall: (request, handler) => {
    const last = request.messages.at(-1);
    const content = [{ type: "text", text: last?.text ?? "", ...MARK }];
    const marked = ToolMessage.isInstance(last)
      ? new ToolMessage({ content, id: last.id ?? "", tool_call_id: last.tool_call_id })
      : new HumanMessage({ content, id: last?.id ?? "" });
    return handler({ ...request, messages: [...request.messages.slice(0, -1), marked] });
  },
}) as AgentMiddleware;

/** Some turns of an agent whose middleware is watched. */
const run = async (
  list: readonly AgentMiddleware[],
  turns = 3,
  change: (messages: BaseMessage[], turn: number) => BaseMessage[] = (m) => m,
): Promise<PrefixMeter> => {
  const meter = createPrefixMeter();
  const model = fakeModel();
  for (let turn = 0; turn < turns; turn += 1)
    model.respond(new AIMessage({ content: `answer ${turn}`, id: `a${turn}` }));
  const middleware: AgentMiddleware[] = [...meter.watch(list), meter.middleware()];
  const agent = createAgent({ model, tools: [], systemPrompt: RULES, middleware });
  let messages: BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    messages = change([...messages, new HumanMessage({ content: `question ${turn}`, id: `h${turn}` })], turn);
    ({ messages } = await agent.invoke({ messages }, { configurable: { thread_id: "t" } }));
  }
  return meter;
};

describe("meter.watch", () => {
  it("lets a run pass whose middleware keeps still", async () => {
    const meter = await run([adds("One", () => "one"), adds("Two", () => "two"), marks]);
    const report = expectStablePrefix(meter);
    expect(report.turns.map(({ turn, rebilledTokens }) => [turn, rebilledTokens])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(report.turns[2]?.reusedShare).toBeGreaterThan(0.97);
  });

  it("names the one of three whose output moved while its input did not", async () => {
    let clock = 0;
    const three = [
      adds("Memory", () => "Use tabs."),
      adds("Clock", () => `It is ${(clock += 1)} o'clock.`),
      adds("Skills", () => "You can sew."),
    ];
    const meter = await run([...three, marks]);
    const moved = meter.report().turns[1]?.moved;
    expect(moved).toMatchObject({ cause: "system_changed", origin: "middleware", middleware: "Clock" });
    expect(() => expectStablePrefix(meter)).toThrow(
      /turn 2 of conversation "t"[^]*Clock[^]*It is 1 o'clock[^]*It is 2 o'clock/,
    );
  });

  it("names who replaces the system prompt as a text, or the tools", async () => {
    let turn = 0;
    const asText = createMiddleware({
      name: "AsText",
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          systemPrompt: `${request.systemPrompt} ${(turn += 1)}`,
          systemMessage: request.systemMessage,
        }),
    }) as AgentMiddleware;
    expect((await run([adds("One", () => "one"), asText, marks])).report().turns[1]?.moved).toMatchObject({
      middleware: "AsText",
    });
    const shuffles = createMiddleware({
      name: "Shuffles",
      wrapModelCall: (request, handler) => {
        const [a, b] = [
          { name: "a", type: "x" },
          { name: "b", type: "x" },
        ];
        return handler({ ...request, tools: (turn += 1) % 2 ? [a, b] : [b, a] });
      },
    }) as AgentMiddleware;
    expect((await run([shuffles, marks])).report().turns[1]?.moved).toMatchObject({
      cause: "tool_order",
      middleware: "Shuffles",
    });
  });

  it("names who put the note on which the mark was spent", async () => {
    const notes = createMiddleware({
      name: "Notes",
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          messages: [...request.messages, new HumanMessage(`Open files: ${request.messages.length}`)],
        }),
    }) as AgentMiddleware;
    const moved = (await run([notes, marks])).report().turns[1]?.moved;
    expect(moved).toMatchObject({
      cause: "mark_missing",
      transient: true,
      origin: "middleware",
      middleware: "Notes",
    });
    // The other way round the mark is on the question, and nothing is lost.
    expect((await run([marks, notes])).report().totals.rebilledTokens).toBe(0);
  });

  it("says when it was the conversation, or somebody who is not watched", async () => {
    const edits = (messages: BaseMessage[], turn: number) =>
      turn === 1
        ? [new HumanMessage({ content: "another question", id: "h0" }), ...messages.slice(1)]
        : messages;
    const conversation = await run([adds("One", () => "one"), marks], 2, edits);
    expect(conversation.report().turns[1]?.moved).toMatchObject({
      cause: "message_changed",
      origin: "before_watched",
      message: { type: "user", id: "h0" },
    });

    const meter = createPrefixMeter();
    let clock = 0;
    const model = fakeModel().respond(new AIMessage("1")).respond(new AIMessage("2"));
    const hidden = adds("Hidden", () => `It is ${(clock += 1)}.`);
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: RULES,
      middleware: [...meter.watch([adds("One", () => "one"), marks]), hidden, meter.middleware()],
    });
    for (let turn = 0; turn < 2; turn += 1)
      await agent.invoke({ messages: [new HumanMessage("same")] }, { configurable: { thread_id: "t" } });
    expect(meter.report().turns[1]?.moved).toMatchObject({
      cause: "system_changed",
      origin: "after_watched",
    });
  });

  it("keeps what else a middleware is, and its errors as they are", async () => {
    const meter = createPrefixMeter();
    const fault = new Error("as it was");
    const given = createMiddleware({
      name: "Full",
      stateSchema: z.object({ mine: z.number().default(1) }),
      contextSchema: z.object({ who: z.string().optional() }),
      tools: [tool(() => "", { name: "look", description: "Looks.", schema: z.object({}) })],
      wrapToolCall: (request, handler) => handler(request),
      beforeAgent: () => {},
      wrapModelCall: () => {
        throw fault;
      },
    });
    const [watched] = meter.watch([given]);
    expectTypeOf(watched).toEqualTypeOf(given);
    const { wrapModelCall, ...rest } = given;
    expect(watched).toMatchObject(rest);
    expect(Object.getOwnPropertySymbols(watched)).toEqual(Object.getOwnPropertySymbols(given));
    expect(watched.wrapModelCall).not.toBe(wrapModelCall);
    const plain = createMiddleware({ name: "Plain", beforeAgent: () => {} });
    expect(meter.watch([plain])[0]).toBe(plain);
    const agent = createAgent({ model: fakeModel(), tools: [], middleware: [watched] });
    const thrown: unknown = await agent
      .invoke({ messages: [new HumanMessage("x")] })
      .catch((error: unknown) => error);
    expect([thrown, (thrown as Error).cause]).toContain(fault);
  });
});

describe("a deep agent", () => {
  it("is measured with its delegate apart, each in a conversation of its own", async () => {
    const meter = createPrefixMeter();
    const model = new ScriptedChatModel({
      policy: (messages) => {
        const said = messages.map((message) => message.text).join("\n");
        if (said.includes("count the files"))
          return messages.some(({ type }) => type === "tool")
            ? "Three."
            : { toolCalls: [{ name: "ls", args: { path: "/" } }] };
        if (messages.at(-1)?.type === "tool") return "Done.";
        return {
          toolCalls: [{ name: "task", args: { description: "Please count them", subagent_type: "counter" } }],
        };
      },
    });
    const agent = createDeepAgent({
      model,
      systemPrompt: RULES,
      checkpointer: new MemorySaver(),
      middleware: [marks, meter.middleware()],
      subagents: [
        {
          name: "counter",
          description: "Counts.",
          systemPrompt: `You count the files. ${RULES}`,
          middleware: [meter.middleware()],
        },
      ],
    });
    await agent.invoke(
      { messages: [new HumanMessage("How many?")] },
      { configurable: { thread_id: "t" }, recursionLimit: 30 },
    );
    const { turns } = meter.report();
    expect(turns.map(({ turn }) => turn)).toEqual([1, 1, 2, 2]);
    expect(turns.map(({ conversation }) => conversation === "t")).toEqual([true, false, false, true]);
    expect(turns[1]?.conversation).toMatch(/^t\/tools:/);
    // Nobody marks the delegate's prompt.
    expect(turns[2]?.moved).toMatchObject({ cause: "mark_missing", origin: "provider" });
  });
});

describe("expectStablePrefix", () => {
  it("takes a meter, a report or a function, and allows what is meant to move", async () => {
    let clock = 0;
    const meter = await run([adds("Clock", () => `${(clock += 1)}`), marks]);
    const thrown = await expectStablePrefix(async () => meter).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PrefixMovedError);
    expect(thrown).toMatchObject({ code: "prefix_moved", report: meter.report() });
    expect(() => expectStablePrefix(meter.report())).toThrow(PrefixMovedError);
    expect(() => expectStablePrefix(meter, { warmupTurns: 3 })).toThrow(/None of 3 turn/);
    expect(() => expectStablePrefix(meter, { allow: ["system_changed"] })).toThrow(/None of 3 turn/);
  });

  it("has a threshold for small losses and a warm-up", async () => {
    const still = await run([marks], 3);
    const lost = (keptShare: number) => {
      const report = still.report();
      return {
        ...report,
        turns: report.turns.map((turn) => (turn.turn === 2 ? { ...turn, keptShare } : turn)),
      };
    };
    expect(() => expectStablePrefix(lost(0.96))).toThrow(PrefixMovedError);
    expect(expectStablePrefix(lost(0.98)).turns).toHaveLength(3);
    expect(expectStablePrefix(lost(0.9), { minReusedShare: 0.9 }).turns).toHaveLength(3);
    expect(expectStablePrefix(lost(0.1), { warmupTurns: 2 }).turns).toHaveLength(3);
  });
});
