import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../src/index.js";
import { agentWith, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const write = (name: string, content = name) =>
  ({ name: "write_file", args: { file_path: `/workspace/${name}`, content } }) as const;

describe("approvals by interruptOn", () => {
  const setUp = async () => {
    const places = await workspaceWith();
    const model = modelOf((step) => (step === 0 ? { toolCalls: [write("a"), write("b")] } : "done"));
    const options = { ...places, model, interruptOn: { write_file: true } };
    const agent = await agentWith(options);
    const paused = await collect(agent.run("go", { threadId: "t" }));
    const [needed] = ofType(paused, "approval.needed");
    if (!needed) throw new Error("nothing was asked");
    return { ...places, options, agent, paused, needed };
  };

  it("are reported with what would run and which decisions are open, and nothing has run", async () => {
    const { paused, needed, workspace } = await setUp();
    expect(finished(paused).reason).toBe("needs_input");
    expect(needed.actions).toMatchObject([
      { tool: "write_file", args: { file_path: "/workspace/a" }, allowed: ["approve", "edit", "reject"] },
      { tool: "write_file", args: { file_path: "/workspace/b" } },
    ]);
    expect(existsSync(path.join(workspace, "a"))).toBe(false);
  });

  it("an edit runs with the other arguments", async () => {
    const { agent, needed, workspace } = await setUp();
    const events = await collect(
      agent.resume({
        threadId: "t",
        approvals: {
          [needed.interruptId]: [
            { type: "edit", args: { file_path: "/workspace/c", content: "edited" } },
            { type: "approve" },
          ],
        },
      }),
    );
    expect(finished(events).reason).toBe("completed");
    expect(await readFile(path.join(workspace, "c"), "utf8")).toBe("edited");
    expect(existsSync(path.join(workspace, "a"))).toBe(false);
    expect(existsSync(path.join(workspace, "b"))).toBe(true);
  });

  it("a rejection runs nothing, tells the model why, and says that langchain dropped what was approved with it", async () => {
    const { agent, needed, workspace } = await setUp();
    const events = await collect(
      agent.resume({
        threadId: "t",
        approvals: {
          [needed.interruptId]: [{ type: "approve" }, { type: "reject", reason: "not that one" }],
        },
      }),
    );
    expect(finished(events).reason).toBe("completed");
    expect(existsSync(path.join(workspace, "a"))).toBe(false);
    expect(existsSync(path.join(workspace, "b"))).toBe(false);
    expect(ofType(events, "warning")).toMatchObject([
      { code: "approval_dropped", message: expect.stringContaining("write_file") },
    ]);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
    const messages = (values as { messages: { getType(): string; text: string }[] }).messages;
    expect(
      messages.filter((message) => message.getType() === "tool").map((message) => message.text),
    ).toContain("not that one");
  });

  it("a rejected call is reported with its reason, and no message's usage twice", async () => {
    const { agent, needed, paused } = await setUp();
    const decisions = [{ type: "reject", reason: "no" }, { type: "reject" }] as const;
    const events = await collect(
      agent.resume({ threadId: "t", approvals: { [needed.interruptId]: decisions } }),
    );
    expect(results(events).map((event) => [event.tool, event.status])).toEqual([
      ["write_file", "error"],
      ["write_file", "error"],
    ]);
    expect(results(events)[0]?.output).toBe("no");
    const counted = ofType([...paused, ...events], "usage").map((event) => event.messageId);
    expect(new Set(counted).size).toBe(counted.length);
    expect(counted).toHaveLength(2);
  });

  it("are still pending in a new agent, are reported again by resume, and then go on", async () => {
    const { agent, options, needed, workspace } = await setUp();
    await agent.close();
    const later = await agentWith(options);
    const again = await collect(later.resume({ threadId: "t" }));
    expect(ofType(again, "approval.needed")).toMatchObject([{ interruptId: needed.interruptId }]);
    expect(finished(again).reason).toBe("needs_input");
    const decisions = [{ type: "approve" }, { type: "approve" }] as const;
    const events = await collect(
      later.resume({ threadId: "t", approvals: { [needed.interruptId]: decisions } }),
    );
    expect(results(events).map((event) => event.status)).toEqual(["success", "success"]);
    expect(existsSync(path.join(workspace, "b"))).toBe(true);
  });

  it.each([
    ["an unknown interrupt", { approvals: { nope: { type: "approve" } } }, "unknown_interrupt"],
    ["too few decisions", { approvals: { ID: { type: "approve" } } }, "invalid_decision"],
    [
      "a decision of no kind",
      { approvals: { ID: [{ type: "yes" }, { type: "approve" }] } },
      "invalid_decision",
    ],
    [
      "an edit without arguments",
      { approvals: { ID: [{ type: "edit" }, { type: "approve" }] } },
      "invalid_decision",
    ],
    ["null", { approvals: { ID: [null, { type: "approve" }] } }, "invalid_decision"],
    ["a plain answer", { answers: { ID: "approve" } }, "invalid_decision"],
  ])("refuse %s with a typed error, and the thread is as it was", async (_name, answers, code) => {
    const { agent, needed } = await setUp();
    const given = JSON.parse(JSON.stringify(answers).replaceAll("ID", needed.interruptId)) as object;
    await expect(collect(agent.resume({ threadId: "t", ...given }))).rejects.toMatchObject({
      name: "ResumeError",
      code,
    });
    const decisions = [{ type: "approve" }, { type: "approve" }] as const;
    const events = await collect(
      agent.resume({ threadId: "t", approvals: { [needed.interruptId]: decisions } }),
    );
    expect(finished(events).reason).toBe("completed");
  });

  it("a new message instead of an answer leaves a conversation that providers accept", async () => {
    const { agent, options } = await setUp();
    const events = await collect(agent.run("never mind", { threadId: "t" }));
    expect(finished(events).reason).toBe("completed");
    const request = options.model.calls.at(-1)?.messages.map((message) => message.getType());
    expect(request).toEqual(["system", "human", "ai", "tool", "tool", "human"]);
  });

  it("hold in delegates, several at once, each answered by its id", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      interruptOn: { write_file: true },
      model: modelOf(
        (step) =>
          step === 0
            ? {
                toolCalls: ["one", "two"].map((description) => ({
                  name: "task",
                  args: { subagent_type: "general-purpose", description },
                })),
              }
            : "done",
        (step, messages) => (step === 0 ? { toolCalls: [write(messages[1]?.text ?? "")] } : "written"),
      ),
    });
    const paused = await collect(agent.run("go", { threadId: "t" }));
    const needed = ofType(paused, "approval.needed");
    expect(needed.map((event) => event.actions[0]?.args["file_path"]).toSorted()).toEqual([
      "/workspace/one",
      "/workspace/two",
    ]);
    // Each says who asks, also when it is reported again.
    const asking = (events: readonly RunEvent[]) =>
      ofType(events, "approval.needed").map(({ agent: who, delegation }) => [who, typeof delegation]);
    expect(asking(paused)).toEqual([
      ["general-purpose", "string"],
      ["general-purpose", "string"],
    ]);
    expect(new Set(needed.map((event) => event.delegation)).size).toBe(2);
    expect(asking(await collect(agent.resume({ threadId: "t" })))).toEqual(asking(paused));
    const idOf = (name: string) =>
      needed.find((event) => event.actions[0]?.args["file_path"] === `/workspace/${name}`)?.interruptId ?? "";
    const half = await collect(
      agent.resume({ threadId: "t", approvals: { [idOf("two")]: { type: "approve" } } }),
    );
    expect(ofType(half, "approval.needed").map((event) => event.interruptId)).toEqual([idOf("one")]);
    expect(existsSync(path.join(places.workspace, "two"))).toBe(true);
    expect(existsSync(path.join(places.workspace, "one"))).toBe(false);
    const events = await collect(
      agent.resume({ threadId: "t", approvals: { [idOf("one")]: { type: "reject" } } }),
    );
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
    expect(existsSync(path.join(places.workspace, "one"))).toBe(false);
  });
});

describe("resume", () => {
  it("of a thread that does not exist is a typed error", async () => {
    const agent = await agentWith({ ...(await workspaceWith()), model: modelOf(() => "x") });
    await expect(collect(agent.resume({ threadId: "nobody" }))).rejects.toMatchObject({
      code: "unknown_thread",
    });
  });

  it("of a thread that is done says so again and calls no model", async () => {
    const places = await workspaceWith();
    const model = modelOf(() => "the answer");
    const agent = await agentWith({ ...places, model });
    await collect(agent.run("go", { threadId: "t" }));
    const events = await collect(agent.resume({ threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "the answer" });
    expect(model.calls).toHaveLength(1);
  });
});
