import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, fakeModel } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createApprovals,
  createPipeline,
  defineTool,
  memoryAuditSink,
  outcomeOf,
  toolPipelineMiddleware,
  type ApprovalAnswer,
  type ApprovalInterrupt,
  type Approvals,
  type ApprovalsOptions,
  type ToolRunContext,
} from "../src/index.js";

const config = { configurable: { thread_id: "t" } };

type Run = (args: { what: string }, context: ToolRunContext) => string | Promise<string>;

/** An agent whose model makes these calls of `act` at once, and then says "done". */
const setUp = (
  options: ApprovalsOptions,
  calls: readonly string[] = ["a"],
  run: (approvals: Approvals) => Run = () => () => "",
) => {
  const checkpointer = new MemorySaver();
  const done: string[] = [];
  const sink = memoryAuditSink();
  const make = (more: { checkpointer?: MemorySaver } = { checkpointer }, changed: ApprovalsOptions = {}) => {
    const approvals = createApprovals({ ...options, ...changed });
    const pipeline = createPipeline({ audit: { sink } }).use(approvals.layer, { after: "policy" });
    const act = defineTool({
      name: "act",
      description: "Acts.",
      schema: z.object({ what: z.string() }),
      effects: ["net"],
      async run(args, context) {
        const said = await run(approvals)(args, context);
        done.push(args.what);
        return `did ${args.what}${said}`;
      },
    });
    const model = fakeModel()
      .respondWithTools(calls.map((what, at) => ({ name: "act", args: { what }, id: `c${at}` })))
      .respond(new AIMessage("done"));
    const agent = createAgent({
      model,
      tools: [act],
      middleware: [toolPipelineMiddleware(pipeline)],
      ...more,
    });
    return { agent, approvals };
  };
  const first = make();
  return { ...first, make, done, sink };
};

type Agent = ReturnType<ReturnType<typeof setUp>["make"]>["agent"];

const start = (agent: Agent) => agent.invoke({ messages: [new HumanMessage("go")] }, config);

interface Pending {
  id: string;
  value: ApprovalInterrupt;
}

const pendingOf = async (agent: Agent): Promise<Pending[]> =>
  (await agent.graph.getState(config)).tasks.flatMap((task) => task.interrupts as unknown as Pending[]);

const answerAll = async (agent: Agent, decision: object, more: object = {}) => {
  const pending = await pendingOf(agent);
  const resume = Object.fromEntries(pending.map(({ id }) => [id, { decisions: [decision], ...more }]));
  return agent.invoke(new Command({ resume }), config);
};

const toolMessages = async (agent: Agent): Promise<ToolMessage[]> => {
  const { messages } = (await agent.graph.getState(config)).values as { messages: unknown[] };
  return messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message));
};

describe("approvals", () => {
  it("ask about a call in LangChain's form, and run it when it is approved", async () => {
    const { agent, done, sink } = setUp({ effects: ["net"] });
    await start(agent);
    expect(done).toEqual([]);
    const [pending] = await pendingOf(agent);
    expect(pending?.value).toMatchObject({
      actionRequests: [{ name: "act", args: { what: "a" }, description: "Call act." }],
      reviewConfigs: [{ actionName: "act", allowedDecisions: ["approve", "edit", "reject"] }],
      approval: { details: { kind: "tool", effects: ["net"] }, remember: "every call of act in this run" },
    });
    await answerAll(agent, { type: "approve" });
    expect(done).toEqual(["a"]);
    expect(sink.records.map(({ outcome }) => outcome)).toEqual(["interrupted", "executed"]);
  });

  it("run edited arguments and say so, and reject with the reason", async () => {
    const { agent, done, sink } = setUp({ tools: { act: true } }, ["a", "b"]);
    await start(agent);
    const [one, two] = await pendingOf(agent);
    await agent.invoke(
      new Command({
        resume: {
          [one!.id]: {
            decisions: [{ type: "edit", editedAction: { name: "act", args: { what: "other" } } }],
          },
          [two!.id]: { decisions: [{ type: "reject", message: "too late for b" }] },
        },
      }),
      config,
    );
    expect(done).toEqual(["other"]);
    const [edited, rejected] = await toolMessages(agent);
    expect(edited?.text).toBe(
      '[The user changed the arguments before this ran: {"what":"other"}]\ndid other',
    );
    expect(rejected?.text).toContain("too late for b");
    expect(rejected && outcomeOf(rejected)).toBe("denied");
    expect(sink.records.map(({ outcome }) => outcome).sort()).toEqual([
      "denied",
      "executed",
      "interrupted",
      "interrupted",
    ]);
  });

  it("are asked about by arguments too, and a tool's own rule wins over its effects", async () => {
    const { agent, done } = setUp({ effects: ["net"], tools: { act: ({ what }) => what === "b" } }, [
      "a",
      "b",
      "c",
    ]);
    await start(agent);
    expect(done).toEqual(["a", "c"]);
    expect((await pendingOf(agent)).map(({ value }) => value.actionRequests[0].args)).toEqual([
      { what: "b" },
    ]);
  });

  it("can be answered in another process, one at a time", async () => {
    const { agent, make, done } = setUp({ tools: { act: true } }, ["a", "b"]);
    await start(agent);
    const [one] = await pendingOf(agent);
    const { agent: other } = make();
    await other.invoke(new Command({ resume: { [one!.id]: { decisions: [{ type: "approve" }] } } }), config);
    expect(done).toEqual(["a"]);
    expect((await pendingOf(other)).filter(({ id }) => id !== one!.id)).toHaveLength(1);
    const { agent: third } = make();
    const [, two] = await pendingOf(agent);
    await third.invoke(new Command({ resume: { [two!.id]: { decisions: [{ type: "approve" }] } } }), config);
    expect(done).toEqual(["a", "b"]);
  });

  it("stay open for what is no answer, and for the answer to another question", async () => {
    const { agent, done } = setUp({ tools: { act: true } });
    await start(agent);
    const wrong: [object, object?][] = [
      [{ type: "yes" }],
      [{}],
      [{ type: "edit" }],
      [{ type: "edit", editedAction: { args: [] } }],
      [{ type: "approve" }, { approvalId: "of another question" }],
      [{ type: "approve" }, { decisions: "approve" }],
      [{ type: "approve" }, { decisions: [{ type: "approve" }, { type: "approve" }] }],
    ];
    for (const [decision, more] of wrong) await answerAll(agent, decision, more);
    await agent.invoke(new Command({ resume: { [(await pendingOf(agent))[0]!.id]: true } }), config);
    expect(done).toEqual([]);
    const [pending] = await pendingOf(agent);
    await answerAll(agent, { type: "approve" }, { approvalId: pending?.value.approval.id });
    expect(done).toEqual(["a"]);
  });

  it("do not take an approval for a question that has become another one", async () => {
    let text = "old";
    const answers: ApprovalAnswer[] = [];
    const { agent } = setUp({}, ["a"], (approvals) => async () => {
      answers.push(
        await approvals.ask({
          description: "Change x.",
          details: {
            kind: "change",
            files: [{ file: "/x", kind: "change", diff: text }],
            others: [],
            more: 0,
            change: text,
          },
          allowed: ["approve", "reject"],
        }),
      );
      return "";
    });
    await start(agent);
    text = "new";
    await answerAll(agent, { type: "approve" });
    expect(answers).toEqual([]);
    const [pending] = await pendingOf(agent);
    expect(pending?.value.approval.details).toMatchObject({ files: [{ diff: "new" }] });
    await answerAll(agent, { type: "approve" });
    expect(answers).toEqual([{ type: "approve" }]);
  });

  it("may be several in one call, with a tool's own interrupt between them, across attempts", async () => {
    const log: string[] = [];
    const { agent } = setUp({ tools: { act: true } }, ["a"], (approvals) => async () => {
      const ask = (name: string) =>
        approvals.ask({
          description: name,
          details: { kind: "command", command: name, cwd: "/", segments: [] },
          allowed: ["approve", "reject"],
        });
      const one = await ask("one");
      const own = String(interrupt("own"));
      const two = await ask("two");
      log.push(one.type, own, two.type);
      return "";
    });
    await start(agent);
    await answerAll(agent, { type: "approve" });
    await answerAll(agent, { type: "reject" });
    const [pending] = await pendingOf(agent);
    expect(pending?.value).toBe("own");
    await agent.invoke(new Command({ resume: { [pending!.id]: "mine" } }), config);
    await answerAll(agent, { type: "approve" });
    expect(log).toEqual(["reject", "mine", "approve"]);
  });

  it("are remembered until they are forgotten", async () => {
    const approvals = createApprovals({ effects: ["net"] });
    const act = (name: string) =>
      defineTool({
        name,
        description: "Acts.",
        schema: z.object({}),
        effects: ["net"],
        run: () => "acted",
      });
    const turn = (model: ReturnType<typeof fakeModel>, at: number) =>
      model
        .respondWithTools([
          { name: "act", args: {}, id: `a${at}` },
          { name: "other", args: {}, id: `b${at}` },
        ])
        .respond(new AIMessage("done"));
    const agent = createAgent({
      model: [0, 1, 2].reduce(turn, fakeModel()),
      tools: [act("act"), act("other")],
      middleware: [toolPipelineMiddleware(createPipeline().use(approvals.layer, { after: "policy" }))],
      checkpointer: new MemorySaver(),
    }) as unknown as Agent;
    const asked = async () => (await pendingOf(agent)).map(({ value }) => value.actionRequests[0].name);
    await start(agent);
    const resume = Object.fromEntries(
      (await pendingOf(agent)).map(({ id, value }) => [
        id,
        { decisions: [{ type: "approve", remember: value.actionRequests[0].name === "act" }] },
      ]),
    );
    await agent.invoke(new Command({ resume }), config);
    expect(await asked()).toEqual([]);
    await start(agent);
    expect(await asked()).toEqual(["other"]);
    await answerAll(agent, { type: "reject" });
    approvals.forget("t");
    await start(agent);
    expect(await asked()).toEqual(["act", "other"]);
  });

  it("count as denied after their time, whatever is answered then", async () => {
    let nowMs = 0;
    const { agent, done } = setUp({ tools: { act: true }, timeoutMs: 1_000, nowMs: () => nowMs });
    await start(agent);
    expect((await pendingOf(agent))[0]?.value.approval.expiresAt).toBe(1_000);
    nowMs = 900;
    await answerAll(agent, { type: "nothing" });
    expect(done).toEqual([]);
    nowMs = 2_000;
    await answerAll(agent, { type: "approve" });
    expect(done).toEqual([]);
    expect((await toolMessages(agent)).at(-1)?.text).toContain("Nobody answered in time.");
  });

  it("are rejections where nobody can be asked", async () => {
    const { make, done } = setUp({ tools: { act: true } });
    const { agent, approvals } = make({});
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(done).toEqual([]);
    expect(messages.filter((each) => ToolMessage.isInstance(each)).map((each) => each.text)).toEqual([
      expect.stringContaining("no checkpointer"),
    ]);
    expect(
      await approvals.ask({ description: "", details: { kind: "tool", effects: [] }, allowed: ["approve"] }),
    ).toMatchObject({ type: "reject" });
  });

  it("refuse an effect that there is not", () => {
    expect(() => createApprovals({ effects: ["fly"] as never })).toThrow(/Unknown effect/);
    const refused = (option: object, message: RegExp) =>
      expect(() => createApprovals(option)).toThrow(
        expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(message) }),
      );
    refused({ tool: {} }, /`tools` may be meant/);
    refused({ timeoutMs: "1" }, /`timeoutMs` .* a number/);
  });
});
