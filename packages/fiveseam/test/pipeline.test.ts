import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import {
  declareEffects,
  defineTool,
  memoryAuditSink,
  verifyAuditLog,
  type AuditRecord,
} from "@fiveseam/tool-pipeline";
import { tool, type StructuredTool } from "@langchain/core/tools";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const recordsIn = async (stateDir: string): Promise<(AuditRecord & { seq: number })[]> => {
  const text = await readFile(path.join(stateDir, "audit", "audit.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord & { seq: number });
};

const task = (role: string, description: string, id: string) =>
  call("task", { subagent_type: role, description }, id);

/** The tools of MCP's reference server, which npm brings, over its standard input and output. */
const mcpTools = async (): Promise<StructuredTool[]> => {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
  const client = new MultiServerMCPClient({
    mcpServers: {
      everything: {
        transport: "stdio",
        command: process.execPath,
        args: [path.join(path.dirname(manifest), "dist/index.js"), "stdio"],
        stderr: "ignore",
      },
    },
  });
  onTestFinished(() => client.close());
  return (await client.getTools()) as unknown as StructuredTool[];
};

const count = (text: string) =>
  defineTool({
    name: `look_${text}`,
    description: "Looks something up.",
    schema: z.object({ n: z.number().optional() }),
    effects: [],
    cacheable: true,
    run: () => `seen ${text}`,
  });

describe("every call of an agent goes through one pipeline", () => {
  it("audits file tools, commands, task, a delegate's own calls and an MCP server's, one line each, in a chain that verifies", async () => {
    const places = await workspaceWith({ "a.txt": "alpha\n" });
    const tools = await mcpTools();
    const model = modelOf(
      (step) =>
        [
          call("read_file", { file_path: "/workspace/a.txt" }, "read"),
          {
            toolCalls: [
              { name: "write_file", args: { file_path: "/workspace/b.txt", content: "b\n" }, id: "write" },
              { name: "run_command", args: { command: "cat b.txt; exit 3" }, id: "command" },
            ],
          },
          call("echo", { message: "hello from afar" }, "mcp"),
          call("write_todos", { todos: [{ content: "x", status: "pending" }] }, "todos"),
          task("code-analyzer", "Look at a.txt.", "task"),
          "done",
        ][step] ?? "done",
      (step) =>
        step === 0 ? call("grep", { pattern: "alpha", path: "/workspace/" }, "inner") : "It says alpha.",
    );
    const agent = await agentWith({ ...places, model, tools });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed" });
    const text = (id: string): string => {
      const event = results(events).find((each) => each.callId === id);
      return JSON.stringify(event);
    };
    expect(text("mcp")).toContain("hello from afar");
    await agent.close();

    const records = await recordsIn(places.stateDir);
    const lines = records.map(({ callId, tool, agent: who, role, outcome }) => ({
      callId,
      tool,
      who,
      role,
      outcome,
    }));
    const main = { who: "main", role: undefined, outcome: "executed" };
    expect(lines).toEqual(
      expect.arrayContaining([
        { callId: "read", tool: "read_file", ...main },
        { callId: "write", tool: "write_file", ...main },
        { callId: "command", tool: "run_command", ...main },
        { callId: "mcp", tool: "echo", ...main },
        { callId: "todos", tool: "write_todos", ...main },
        { callId: "inner", tool: "grep", who: "code-analyzer", role: "code-analyzer", outcome: "executed" },
        { callId: "task", tool: "task", ...main },
      ]),
    );
    expect(lines).toHaveLength(7);
    // An MCP server's word does not count: its tools have every effect.
    expect(records.find(({ callId }) => callId === "mcp")?.effects).toContain("exec");
    const verdict = await verifyAuditLog(path.join(places.stateDir, "audit"));
    expect(verdict).toMatchObject({ ok: true, lines: 7 });
  });

  it("writes one line for a call that an interrupt inside a delegate cut and a resume in a new agent finished", async () => {
    const places = await workspaceWith();
    const ask = declareEffects(
      defineTool({
        name: "ask_user",
        description: "Asks.",
        schema: z.object({}),
        effects: [],
        run: () => String(interrupt("which one?")),
      }),
      { effects: [] },
    );
    const model = () =>
      modelOf(
        (step) => (step === 0 ? task("general-purpose", "Ask.", "task") : "done"),
        (step) => (step === 0 ? call("ask_user", {}, "ask") : "It is the left one."),
      );
    const first = await agentWith({ ...places, model: model(), tools: [ask] });
    const events = await collect(first.run("go", { threadId: "t" }));
    expect(finished(events).reason).toBe("needs_input");
    await first.close();

    const second = await agentWith({ ...places, model: model(), tools: [ask] });
    const pending = ofType(events, "input.needed")[0];
    expect(pending).toBeDefined();
    const rest = await collect(second.resume({ threadId: "t", answers: { [pending!.interruptId]: "left" } }));
    expect(finished(rest).reason).toBe("completed");
    await second.close();
    const outcomes = (await recordsIn(places.stateDir)).map(({ callId, outcome }) => `${callId} ${outcome}`);
    expect(outcomes.filter((line) => line === "ask executed")).toHaveLength(1);
    expect(outcomes.filter((line) => line === "task executed")).toHaveLength(1);
    expect(outcomes.filter((line) => line === "ask interrupted")).toHaveLength(1);
  });

  it("refuses the call beyond the limit with a tool result and the run goes on; a cached answer takes nothing from the limit", async () => {
    const places = await workspaceWith();
    const sink = memoryAuditSink();
    const one = (id: string, n: number) => ({ name: "look_it", args: { n }, id });
    const model = modelOf(
      (step) =>
        [
          { toolCalls: [one("a", 1), one("b", 2)] },
          { toolCalls: [one("c", 1)] },
          { toolCalls: [one("d", 3), one("e", 4)] },
        ][step] ?? "done",
    );
    const agent = await agentWith({
      ...places,
      model,
      tools: [count("it")],
      audit: { sink },
      limits: { rateLimit: { perToolPerMinute: 3 } },
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
    const outcome = (id: string) => sink.records.find(({ callId }) => callId === id)?.outcome;
    expect(["a", "b", "c", "d", "e"].map(outcome)).toEqual([
      "executed",
      "executed",
      "cached",
      "executed",
      "limited",
    ]);
  });

  it("answers from the cache until the file behind the answer changes, by a tool, a command or somebody else", async () => {
    const places = await workspaceWith({ "a.txt": "one" });
    const file = path.join(places.workspace, "a.txt");
    let reads = 0;
    const peek = defineTool({
      name: "peek",
      description: "Reads a.txt.",
      schema: z.object({}),
      effects: ["fs.read"],
      cacheable: true,
      paths: () => ["/workspace/a.txt"],
      run: async () => {
        reads += 1;
        return readFile(file, "utf8");
      },
    });
    const sink = memoryAuditSink();
    const model = modelOf((step) =>
      step === 0 ? call("peek", {}, "p0") : step < 3 ? call("peek", {}, `p${step}`) : "done",
    );
    const old = new Date(Date.now() - 60_000);
    const agent = await agentWith({ ...places, model, tools: [peek], audit: { sink } });
    // A file younger than its time stamps can tell apart is not kept (ctime cannot be set back): wait it out.
    await utimes(file, old, old);
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    await collect(agent.run("go", { threadId: "t" }));
    expect(reads).toBe(1);
    expect(sink.records.map(({ outcome }) => outcome)).toEqual(["executed", "cached", "cached"]);
    await writeFile(file, "two");
    await collect(agent.run("again", { threadId: "t2" }));
    expect(reads).toBe(4);
  });
});

describe("what agents share", () => {
  it("a cached answer goes to no tool of another agent, and to no other conversation", async () => {
    const places = await workspaceWith();
    const lookup = (answer: string) =>
      defineTool({
        name: "lookup",
        description: "Looks up.",
        schema: z.object({}),
        effects: [],
        cacheable: true,
        run: () => answer,
      });
    const model = modelOf(
      (step) => [call("lookup", {}, "own"), task("other", "Look.", "task")][step] ?? "done",
      (step) => (step === 0 ? call("lookup", {}, "theirs") : "done"),
    );
    const agent = await agentWith({
      ...places,
      model,
      tools: [lookup("tenant A")],
      subagents: [{ name: "other", description: "x", systemPrompt: "x", tools: [lookup("tenant B")] }],
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events).map(({ output }) => output)).toEqual(
      expect.arrayContaining(["tenant A", "tenant B"]),
    );
  });

  it("two agents on one state directory share its threads: a second run waits or is refused, and nothing is lost", async () => {
    const places = await workspaceWith();
    const slow = () => modelOf((step) => (step === 0 ? call("run_command", { command: "sleep 1" }) : "fin"));
    const [one, two] = [
      await agentWith({ ...places, model: slow() }),
      await agentWith({ ...places, model: modelOf(() => "quick") }),
    ];
    const first = collect(one.run("from A", { threadId: "t" }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(collect(two.run("from B", { threadId: "t" }))).rejects.toMatchObject({
      code: "thread_busy",
    });
    expect(finished(await first).reason).toBe("completed");
  });
});

describe("commands", () => {
  it("that would end the machine or a home are refused in every agent; the run goes on", async () => {
    const places = await workspaceWith();
    const model = modelOf((step) =>
      step === 0 ? call("run_command", { command: "bash -c 'rm -rf ~'" }, "worst") : "done",
    );
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(results(events)[0]).toMatchObject({
      status: "error",
      output: expect.stringContaining("was not run"),
    });
    expect(finished(events).reason).toBe("completed");
  });
});

describe("the pipeline's options", () => {
  it("lets a product put a layer of its own into it, which sees delegates too", async () => {
    const places = await workspaceWith({ "a.txt": "alpha\n" });
    const seen: string[] = [];
    const model = modelOf(
      (step) => (step === 0 ? task("code-analyzer", "Look.", "task") : "done"),
      (step) => (step === 0 ? call("ls", { path: "/workspace/" }, "inner") : "ok"),
    );
    const agent = await agentWith({
      ...places,
      model,
      pipeline: (pipeline) =>
        void pipeline.use(
          {
            name: "trace",
            handle: (each, next) => {
              seen.push(`${each.agent}:${each.toolName}`);
              return next(each);
            },
          },
          { before: "policy" },
        ),
    });
    await collect(agent.run("go", { threadId: "t" }));
    expect(seen).toEqual(["main:task", "code-analyzer:ls"]);
  });

  it("goes on without a line when the log cannot be written and says so once, and stops when the log is required", async () => {
    const broken = { write: () => Promise.reject(new Error("disk full")) };
    const turns = () => modelOf((step) => (step < 2 ? call("ls", { path: "/workspace/" }) : "done"));
    const places = await workspaceWith();
    const agent = await agentWith({ ...places, model: turns(), audit: { sink: broken } });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events).reason).toBe("completed");
    const warnings = ofType(events, "warning").filter(({ code }) => code === "audit_incomplete");
    expect(warnings.map(({ message }) => message)).toEqual(["The audit log cannot be written: disk full"]);

    const strict = await agentWith({
      ...(await workspaceWith()),
      model: turns(),
      audit: { sink: broken, auditRequired: true },
    });
    expect(finished(await collect(strict.run("go", { threadId: "t" })))).toMatchObject({
      reason: "failed",
      error: { code: "audit" },
    });
  });

  it("keeps no log with audit: false, and refuses a required log that has no place", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf((step) => (step === 0 ? call("ls", { path: "/workspace/" }) : "done")),
      audit: false,
    });
    await collect(agent.run("go", { threadId: "t" }));
    expect(await readdir(places.stateDir)).not.toContain("audit");
    await expect(
      agentWith({
        workspace: places.workspace,
        checkpointer: false,
        store: false,
        model: "scripted",
        audit: { auditRequired: true },
      }),
    ).rejects.toMatchObject({ name: "ConfigError", option: "audit" });
  });

  it("leaves out one tool that providers refuse and says so, and the others work", async () => {
    const places = await workspaceWith();
    const bad = tool(() => "", {
      name: "either",
      description: "Its schema is a union at the top, which no provider takes.",
      schema: { anyOf: [{ type: "object" }, { type: "string" }] } as never,
    });
    const model = modelOf((step) => (step === 0 ? call("look_it", {}, "good") : "done"));
    const agent = await agentWith({ ...places, model, tools: [bad, count("it")] });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(ofType(events, "warning").map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^tool_quarantined: The tool "either" was left out/),
    ]);
    expect(results(events)[0]).toMatchObject({ callId: "good", status: "success" });
    expect(model.calls[0]?.tools.map(({ name }) => name)).not.toContain("either");
  });

  it("caps a huge result in the middle and keeps the whole where the model can read it", async () => {
    const places = await workspaceWith();
    await mkdir(places.stateDir, { recursive: true });
    const whole = Array.from({ length: 120_000 }, (_, n) => `line ${n}`).join("\n");
    const big = defineTool({
      name: "big",
      description: "Says much.",
      schema: z.object({}),
      effects: [],
      run: () => whole,
    });
    const model = modelOf(
      (step) =>
        [
          call("big", {}, "big"),
          call("read_file", { file_path: "/large_tool_results/whole_big", offset: 60_000, limit: 2 }, "back"),
        ][step] ?? "done",
    );
    const agent = await agentWith({ ...places, model, tools: [big] });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const back = results(events).find(({ callId }) => callId === "back");
    expect(JSON.stringify(back)).toContain("line 60000");
  });
});
