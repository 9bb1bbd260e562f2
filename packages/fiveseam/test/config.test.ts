import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { defineTool } from "@fiveseam/tool-pipeline";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { StateBackend } from "deepagents";
import { createMiddleware } from "langchain";
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import {
  createCodingAgent,
  ConfigError,
  defaultStateDirectory,
  type CodingAgentOptions,
} from "../src/index.js";
import {
  agentWith,
  call,
  collect,
  finished,
  lastRequest,
  modelOf,
  ofType,
  results,
  workspaceWith,
} from "./support.js";

const named = (name: string) =>
  defineTool({ name, description: "x", schema: z.object({}), effects: [], run: () => `${name} ran` });

describe("options that are wrong", () => {
  const cases: [string, Record<string, unknown>, string, RegExp][] = [
    ["an unknown option", { modle: "scripted" }, "modle", /did you mean "model"/],
    ["an option of another library", { tool_choice: "x" }, "tool_choice", /The options are workspace, model/],
    ["no model", { model: undefined }, "model", /"model" is missing/],
    ["no workspace", { workspace: undefined }, "workspace", /"workspace" is missing/],
    [
      "a workspace that is not there",
      { workspace: "/no/such/place" },
      "workspace",
      /no directory "\/no\/such\/place"/,
    ],
    ["tools that are none", { tools: [{}] }, "tools.0", /a tool with a name/],
    ["a tool with a built-in's name", { tools: [named("read_file")] }, "tools", /built-in/],
    ["two tools of one name", { tools: [named("a"), named("a")] }, "tools", /Two tools are named "a"/],
    [
      "a tool with one of ours",
      { tools: [named("run_command")] },
      "tools",
      /Two tools are named "run_command"/,
    ],
    [
      "a gate for no tool",
      { interruptOn: { delete_file: true } },
      "interruptOn.delete_file",
      /the tools are .*delete,/,
    ],
    ["a backend", { backend: new StateBackend() }, "backend", /unsafe: true/],
    ["unsafe for nothing", { unsafe: true }, "unsafe", /leave it out/],
    ["a relative memory path", { memory: ["AGENTS.md"] }, "memory.0", /begins with "\/"/],
    ["a checkpointer that is none", { checkpointer: {} }, "checkpointer", /LangGraph checkpointer, or false/],
    [
      "a delegate with a specialist's name",
      { subagents: [{ name: "code-analyzer", description: "x", systemPrompt: "x" }] },
      "subagents.0.name",
      /exists already/,
    ],
    [
      "a delegate with a tool of a built-in's name",
      { subagents: [{ name: "mine", description: "x", systemPrompt: "x", tools: [named("grep")] }] },
      "subagents.0.tools",
      /built-in/,
    ],
    [
      "a compiled delegate that nobody vouched for",
      { subagents: [{ name: "mine", description: "x", runnable: { invoke: () => undefined } }] },
      "subagents.0",
      /trusted: true/,
    ],
  ];
  it.each(cases)(
    "%s: a ConfigError that names it and says what is right",
    async (_name, wrong, option, message) => {
      const places = await workspaceWith();
      const error: unknown = await createCodingAgent({
        ...places,
        model: modelOf(() => "x"),
        ...wrong,
      } as CodingAgentOptions).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({
        option,
        code: "invalid_config",
        message: expect.stringMatching(message),
      });
    },
  );

  it("a file as the workspace, and a run without a thread", async () => {
    const places = await workspaceWith();
    const file = path.join(places.workspace, "f");
    await writeFile(file, "");
    await expect(createCodingAgent({ workspace: file, model: "scripted" })).rejects.toMatchObject({
      option: "workspace",
    });
    const agent = await agentWith({ ...places, model: modelOf(() => "x") });
    expect(() => agent.run("x", { threadId: "" })).toThrow(ConfigError);
  });

  it("a provider's own errors come through: an unknown one, a missing key", async () => {
    const places = await workspaceWith();
    await expect(createCodingAgent({ ...places, model: "nobody:x" })).rejects.toMatchObject({
      code: "unknown_provider",
    });
  });
});

describe("every option does something", () => {
  const ask = async (options: Partial<CodingAgentOptions>, model = modelOf(() => "ok")) => {
    const places = await workspaceWith({ "AGENTS.md": "from agents", "RULES.md": "from rules" });
    const agent = await agentWith({ ...places, model, ...options });
    await collect(agent.run("hi", { threadId: "t" }));
    const [first] = model.calls;
    return {
      agent,
      places,
      prompt: first?.messages[0]?.text ?? "",
      tools: first?.tools.map((tool) => tool.name) ?? [],
    };
  };

  it("systemPrompt", async () => {
    expect((await ask({ systemPrompt: "Answer in French." })).prompt).toContain("Answer in French.");
  });
  it("tools", async () => {
    expect((await ask({ tools: [named("mine")] })).tools).toContain("mine");
    expect((await ask({})).tools).not.toContain("mine");
  });
  it("todos", async () => {
    expect((await ask({})).tools).toContain("write_todos");
    const without = await ask({ todos: false });
    expect(without.tools).not.toContain("write_todos");
    expect(without.prompt).not.toContain("write_todos");
  });
  it("host", async () => {
    expect((await ask({})).tools).toEqual(expect.arrayContaining(["run_command", "run_tests"]));
    const { tools, prompt } = await ask({ host: {} });
    expect(tools).not.toContain("run_command");
    expect(prompt).not.toContain("run the tests");
  });
  it("memory", async () => {
    expect((await ask({})).prompt).toContain("from agents");
    const { prompt } = await ask({ memory: ["/workspace/RULES.md"] });
    expect(prompt).toContain("from rules");
    expect(prompt).not.toContain("from agents");
  });
  it("store", async () => {
    const store = new InMemoryStore();
    const { prompt, places } = await ask({ store });
    expect(prompt).toContain("/docs/");
    expect(existsSync(path.join(places.stateDir, "docs.sqlite"))).toBe(false);
    expect((await ask({})).prompt).toContain("/docs/");
    expect((await ask({ store: false })).prompt).not.toContain("/docs/");
    expect((await ask({ checkpointer: new MemorySaver(), stateDir: undefined })).prompt).not.toContain(
      "/docs/",
    );
  });
  it("middleware", async () => {
    const seen: string[] = [];
    const spy = createMiddleware({
      name: "Spy",
      wrapModelCall: (request, handler) => {
        seen.push(request.messages.at(-1)?.text ?? "");
        return handler(request);
      },
    });
    await ask({ middleware: [spy] });
    expect(seen).toEqual(["hi"]);
  });
  it("checkpointer and stateDir", async () => {
    const saver = new MemorySaver();
    const { agent, places } = await ask({ checkpointer: saver });
    expect(agent.threads).toBe(saver);
    expect(agent.stateDir).toBe(places.stateDir);
    expect((await ask({})).agent.threads).not.toBe(saver);
  });
  it("subagents: on offer, with the pipeline around their tools", async () => {
    const bad = defineTool({
      name: "bad",
      description: "x",
      schema: z.object({}),
      effects: [],
      run: () => {
        throw new Error("bad luck");
      },
    });
    const model = modelOf(
      (step) => (step === 0 ? call("task", { subagent_type: "poet", description: "x" }) : "ok"),
      (step, messages) => (step === 0 ? call("bad") : `heard ${messages.at(-1)?.text}`),
    );
    const { agent } = await ask(
      {},
      modelOf(() => "ok"),
    );
    expect(agent).toBeDefined();
    const places = await workspaceWith();
    const own = await agentWith({
      ...places,
      model,
      subagents: [{ name: "poet", description: "Writes.", systemPrompt: "You write.", tools: [bad] }],
    });
    const events = await collect(own.run("go", { threadId: "t" }));
    expect(results(events)).toMatchObject([{ tool: "bad", status: "error", agent: "poet" }]);
    expect(finished(events).reason).toBe("completed");
    expect(model.calls[0]?.messages[0]?.text).toContain("poet");
  });
  it("a delegate's model: made as the agent's is, and refused as early", async () => {
    const delegate = { name: "poet", description: "x", systemPrompt: "x" };
    await expect(ask({ subagents: [{ ...delegate, model: "oracle:x" }] })).rejects.toMatchObject({
      code: "unknown_provider",
    });
    const places = await workspaceWith();
    const model = modelOf((step) =>
      step === 0 ? call("task", { subagent_type: "poet", description: "verse" }) : "ok",
    );
    const agent = await agentWith({ ...places, model, subagents: [{ ...delegate, model: "scripted" }] });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(events.find((event) => event.type === "delegate.finished")).toMatchObject({
      status: "success",
      report: expect.stringContaining("verse"),
    });
  });
  it("permissions hold for the agent and for general-purpose", async () => {
    const places = await workspaceWith({ "secret/key": "hunter2" });
    const read = call("read_file", { file_path: "/workspace/secret/key" });
    const model = modelOf(
      (step) => [read, call("task", { subagent_type: "general-purpose", description: "x" })][step] ?? "ok",
      (step) => (step === 0 ? read : "ok"),
    );
    const agent = await agentWith({
      ...places,
      model,
      permissions: [{ operations: ["read"], paths: ["/workspace/secret/**"], mode: "deny" }],
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const reads = results(events);
    expect(reads).toHaveLength(2);
    for (const event of reads) expect(event.output).not.toContain("hunter2");
  });
  it("backend with unsafe", async () => {
    const backend = new StateBackend();
    const { prompt } = await ask({ backend, unsafe: true });
    expect(prompt).not.toContain("from agents");
  });
  it("a key of the process's environment is not visible to commands", async () => {
    process.env["FIVESEAM_TEST_SECRET_KEY"] = "sk-very-secret";
    try {
      const model = modelOf((step) => (step === 0 ? call("run_command", { command: "env" }) : "ok"));
      await ask({ approvals: { commands: false } }, model);
      expect(lastRequest(model).join("\n")).toContain("PATH=");
      expect(lastRequest(model).join("\n")).not.toContain("sk-very-secret");
    } finally {
      delete process.env["FIVESEAM_TEST_SECRET_KEY"];
    }
  });
});

describe("the state directory", () => {
  it("that cannot be used is a ConfigError when it was named, else the agent works in memory and says so", async () => {
    const { workspace } = await workspaceWith({ "a file": "" });
    const blocked = path.join(workspace, "a file");
    const model = modelOf(() => "ok");
    await expect(
      createCodingAgent({ workspace, model, stateDir: path.join(blocked, "state") }),
    ).rejects.toMatchObject({ name: "ConfigError", option: "stateDir" });
    vi.stubEnv("XDG_STATE_HOME", blocked);
    vi.stubEnv("HOME", blocked);
    onTestFinished(() => void vi.unstubAllEnvs());
    const agent = await agentWith({ workspace, model });
    expect(agent.stateDir).toBeUndefined();
    const first = await collect(agent.run("hi", { threadId: "t" }));
    expect(ofType(first, "warning")).toMatchObject([{ code: "state_in_memory" }]);
    expect(finished(first).reason).toBe("completed");
    await collect(agent.run("again", { threadId: "t" }));
    expect(lastRequest(model)).toContain("human: hi");
  });

  it("is in the user's, differs between workspaces of one name, and is the same for one", async () => {
    const one = await workspaceWith();
    const other = await workspaceWith();
    const directory = await defaultStateDirectory(one.workspace);
    expect(directory).toBe(await defaultStateDirectory(path.join(one.workspace, "..", "work")));
    expect(directory).not.toBe(await defaultStateDirectory(other.workspace));
    expect(path.isAbsolute(directory)).toBe(true);
    expect(directory.startsWith(one.workspace)).toBe(false);
  });
});

describe("types", () => {
  it("state, context and response follow from the options", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({ ...places, model: modelOf(() => "x") });
    expectTypeOf(agent.run).parameter(1).toHaveProperty("threadId");
    const typed = () =>
      createCodingAgent({ ...places, model: "scripted", contextSchema: z.object({ userId: z.string() }) });
    type Typed = Awaited<ReturnType<typeof typed>>;
    expectTypeOf<Parameters<Typed["run"]>[1]["context"]>().toEqualTypeOf<{ userId: string } | undefined>();
    // @ts-expect-error an option that does not exist
    void ((): unknown => createCodingAgent({ workspace: ".", model: "scripted", modle: 1 }));
  });
});
