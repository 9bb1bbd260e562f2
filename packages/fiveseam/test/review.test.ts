import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "@langchain/langgraph";
import { defineTool } from "@fiveseam/tool-pipeline";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ApprovalDecision, CodingAgentOptions, RunEvent } from "../src/index.js";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const FILES = { "a.txt": "one\ntwo\n", "b.txt": "b\n" };
const edit = call("edit_file", { file_path: "/workspace/a.txt", old_string: "two", new_string: "2" });
const remove = call("delete", { file_path: "/workspace/b.txt" });

type Turns = Parameters<typeof modelOf>[0];

const setUp = async (
  main: Turns | ReturnType<typeof call>,
  more: Partial<CodingAgentOptions> = {},
  delegate?: Turns,
) => {
  const places = await workspaceWith(FILES);
  const turns: Turns = typeof main === "function" ? main : (step) => (step === 0 ? main : "done");
  const options = { ...places, model: modelOf(turns, delegate), ...more };
  const agent = await agentWith(options);
  const text = (name: string) => readFile(path.join(places.workspace, name), "utf8").catch(() => undefined);
  const run = () => collect(agent.run("go", { threadId: "t" }));
  return { ...places, options, agent, text, run };
};

const neededIn = (events: readonly RunEvent[]) => ofType(events, "approval.needed");

const answer = (events: readonly RunEvent[], decision: ApprovalDecision) => ({
  threadId: "t",
  approvals: Object.fromEntries(neededIn(events).map(({ interruptId }) => [interruptId, decision])),
});

describe("what is asked about", () => {
  it("by default: a deletion with its diff, and no edit", async () => {
    const { run, agent, text } = await setUp((step) => [edit, remove, "done"][step] ?? "done");
    const paused = await run();
    expect(await text("a.txt")).toBe("one\n2\n");
    expect(neededIn(paused)).toMatchObject([
      {
        actions: [
          {
            tool: "delete",
            description: "Delete /workspace/b.txt.",
            allowed: ["approve", "reject"],
            details: { kind: "change", files: [{ file: "/workspace/b.txt", kind: "delete" }] },
          },
        ],
      },
    ]);
    expect(JSON.stringify(neededIn(paused))).toContain("-b\\n");
    expect(await text("b.txt")).toBe("b\n");
    const events = await collect(agent.resume(answer(paused, { type: "approve" })));
    expect(finished(events).reason).toBe("completed");
    expect(await text("b.txt")).toBeUndefined();
  });

  it("with requireDiffApproval each change of a file, in delegates too, across a restart, and no rejected one is made", async () => {
    const { run, options, text, agent } = await setUp(
      call("task", { subagent_type: "general-purpose", description: "edit it" }),
      { requireDiffApproval: true },
      (step) =>
        [edit, call("write_file", { file_path: "/workspace/new.txt", content: "n" }), "did it"][step] ?? "?",
    );
    const paused = await run();
    expect(neededIn(paused)).toMatchObject([
      {
        agent: "general-purpose",
        actions: [{ tool: "edit_file", details: { files: [{ kind: "change" }] } }],
      },
    ]);
    expect(await text("a.txt")).toBe("one\ntwo\n");
    await agent.close();
    const next = await agentWith({ ...options, model: options.model });
    const half = await collect(next.resume(answer(paused, { type: "approve" })));
    expect(await text("a.txt")).toBe("one\n2\n");
    expect(neededIn(half)).toMatchObject([{ actions: [{ tool: "write_file" }] }]);
    const events = await collect(next.resume(answer(half, { type: "reject", reason: "no new files" })));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
    expect(existsSync(path.join(options.workspace, "new.txt"))).toBe(false);
    const refused = results(events).find(({ tool }) => tool === "write_file");
    expect(refused).toMatchObject({ status: "error", output: expect.stringContaining("no new files") });
  });

  it("does not take an approval of one diff for another: the question is asked anew, under another id", async () => {
    const { run, agent, text, workspace } = await setUp(edit, { requireDiffApproval: true });
    const paused = await run();
    await writeFile(path.join(workspace, "a.txt"), "ONE\ntwo\n");
    const again = await collect(agent.resume(answer(paused, { type: "approve" })));
    expect(await text("a.txt")).toBe("ONE\ntwo\n");
    const [one] = neededIn(paused);
    const [two] = neededIn(again);
    expect(two?.interruptId).not.toBe(one?.interruptId);
    expect(JSON.stringify(two?.actions[0]?.details)).toContain("ONE");
    await expect(collect(agent.resume(answer(paused, { type: "approve" })))).rejects.toMatchObject({
      code: "unknown_interrupt",
    });
    await collect(agent.resume(answer(again, { type: "approve" })));
    expect(await text("a.txt")).toBe("ONE\n2\n");
  });

  it("a command that the policy is in doubt about, which the user may change", async () => {
    const { run, agent, text } = await setUp(call("run_command", { command: "env > out.txt" }));
    const paused = await run();
    const [needed] = neededIn(paused);
    expect(needed?.actions[0]).toMatchObject({
      tool: "run_command",
      details: { kind: "command", cwd: "/workspace", segments: [{ verdict: "ask" }] },
      remember: expect.stringContaining("command"),
    });
    expect(await text("out.txt")).toBeUndefined();
    const edited = { type: "edit", args: { command: "printf hello > out.txt" } } as const;
    const events = await collect(agent.resume(answer(paused, edited)));
    expect(await text("out.txt")).toBe("hello");
    expect(results(events)[0]?.output).toContain("this was run: printf hello > out.txt");
  });

  it("a workspace may narrow what commands may do, and its file is not the agent's to change", async () => {
    const rules = [{ command: "echo", verdict: "deny", why: "Be silent." }];
    const places = await workspaceWith({ ".fiveseam/shell-policy.json": JSON.stringify({ rules }) });
    const model = modelOf(
      (step) =>
        [
          call("run_command", { command: "echo x" }),
          call("delete", { file_path: "/workspace/.fiveseam/shell-policy.json" }),
        ][step] ?? "done",
    );
    const events = await collect((await agentWith({ ...places, model })).run("go", { threadId: "t" }));
    expect(results(events).map(({ status }) => status)).toEqual(["error", "error"]);
    expect(results(events)[0]?.output).toContain("Be silent.");
    await writeFile(path.join(places.workspace, ".fiveseam/shell-policy.json"), "{");
    const second = await agentWith({ ...places, model });
    const warned = ofType(await collect(second.run("go", { threadId: "u" })), "warning");
    expect(warned).toMatchObject([{ code: "policy_unreadable" }]);
  });

  it("a change of a command cannot get past what is denied", async () => {
    const { run, agent } = await setUp(call("run_command", { command: "env" }));
    const edited = { type: "edit", args: { command: "rm -rf ~" } } as const;
    const events = await collect(agent.resume(answer(await run(), edited)));
    expect(results(events)[0]).toMatchObject({ status: "error", output: expect.stringContaining("not run") });
  });

  it("by path, by tool and by effect, of the tools that exist", async () => {
    const guarded = await setUp(edit, { approvals: { paths: ["/workspace/a*"] } });
    expect(neededIn(await guarded.run())).toHaveLength(1);
    const other = await setUp(edit, { approvals: { paths: ["/workspace/b*"] } });
    expect(neededIn(await other.run())).toHaveLength(0);
    const named = await setUp(edit, { approvals: { tools: { edit_file: true } } });
    expect(neededIn(await named.run())).toMatchObject([{ actions: [{ details: { kind: "tool" } }] }]);
    const deploy = defineTool({
      name: "deploy",
      description: "Deploys.",
      schema: z.object({}),
      effects: ["net"],
      run: () => "deployed",
    });
    const effect = await setUp(call("deploy"), { tools: [deploy], approvals: { effects: ["net"] } });
    const paused = await effect.run();
    expect(results(paused)).toEqual([]);
    const done = await collect(effect.agent.resume(answer(paused, { type: "approve" })));
    expect(results(done)[0]?.output).toBe("deployed");
    await expect(setUp(edit, { approvals: { tools: { edit_fle: true } } })).rejects.toThrow(/no such tool/);
    await expect(setUp(edit, { approvals: { paths: ["*.ts"] } })).rejects.toMatchObject({
      option: "approvals.paths",
    });
    await expect(setUp(edit, { approvals: { effects: ["fly" as never] } })).rejects.toMatchObject({
      option: "approvals",
    });
  });

  it("about the very content, also where it cannot be shown whole", async () => {
    const long = "long\n".repeat(10_000);
    const { run, agent, text, workspace } = await setUp(call("delete", { file_path: "/workspace/long.txt" }));
    await writeFile(path.join(workspace, "long.txt"), long);
    const paused = await run();
    await writeFile(path.join(workspace, "long.txt"), `${long.slice(0, -5)}LONG\n`);
    const again = await collect(agent.resume(answer(paused, { type: "approve" })));
    expect(neededIn(again)).toHaveLength(1);
    expect(await text("long.txt")).toContain("LONG");
  });

  it("a gate of the user's for the tool `delete` leaves no hole elsewhere", async () => {
    const compose = call("compose_files", { changes: [{ action: "delete", path: "/workspace/b.txt" }] });
    for (const gate of [true, false]) {
      const { run, text } = await setUp(compose, { interruptOn: { delete: gate } });
      expect(neededIn(await run())).toHaveLength(1);
      expect(await text("b.txt")).toBe("b\n");
    }
    const once = await setUp(remove, { interruptOn: { delete: true } });
    const paused = await once.run();
    expect(finished(await collect(once.agent.resume(answer(paused, { type: "approve" })))).reason).toBe(
      "completed",
    );
    expect(await once.text("b.txt")).toBeUndefined();
    const documents = call("compose_files", { changes: [{ action: "delete", path: "/docs/x.md" }] });
    expect(neededIn(await (await setUp(documents)).run())).toHaveLength(1);
    await expect(setUp(edit, { approvals: { paths: ["/docs/**"] } })).rejects.toMatchObject({
      option: "approvals.paths",
    });
  });

  it("what git would take away, which an undo brings back", async () => {
    const { workspace, run, agent, text } = await setUp(
      call("git_ops", { action: "discard", paths: ["a.txt"] }),
    );
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: workspace });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    await writeFile(path.join(workspace, "a.txt"), "hours of work\n");
    const paused = await run();
    expect(neededIn(paused)).toMatchObject([{ actions: [{ tool: "git_ops" }] }]);
    expect(await text("a.txt")).toBe("hours of work\n");
    const events = await collect(agent.resume(answer(paused, { type: "approve" })));
    expect(results(events)[0]?.output).toContain("[it changed /workspace/a.txt]");
    expect(await text("a.txt")).toBe("one\ntwo\n");
    expect(await agent.undo({ threadId: "t" })).toMatchObject({ restored: ["/workspace/a.txt"] });
    expect(await text("a.txt")).toBe("hours of work\n");
  });

  it("remembers no more than it says", async () => {
    const steps = [edit, remove, "done"];
    const { run, agent, text } = await setUp((step) => steps[step] ?? "done", {
      approvals: { paths: ["/workspace/a*"] },
    });
    const paused = await run();
    const half = await collect(agent.resume(answer(paused, { type: "approve", remember: true })));
    expect(neededIn(half)).toMatchObject([{ actions: [{ tool: "delete" }] }]);
    expect(await text("b.txt")).toBe("b\n");
  });

  it("in a terminal what changes later commands, and what is typed into a program", async () => {
    const open = call("manage_terminal", { action: "open" });
    const turns =
      (...calls: ReturnType<typeof call>[]): Turns =>
      (step, messages) => {
        if (step === 0) return open;
        const session = /Opened (\S+):/.exec(messages.map((message) => message.text).join("\n"))?.[1] ?? "";
        const next = calls[step - 1];
        return next
          ? {
              toolCalls: (next.toolCalls ?? []).map((each) => ({ ...each, args: { ...each.args, session } })),
            }
          : "done";
      };
    const alias = await setUp(
      turns(call("manage_terminal", { action: "run", command: "alias ls='rm -rf .'" })),
    );
    expect(JSON.stringify(neededIn(await alias.run()))).toContain("later commands");
    const typed = await setUp(
      turns(
        call("manage_terminal", { action: "start", command: "cat" }),
        call("manage_terminal", { action: "write", input: "x\n" }),
      ),
    );
    expect(JSON.stringify(neededIn(await typed.run()))).toContain("typed into");
    const waiting = await setUp(
      turns(
        call("manage_terminal", { action: "start", command: "sleep 30" }),
        call("manage_terminal", { action: "run", command: "ls" }),
      ),
    );
    expect(results(await waiting.run()).at(-1)).toMatchObject({
      status: "error",
      output: expect.stringContaining("runs in"),
    });
  });

  it("nothing when it is turned off", async () => {
    const { run, text } = await setUp(
      (step) => [remove, call("run_command", { command: "node -v > v.txt" })][step] ?? "done",
      {
        approvals: false,
      },
    );
    expect(finished(await run()).reason).toBe("completed");
    expect(await text("b.txt")).toBeUndefined();
    expect(await text("v.txt")).toContain("v");
  });

  it("a change set over files and documents, of which nothing is done before the answer", async () => {
    const compose = call("compose_files", {
      changes: [
        { action: "create", path: "/docs/moved.md", content: "moved\n" },
        { action: "edit", path: "/workspace/a.txt", old_string: "two", new_string: "2" },
        { action: "delete", path: "/workspace/b.txt" },
      ],
    });
    const { run, agent, text } = await setUp(
      (step) => [compose, call("read_file", { file_path: "/docs/moved.md" })][step] ?? "done",
    );
    const paused = await run();
    expect(neededIn(paused)).toMatchObject([
      { actions: [{ details: { files: [{ kind: "change" }, { kind: "delete" }] } }] },
    ]);
    const events = await collect(agent.resume(answer(paused, { type: "reject" })));
    const [composed, document] = results(events);
    expect(composed?.status).toBe("error");
    expect(document?.output).not.toContain("moved\n");
    expect(document?.output).toContain("not found");
    expect([await text("a.txt"), await text("b.txt")]).toEqual(["one\ntwo\n", "b\n"]);
    const again = await setUp(compose);
    const asked = await again.run();
    await collect(again.agent.resume(answer(asked, { type: "approve" })));
    expect([await again.text("a.txt"), await again.text("b.txt")]).toEqual(["one\n2\n", undefined]);
  });

  it("a rename is no deletion, and a document is one", async () => {
    const { run, agent } = await setUp(
      (step) =>
        [
          call("write_file", { file_path: "/docs/x.md", content: "x" }),
          call("delete", { file_path: "/docs/../docs/./x.md" }),
        ][step] ?? "done",
    );
    const paused = await run();
    expect(neededIn(paused)).toMatchObject([{ actions: [{ tool: "delete", details: { kind: "tool" } }] }]);
    await collect(agent.resume(answer(paused, { type: "approve" })));
  });

  it("once, when the user lets it be remembered, until the next message", async () => {
    const again = (step: number) =>
      step % 3 === 2 ? "done" : call("write_file", { file_path: `/workspace/${step}`, content: "x" });
    const { run, agent, text } = await setUp(again, { requireDiffApproval: true });
    const paused = await run();
    const events = await collect(agent.resume(answer(paused, { type: "approve", remember: true })));
    expect(finished(events).reason).toBe("completed");
    expect(await text("1")).toBe("x");
    expect(neededIn(await run())).toHaveLength(1);
  });

  it("with a time limit: late is denied, and an answer given then is an error that changes nothing", async () => {
    const { run, agent, text } = await setUp(remove, { approvals: { timeoutMs: 1 } });
    const paused = await run();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(collect(agent.resume(answer(paused, { type: "approve" })))).rejects.toMatchObject({
      code: "approval_expired",
    });
    const events = await collect(agent.resume({ threadId: "t" }));
    expect(finished(events).reason).toBe("completed");
    expect(results(events)[0]?.output).toContain("Nobody answered in time");
    expect(await text("b.txt")).toBe("b\n");
  });

  it("a client of LangChain's own form may answer, and what is no answer leaves the question open", async () => {
    const { run, agent, text } = await setUp(remove);
    await run();
    const config = { configurable: { thread_id: "t" } };
    for (const resume of ["approve", { decisions: [{ type: "maybe" }] }, { decisions: [{ type: "edit" }] }])
      await agent.invoke(new Command({ resume }), config);
    expect(await text("b.txt")).toBe("b\n");
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
    expect(await text("b.txt")).toBeUndefined();
  });

  it("without a checkpointer the answer is no", async () => {
    const { agent, text } = await setUp(remove, { checkpointer: false });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events)[0]).toMatchObject({
      status: "error",
      output: expect.stringContaining("no checkpointer"),
    });
    expect(await text("b.txt")).toBe("b\n");
  });
});

describe("staged changes", () => {
  const turns: Turns = (step) =>
    [
      call("read_file", { file_path: "/workspace/a.txt" }),
      edit,
      call("read_file", { file_path: "/workspace/a.txt" }),
      call("task", { subagent_type: "general-purpose", description: "x" }),
    ][step] ?? "done";
  const delegate: Turns = (step) =>
    step === 0 ? call("write_file", { file_path: "/workspace/n.txt", content: "n\n" }) : "ok";

  it("wait without a pause, are read as made, and reach the disk when they are accepted", async () => {
    const { run, agent, text, workspace } = await setUp(turns, { review: "staged" }, delegate);
    const events = await run();
    expect(finished(events).reason).toBe("completed");
    const [, edited, read] = results(events);
    expect(edited?.output).toContain(
      "[Staged, and not on the disk until the user accepts it: /workspace/a.txt.",
    );
    expect(read?.output).toContain("2");
    expect(results(events).find(({ tool }) => tool === "write_file")?.output).toContain("Staged");
    expect([await text("a.txt"), await text("n.txt")]).toEqual(["one\ntwo\n", undefined]);
    expect((await agent.staged?.list())?.map(({ file, kind }) => `${kind} ${file}`)).toEqual([
      "change /workspace/a.txt",
      "create /workspace/n.txt",
    ]);
    await writeFile(path.join(workspace, "a.txt"), "one\nzwei\n");
    expect(await agent.staged?.accept(["/workspace/n.txt"])).toMatchObject({ refused: [] });
    expect(await agent.staged?.accept()).toMatchObject({ refused: [{ file: "/workspace/a.txt" }] });
    expect([await text("a.txt"), await text("n.txt")]).toEqual(["one\nzwei\n", "n\n"]);
    expect(await agent.staged?.reject()).toEqual({ rejected: ["/workspace/a.txt"], refused: [] });
  });

  it("are undone while they wait, and on the disk once they were accepted", async () => {
    const waiting = await setUp(turns, { review: "staged" }, delegate);
    await waiting.run();
    expect((await waiting.agent.undo({ threadId: "t" })).restored).toHaveLength(2);
    expect(await waiting.agent.staged?.list()).toEqual([]);
    const accepted = await setUp(turns, { review: "staged" }, delegate);
    await accepted.run();
    await accepted.agent.staged?.accept();
    expect(await accepted.text("a.txt")).toBe("one\n2\n");
    expect((await accepted.agent.undo({ threadId: "t" })).restored).toHaveLength(2);
    expect([await accepted.text("a.txt"), await accepted.text("n.txt")]).toEqual(["one\ntwo\n", undefined]);
    const long = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join("");
    const change = (n: number) =>
      call("edit_file", {
        file_path: "/workspace/a.txt",
        old_string: `line ${n}\n`,
        new_string: `LINE ${n}\n`,
      });
    const partly = await setUp((step) => [change(1), change(25)][step] ?? "done", { review: "staged" });
    await writeFile(path.join(partly.workspace, "a.txt"), long);
    await partly.run();
    const [one] = (await partly.agent.staged?.list())?.[0]?.hunks ?? [];
    await partly.agent.staged?.accept([{ file: "/workspace/a.txt", hunks: [one?.id ?? ""] }]);
    expect(await partly.agent.undo({ threadId: "t" })).toMatchObject({
      restored: [],
      refused: [{ file: "/workspace/a.txt", why: expect.stringContaining("accept that") }],
    });
    await partly.agent.staged?.accept();
    expect(await partly.text("a.txt")).toBe(long);
  });

  it("make a command ask first, which does not see them", async () => {
    const command = call("run_command", { command: "echo x > x.txt" });
    const { run } = await setUp((step) => [edit, command][step] ?? "done", { review: "staged" });
    const [needed] = neededIn(await run());
    expect(JSON.stringify(needed?.actions)).toContain("1 staged change is not on the disk");
    const reading = await setUp(
      (step) => [edit, call("run_command", { command: "cat a.txt" })][step] ?? "done",
      { review: "staged" },
    );
    expect(finished(await reading.run()).reason).toBe("completed");
  });

  it("and approvals of each diff are one or the other", async () => {
    const places = await workspaceWith();
    const options = { ...places, model: "scripted", review: "staged", requireDiffApproval: true } as const;
    await expect(agentWith(options)).rejects.toMatchObject({ option: "review" });
    const { agent } = await setUp(edit);
    expect(agent.staged).toBeUndefined();
  });
});

describe("undo", () => {
  it("takes back a run, its delegates' changes and its resumed part included, also in another process", async () => {
    const { run, agent, options, text } = await setUp(
      (step) =>
        [edit, call("task", { subagent_type: "general-purpose", description: "x" }), remove, "done"][step] ??
        "?",
      {},
      (step) =>
        step === 0 ? call("write_file", { file_path: "/workspace/deep/new.txt", content: "n" }) : "ok",
    );
    const paused = await run();
    await agent.close();
    const next = await agentWith(options);
    await collect(next.resume(answer(paused, { type: "approve" })));
    expect([await text("a.txt"), await text("b.txt"), await text("deep/new.txt")]).toEqual([
      "one\n2\n",
      undefined,
      "n",
    ]);
    const { restored } = await next.undo({ threadId: "t" });
    expect([...restored].sort()).toEqual(["/workspace/a.txt", "/workspace/b.txt", "/workspace/deep/new.txt"]);
    expect([await text("a.txt"), await text("b.txt"), await text("deep/new.txt")]).toEqual([
      "one\ntwo\n",
      "b\n",
      undefined,
    ]);
    expect(await next.undo({ threadId: "t", scope: "thread" })).toEqual({
      restored: [],
      unchanged: [],
      refused: [],
    });
  });

  it("takes back what a command changed, which the result names, and refuses an edit based on an older reading", async () => {
    const { run, agent, text } = await setUp(
      (step) =>
        [
          call("read_file", { file_path: "/workspace/a.txt" }),
          call("run_command", { command: "echo three >> a.txt; rm b.txt; echo n > new.txt" }),
          edit,
        ][step] ?? "done",
      { approvals: false },
    );
    const [, command, stale] = results(await run());
    expect(command?.output).toContain("[it created /workspace/new.txt]");
    expect(command?.output).toContain("[it changed /workspace/a.txt]");
    expect(command?.artifact).toMatchObject({ changes: { deleted: ["/workspace/b.txt"] } });
    expect(stale).toMatchObject({ status: "error", output: expect.stringContaining("a command of main") });
    const { restored } = await agent.undo({ threadId: "t" });
    expect(restored).toHaveLength(3);
    expect([await text("a.txt"), await text("b.txt"), await text("new.txt")]).toEqual([
      "one\ntwo\n",
      "b\n",
      undefined,
    ]);
  });

  it("takes back the last run only, leaves other threads alone, and what the user has changed since", async () => {
    const turns: Turns = (step) =>
      step % 2 === 0 ? call("write_file", { file_path: `/workspace/n${step}`, content: "x" }) : "done";
    const { agent, text, workspace } = await setUp(turns);
    await collect(agent.run("go", { threadId: "t" }));
    await collect(agent.run("go", { threadId: "t" }));
    expect(await agent.undo({ threadId: "other" })).toMatchObject({ restored: [] });
    await collect(agent.run("go", { threadId: "t" }));
    expect((await agent.undo({ threadId: "t", scope: "step" })).restored).toEqual(["/workspace/n4"]);
    const { restored, redo = "" } = await agent.undo({ threadId: "t" });
    expect(restored).toEqual(["/workspace/n2"]);
    expect((await agent.undo({ threadId: "t", redo })).restored).toEqual(["/workspace/n2"]);
    expect(await text("n2")).toBe("x");
    await writeFile(path.join(workspace, "n0"), "the user's");
    expect(await agent.undo({ threadId: "t" })).toMatchObject({
      restored: [],
      refused: [{ file: "/workspace/n0" }],
    });
    expect(await text("n0")).toBe("the user's");
  });

  it("says when there is nothing that could be undone, and does not meddle with a run", async () => {
    const { agent } = await setUp(edit, { undo: false });
    await expect(agent.undo({ threadId: "t" })).rejects.toMatchObject({ code: "undo_unavailable" });
    const busy = await setUp(call("run_command", { command: "sleep 1" }));
    const events = busy.agent.run("go", { threadId: "t" });
    await events.next();
    await expect(busy.agent.undo({ threadId: "t" })).rejects.toMatchObject({ code: "thread_busy" });
    await expect(busy.agent.undo({ threadId: "" })).rejects.toMatchObject({ code: "invalid_config" });
    await events.return();
  });
});

describe("the agent's files", () => {
  it("are held as `files` says, and the agent's own state is not among them", async () => {
    const places = await workspaceWith(FILES);
    const stateDir = path.join(places.workspace, ".state");
    const agent = await agentWith({
      workspace: places.workspace,
      stateDir,
      files: { protectedPaths: ["/b.txt"], requireRead: true },
      model: modelOf(
        (step) =>
          [
            edit,
            call("write_file", { file_path: "/workspace/b.txt", content: "x" }),
            call("ls", { path: "/workspace/" }),
          ][step] ?? "done",
      ),
    });
    const [unread, protectedFile, list] = results(await collect(agent.run("go", { threadId: "t" })));
    expect(unread?.output).toContain("you have not read it");
    expect(protectedFile?.status).toBe("error");
    expect(list?.output).toContain("a.txt");
    expect(list?.output).not.toContain(".state");
  });

  it("and it is found there also through a link, and may not be the workspace itself", async () => {
    const places = await workspaceWith(FILES);
    await mkdir(path.join(places.workspace, "..state"));
    await symlink(path.join(places.workspace, "..state"), `${places.workspace}-state`);
    const agent = await agentWith({
      workspace: places.workspace,
      stateDir: `${places.workspace}-state`,
      model: modelOf((step) => (step === 0 ? call("ls", { path: "/workspace/" }) : "done")),
    });
    const [list] = results(await collect(agent.run("go", { threadId: "t" })));
    expect(list?.output).not.toContain("..state");
    await expect(
      agentWith({ workspace: places.workspace, stateDir: places.workspace, model: "scripted" }),
    ).rejects.toMatchObject({ option: "stateDir" });
  });

  it("a backend of one's own takes none of these options", async () => {
    const { workspace } = await workspaceWith();
    const { StateBackend } = await import("deepagents");
    await expect(
      agentWith({
        workspace,
        model: "scripted",
        backend: new StateBackend(),
        unsafe: true,
        requireDiffApproval: true,
      }),
    ).rejects.toMatchObject({ option: "requireDiffApproval" });
  });
});
