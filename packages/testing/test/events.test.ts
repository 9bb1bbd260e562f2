import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ScriptedChatModel } from "@fiveseam/models";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { collectRun, orphanToolCalls, transcriptOf, type RunEventLike } from "@fiveseam/testing";
import "@fiveseam/testing/vitest";

const ids = { runId: "run-8f2", threadId: "thread-1", agent: "main", delegation: null };
const started = (callId: string, name: string, args = {}): RunEventLike => ({
  ...ids,
  type: "tool.started",
  callId,
  tool: name,
  args,
});
const finished = (callId: string, name: string, status: string, output: string): RunEventLike => ({
  ...ids,
  type: "tool.finished",
  callId,
  tool: name,
  status,
  output,
  restored: false,
});
const say = (text: string, agent = "main"): RunEventLike => ({
  ...ids,
  agent,
  type: "text.delta",
  messageId: "m",
  text,
});
const end = (reason: string, text: string): RunEventLike => ({ ...ids, type: "run.finished", reason, text });

const run: RunEventLike[] = [
  { ...ids, type: "run.started", resumed: false },
  say("I look "),
  say("around.\nNow."),
  started("call_17", "ls", { path: "/workspace", depth: 2 }),
  finished("call_17", "ls", "success", "README.md"),
  {
    ...ids,
    type: "approval.needed",
    interruptId: "i",
    actions: [{ tool: "execute", args: { command: "rm x" } }],
  },
  started("call_18", "execute", { command: "rm x" }),
  finished("call_18", "execute", "error", "no such file"),
  { ...ids, type: "delegate.started", callId: "c", role: "reviewer", brief: "Review it" },
  say("Fine.", "reviewer"),
  { ...ids, type: "delegate.finished", callId: "c", role: "reviewer", status: "success", report: "Fine." },
  { ...ids, type: "usage", messageId: "m" },
  say("Done."),
  end("completed", "Done."),
];

async function* streamOf(events: readonly RunEventLike[]): AsyncGenerator<RunEventLike> {
  for (const event of events) {
    await Promise.resolve();
    yield event;
  }
}

/** The message with which a matcher fails. */
const failure = (assertion: () => void): string => {
  try {
    assertion();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It passed.");
};

describe("collectRun", () => {
  it("has the text, the tools with their results, the approvals and the end", async () => {
    const collected = await collectRun(streamOf(run));
    expect(collected.events).toEqual(run);
    expect(collected.text).toBe("Done.");
    expect(collected.tools).toEqual([
      {
        tool: "ls",
        args: { path: "/workspace", depth: 2 },
        agent: "main",
        status: "success",
        output: "README.md",
      },
      { tool: "execute", args: { command: "rm x" }, agent: "main", status: "error", output: "no such file" },
    ]);
    expect(collected.approvals).toEqual([{ tool: "execute", args: { command: "rm x" } }]);
    expect(collected.finished).toBe(run.at(-1));
  });

  it("of a run that was left, has what the main agent said last and the call under way", async () => {
    const discarded = { ...ids, type: "text.discarded", messageId: "m" };
    const events = [
      say("Old."),
      started("c", "ls"),
      say("vo"),
      discarded,
      say("New "),
      say("no", "tester"),
      say("one."),
    ];
    const collected = await collectRun(events);
    expect(collected).toMatchObject({ text: "New one.", finished: undefined });
    expect(collected.tools[0]).toMatchObject({ tool: "ls", status: "unfinished", output: "" });
  });
});

describe("transcriptOf", () => {
  it("has no ids, costs or chunk borders in it", () => {
    expect(transcriptOf(run)).toBe(
      [
        "run started",
        "text: I look around.\\nNow.",
        '-> ls {"path":"/workspace","depth":2}',
        "<- ls success: README.md",
        '? approve execute {"command":"rm x"}',
        '-> execute {"command":"rm x"}',
        "<- execute error: no such file",
        "=> reviewer: Review it",
        "[reviewer] text: Fine.",
        "<= reviewer success: Fine.",
        "text: Done.",
        "run completed: Done.",
      ].join("\n"),
    );
  });

  it("cuts long texts and changes what it is told to", () => {
    const events = [say("/tmp/x-193/a and more")];
    const normalise = (text: string): string => text.replaceAll(/\/tmp\/x-\d+/g, "<root>");
    expect(transcriptOf(events, { normalise, maxChars: 8 })).toBe("text: <root>/a…");
  });

  it("names an event that it does not know", () => {
    expect(transcriptOf([{ type: "something.new" }])).toBe("something.new");
  });
});

describe("matchers of events", () => {
  it("tell whether a tool ran, with a part of its arguments", () => {
    expect(run).toHaveRun("ls");
    expect(run).toHaveRun("ls", { path: "/workspace" });
    expect(run).toHaveRun("ls", { path: expect.stringContaining("work") as string });
    expect(run).not.toHaveRun("write_file");
    const message = failure(() => expect(run).toHaveRun("ls", { path: "/docs" }));
    expect(message).toContain('to have run ls with {"path":"/docs"}');
    expect(message).toContain('-> ls {"path":"/workspace","depth":2}');
    expect(failure(() => expect(run).not.toHaveRun("ls"))).toContain("not to have run ls");
  });

  it("tell how a run ended", () => {
    expect(run).toHaveFinished("completed");
    expect(failure(() => expect(run).toHaveFinished("limit"))).toContain('it finished with "completed"');
    expect(failure(() => expect([say("x")]).toHaveFinished("limit"))).toContain("it did not finish");
  });

  it("tell the order of events, by type or by fields", () => {
    expect(run).toHaveEventOrder(["run.started", { type: "tool.started", tool: "execute" }, "run.finished"]);
    const wrong = failure(() =>
      expect(run).toHaveEventOrder(["delegate.started", { type: "tool.started", tool: "ls" }]),
    );
    expect(wrong).toContain('there is no {"type":"tool.started","tool":"ls"} after delegate.started');
    expect(run).not.toHaveEventOrder(["run.finished", "run.finished"]);
  });

  it("tell whether an approval was asked", () => {
    expect(run).toHaveAskedFor("execute");
    expect(failure(() => expect(run).toHaveAskedFor("ls"))).toContain("to have asked for an approval of ls");
  });

  it("tell what failed", () => {
    expect([started("c", "ls"), finished("c", "ls", "success", ""), end("completed", "")]).toHaveNoErrors();
    expect(failure(() => expect(run).toHaveNoErrors())).toContain("it has\n  <- execute error: no such file");
    expect([end("failed", "")]).not.toHaveNoErrors();
    expect([end("limit", "")]).not.toHaveNoErrors();
  });

  it("take a run under way and a collected one", async () => {
    await expect(streamOf(run)).toHaveRun("ls");
    await expect(expect(streamOf(run)).toHaveRun("rm")).rejects.toThrow(/to have run rm/);
    expect(await collectRun(run)).toHaveFinished("completed");
  });

  it("refuse what is no run, and show the end of a long one", () => {
    expect(() => expect("a text").not.toHaveRun("ls")).toThrow(/takes run events/);
    const long = Array.from({ length: 60 }, (_, at) => started(`c${at}`, `tool-${at}`));
    const message = failure(() => expect(long).toHaveFinished("completed"));
    expect(message).toContain("… 20 lines before");
    expect(message).toContain("tool-59");
    expect(message).not.toContain("tool-19 ");
  });
});

describe("matchers of messages", () => {
  const call = (id: string, name = "ls") => ({ type: "tool_call" as const, id, name, args: {} });
  const asked = new AIMessage({ content: "", tool_calls: [call("a"), call("b", "rm")] });
  const result = (id: string, status: "success" | "error" = "success") =>
    new ToolMessage({ content: `of ${id}`, tool_call_id: id, status });

  it("find calls without results and results without calls", () => {
    expect([asked, result("b"), result("a"), new AIMessage("Done.")]).toHaveNoOrphanToolCalls();
    expect([asked, result("a")]).not.toHaveNoOrphanToolCalls();
    expect(orphanToolCalls([asked, result("a"), new HumanMessage("Stop."), result("b")])).toEqual([
      { kind: "call", id: "b", tool: "rm", at: 0 },
      { kind: "result", id: "b", tool: "unknown", at: 3 },
    ]);
    expect(failure(() => expect({ messages: [asked] }).toHaveNoOrphanToolCalls())).toContain(
      "[0] rm (b) has no result",
    );
  });

  it("find a tool's result by name, status and text", () => {
    const messages = [asked, result("a"), result("b", "error")];
    expect(messages).toHaveToolResult("ls");
    expect({ messages }).toHaveToolResult("rm", { status: "error", content: /^of b$/ });
    expect({ values: { messages } }).toHaveToolResult("ls", { status: "success", content: "of a" });
    expect(messages).not.toHaveToolResult("rm", { status: "success" });
    expect(messages).not.toHaveToolResult("ls", { content: "of b" });
    expect(failure(() => expect(messages).toHaveToolResult("cat"))).toContain(
      "[2] tool: of b <- ? error (b)",
    );
    expect(() => expect(run).not.toHaveToolResult("ls")).toThrow(/takes LangChain messages/);
  });

  it("hold for the state of an agent of langchain", async () => {
    const weather = tool(() => "Sunny", { name: "weather", description: "", schema: z.object({}) });
    const model = new ScriptedChatModel({
      script: [{ toolCalls: [{ name: "weather" }] }, { text: "Sunny." }],
    });
    const state = await createAgent({ model, tools: [weather] }).invoke({
      messages: [new HumanMessage("Hi")],
    });
    expect(state).toHaveNoOrphanToolCalls();
    expect(state).toHaveToolResult("weather", { status: "success", content: "Sunny" });
  });
});
