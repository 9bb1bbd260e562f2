import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { createRights, defineTool } from "@fiveseam/tool-pipeline";
import { defineRole, ROLES } from "@fiveseam/subagents";
import { InMemoryStore } from "@langchain/langgraph";
import type { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createCodingAgent, type CodingAgentOptions } from "../src/index.js";
import { delegation, foreignWriter, recklessModel, repository, writes } from "./attacks.js";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const write = (file_path: string) => ({ name: "write_file", args: { file_path, content: "x" } });

/** An agent that delegates once to each type, whose delegates make these calls. */
const playing = async (
  types: readonly string[],
  attempts: (type: string) => Parameters<typeof recklessModel>[0] extends (b: string) => infer A ? A : never,
  options: Partial<CodingAgentOptions> = {},
) => {
  const places = await repository();
  const { model, answers } = recklessModel((brief) =>
    brief === "main"
      ? types.map(delegation)
      : brief.startsWith("brief for ")
        ? attempts(brief.slice("brief for ".length))
        : [],
  );
  const agent = await agentWith({
    workspace: places.workspace,
    stateDir: places.stateDir,
    model: model as never,
    limits: { rateLimit: false, loopGuard: false, run: { maxConsecutiveFailures: false } },
    ...options,
  });
  const before = await places.hash();
  const events = await collect(agent.run("main", { threadId: "t" }));
  const told = (type: string) =>
    (answers.find(({ brief }) => brief === `brief for ${type}`)?.messages ?? []).filter(
      (message): message is ToolMessage => message.getType() === "tool",
    );
  return { ...places, events, told, unchanged: (await places.hash()) === before };
};

describe("the roles that only read", () => {
  it("change nothing by any tool, a foreign one and commands included, and the run goes on", async () => {
    const types = ["code-analyzer", "reviewer", "architecture-expert"];
    const places = await workspaceWith();
    const { unchanged, told, events } = await playing(
      types,
      (type) => [...writes(type), write("/docs/x.md"), write("/docs/adr/1.md"), { name: "task", args: {} }],
      { tools: [foreignWriter(places.workspace)], store: new InMemoryStore() },
    );
    expect(unchanged).toBe(true);
    for (const type of types) {
      expect(told(type)).toHaveLength(writes(type).length + 3);
      expect(told(type).filter(({ status }) => status !== "error")).toEqual([]);
    }
    const ended = ofType(events, "delegate.finished").filter(({ agent }) => agent === "main");
    expect(ended.map(({ status }) => status)).toEqual(types.map(() => "success"));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
    expect(await readdir(places.workspace)).toEqual([]);
  });
});

describe("the roles that write documents", () => {
  it("write below their own path, and nowhere else by any spelling of it", async () => {
    const store = new InMemoryStore();
    const { told, unchanged } = await playing(
      ["doc-writer", "architect"],
      () => [
        write("/docs/adr/1.md"),
        write("/docs/guide.md"),
        write("/docs/./adr//2.md"),
        write("/docs/../workspace/x.md"),
        write("/docs/adr/../../workspace/x.md"),
        write("/workspace/docs/x.md"),
        write("/workspace/leak/x.md"),
        { name: "run_command", args: { command: "touch x" } },
        { name: "git_ops", args: { action: "add", paths: ["."] } },
      ],
      { store },
    );
    const passed = (type: string) => told(type).flatMap(({ status }, at) => (status === "error" ? [] : [at]));
    expect(passed("doc-writer")).toEqual([0, 1, 2]);
    expect(passed("architect")).toEqual([0, 2]);
    expect(unchanged).toBe(true);
  });
});

describe("a role of the product's own", () => {
  const TEXTS = { description: "x", purpose: "x", answer: "x" };
  const links = defineRole({
    ...TEXTS,
    name: "linker",
    policy: createRights({
      effects: ["fs.read", "fs.write"],
      read: "all",
      write: ["/workspace/linked/**", "/workspace/leak/**", "/workspace/docs/**"],
    }),
  });

  it("is held to its paths on the file that a path really leads to", async () => {
    const { told, workspace, outside } = await playing(
      ["linker"],
      () => [write("/workspace/linked/x"), write("/workspace/leak/x"), write("/workspace/docs/x")],
      { roles: [links] },
    );
    expect(told("linker").map(({ status }) => status === "error")).toEqual([true, true, false]);
    expect(await readdir(path.join(workspace, "src"))).toEqual(["b.txt"]);
    expect(await readdir(outside)).toEqual(["o.txt"]);
    expect(await readFile(path.join(workspace, "docs", "x"), "utf8")).toBe("x");
  });

  it("may not hold more than its policy allows, nor have a name that is taken", async () => {
    const places = await workspaceWith();
    const create = (options: Partial<CodingAgentOptions>) =>
      createCodingAgent({ ...places, model: modelOf(() => "x"), ...options });
    const greedy = defineRole({ ...links, name: "greedy", tools: { names: ["run_tests"] } });
    await expect(create({ roles: [greedy] })).rejects.toMatchObject({
      code: "rights_exceeded",
      role: "greedy",
      tool: "run_tests",
      effects: ["exec"],
    });
    await expect(create({ roles: [ROLES.tester] })).rejects.toMatchObject({ option: "roles.0.name" });
    await expect(create({ roles: [{ name: "x" } as never] })).rejects.toMatchObject({ option: "roles.0" });
    await expect(create({ roleModels: { linker: "scripted" } })).rejects.toMatchObject({
      option: "roleModels.linker",
    });
    await (await create({ roles: [links], roleModels: { linker: "scripted" } })).close();
  });
});

describe("switches", () => {
  const offer = async (options: Partial<CodingAgentOptions>) => {
    const places = await workspaceWith();
    const model = modelOf(
      () => "x",
      () => "alone",
    );
    const agent = await agentWith({ ...places, model, ...options });
    expect(finished(await collect(agent.run("go", { threadId: "t" }))).reason).toBe("completed");
    const [first] = model.calls;
    return {
      task: first?.tools.find(({ name }) => name === "task")?.description,
      prompt: first?.messages[0]?.text ?? "",
    };
  };
  const poet = { name: "poet", description: "Writes poems.", systemPrompt: "x" };

  it("`delegates: false` takes the task tool away, and every mention of it", async () => {
    const all = await offer({});
    for (const name of Object.keys(ROLES)) expect(all.task).toContain(`- ${name}: `);
    expect(all.prompt).toContain("reviewer");
    const none = await offer({ delegates: false, subagents: [poet] });
    expect(none.task).toBeUndefined();
    expect(none.prompt).not.toMatch(/task \(|reviewer/);
    // Not even for a model that calls it all the same.
    const places = await workspaceWith();
    const { model } = recklessModel(() => [delegation("reviewer")]);
    const agent = await agentWith({ ...places, model: model as never, delegates: false });
    const [refused] = ofType(await collect(agent.run("go", { threadId: "t" })), "delegate.finished");
    expect(refused).toMatchObject({ status: "error", report: expect.stringContaining("not a valid tool") });
  });

  it("`delegates` by name takes one type away, a role or a delegate of your own", async () => {
    const { task, prompt } = await offer({
      delegates: { reviewer: false, poet: false, tester: true, "general-purpose": false },
      subagents: [poet, { ...poet, name: "novelist" }],
    });
    for (const name of ["reviewer", "poet"]) expect(task).not.toContain(name);
    for (const name of ["tester", "novelist", "architect"]) expect(task).toContain(`- ${name}: `);
    expect(task).toContain("- general-purpose: Switched off here");
    expect(prompt).not.toMatch(/reviewer|general-purpose/);
    const places = await workspaceWith();
    await expect(
      createCodingAgent({ ...places, model: modelOf(() => "x"), delegates: { revewer: false } }),
    ).rejects.toMatchObject({ option: "delegates.revewer", message: expect.stringContaining("reviewer") });
  });

  it("`limits.delegation` sets how long a delegate may work", async () => {
    const places = await workspaceWith();
    const slow = defineTool({
      name: "slow",
      description: "x",
      schema: z.object({}),
      effects: ["fs.read"],
      run: (_args, { signal }) =>
        new Promise<string>((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    });
    const agent = await agentWith({
      ...places,
      tools: [slow],
      limits: { delegation: { deadlineMs: 300 } },
      model: modelOf(
        (step) => (step === 0 ? call("task", { subagent_type: "reviewer", description: "x" }) : "went on"),
        () => call("slow"),
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(ofType(events, "delegate.finished")[0]).toMatchObject({
      status: "error",
      report: expect.stringContaining("it had worked for 0.3 s"),
    });
    expect(finished(events)).toMatchObject({ reason: "completed", text: "went on" });
  });

  it("delegates see the files and documents that the agent sees, and the other way round", async () => {
    const seen: string[] = [];
    const read = (file_path: string) => call("read_file", { file_path });
    const agent = await agentWith({
      ...(await workspaceWith({ "a.txt": "the agent's" })),
      model: modelOf(
        (step) =>
          [
            call("write_file", { file_path: "/docs/a.md", content: "the agent's" }),
            call("task", { subagent_type: "general-purpose", description: "look" }),
            read("/workspace/b.txt"),
            read("/docs/b.md"),
          ][step] ?? "done",
        (step, messages) => {
          seen.push(messages.at(-1)?.text ?? "");
          return (
            [
              read("/workspace/a.txt"),
              read("/docs/a.md"),
              call("write_file", { file_path: "/workspace/b.txt", content: "the delegate's" }),
              call("write_file", { file_path: "/docs/b.md", content: "the delegate's" }),
            ][step] ?? "done"
          );
        },
      ),
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(seen.slice(1, 3)).toEqual([
      expect.stringContaining("the agent's"),
      expect.stringContaining("the agent's"),
    ]);
    const outputs = results(events).filter(({ delegation: by }) => by === null);
    expect(outputs.slice(-2).map(({ output }) => output)).toEqual([
      expect.stringContaining("the delegate's"),
      expect.stringContaining("the delegate's"),
    ]);
  });

  it("skills are general-purpose's too, and no other role's", async () => {
    const places = await workspaceWith({
      "skills/haiku/SKILL.md": "---\nname: haiku\ndescription: Writes haiku.\n---\nCount.\n",
    });
    const model = modelOf(
      (step) =>
        step === 0
          ? {
              toolCalls: ["general-purpose", "tester"].map((subagent_type) => ({
                name: "task",
                args: { subagent_type, description: subagent_type },
              })),
            }
          : "end",
      () => "done",
    );
    const agent = await agentWith({ ...places, model, skills: ["/workspace/skills/"] });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events).filter(({ status }) => status === "error")).toEqual([]);
    const skilled = model.calls
      .filter(({ messages }) => messages[0]?.text.includes("haiku"))
      .map(({ messages }) => messages.find((message) => message.getType() === "human")?.text);
    expect(skilled).toEqual(["go", "general-purpose", "go"]);
  });
});
