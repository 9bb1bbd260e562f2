import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { storeFiles } from "@fiveseam/context";
import { ContextOverflowError } from "@langchain/core/errors";
import { createFakeEditor, nodeHost } from "@fiveseam/host";
import { ScriptedChatModel } from "@fiveseam/models";
import { InMemoryStore } from "@langchain/langgraph";
import { ChatAnthropic } from "@langchain/anthropic";
import { startProviderEmulator } from "@fiveseam/testing";
import { createPrefixMeter, expectStablePrefix } from "@fiveseam/context/prefix-meter";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { createCodingAgent, requiredMiddleware } from "../src/index.js";
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

const skill = (name: string, body = "Do it.") =>
  `---\nname: ${name}\ndescription: For ${name}.\n---\n${body}\n`;
const systems = (model: ScriptedChatModel) =>
  model.calls
    .filter(({ tools }) => tools.some(({ name }) => name === "task"))
    .map(({ messages }) => messages[0]!.text);

describe("the head of the prompt", () => {
  it("has the user's and the project's instructions, skills and memories, and keeps its bytes while they change", async () => {
    const { workspace, stateDir } = await workspaceWith({
      "AGENTS.md": "Use tabs.",
      ".fiveseam/rules/a.md": "Rule A.",
      ".fiveseam/skills/release/SKILL.md": skill("release"),
      "src/x.ts": "x",
    });
    await mkdir(path.join(stateDir, "user", "skills", "mine"), { recursive: true });
    await writeFile(path.join(stateDir, "user", "AGENTS.md"), "I am Ada.");
    await writeFile(path.join(stateDir, "user", "skills", "mine", "SKILL.md"), skill("mine"));
    const steps = [
      call("manage_core_memory", { action: "set", scope: "project", key: "build", text: "make all" }),
      call("write_todos", { todos: [{ content: "a", status: "pending" }] }),
      call("read_skill", { name: "mine" }),
      "one",
      "two",
      "three",
    ];
    const model = modelOf((step) => steps[step] ?? "end");
    const agent = await agentWith({ workspace, stateDir, model });
    const events = await collect(agent.run("first", { threadId: "t" }));
    expect(results(events).at(-1)).toMatchObject({ tool: "read_skill", output: "Do it." });
    await writeFile(path.join(workspace, "AGENTS.md"), "Use spaces.");
    await collect(agent.run("second", { threadId: "t" }));
    const [prompt = ""] = systems(model);
    for (const part of ["I am Ada.", "Use tabs.", "Rule A.", "- mine: For mine.", "- release: For release."])
      expect(prompt).toContain(part);
    expect(new Set(systems(model)).size).toBe(1);
    expect(lastRequest(model).at(-1)).toMatch(/second[^]*Use spaces\.[^]*project\/build\nmake all/);
    await agent.close();
    // Another process, the same thread: the same bytes, and nothing said twice.
    const again = modelOf(() => "end");
    const reopened = await agentWith({ workspace, stateDir, model: again });
    await collect(reopened.run("third", { threadId: "t" }));
    expect(systems(again)[0]).toBe(prompt);
    expect(lastRequest(again).at(-1)).toBe("human: third");
  });

  it("takes instructions and skills from a store, which change without a restart", async () => {
    const places = await workspaceWith({ "AGENTS.md": "From the disk." });
    const store = new InMemoryStore();
    await store.put(["team", "skills"], "/deploy/SKILL.md", { content: skill("deploy", "Push it.") });
    const model = modelOf((step) => (step === 1 ? call("read_skill", { name: "deploy" }) : "ok"));
    const agent = await agentWith({
      ...places,
      model,
      skills: [{ label: "team", files: storeFiles(store, ["team", "skills"]), directory: "/" }],
      memory: false,
      context: {
        sources: [{ title: "Team", maxTokens: 100, load: async () => [{ id: "t", text: "Team rule." }] }],
      },
    });
    await collect(agent.run("one", { threadId: "t" }));
    expect(systems(model)[0]).toContain("- deploy: For deploy.");
    expect(systems(model)[0]).toContain("Team rule.");
    expect(systems(model)[0]).not.toContain("From the disk.");
    await store.put(["team", "skills"], "/deploy/SKILL.md", { content: skill("deploy", "Pull it.") });
    const events = await collect(agent.run("two", { threadId: "t" }));
    expect(results(events)[0]?.output).toBe("Pull it.");
  });

  it("attaches a directory's instructions to the first result from below it, for the agent and for a delegate", async () => {
    const places = await workspaceWith({
      "src/AGENTS.md": "No classes here.",
      "src/a.ts": "a",
      "src/b.ts": "b",
    });
    const read = (name: string) => call("read_file", { file_path: `/workspace/src/${name}` });
    const model = modelOf(
      (step) =>
        [
          read("a.ts"),
          read("b.ts"),
          call("task", { subagent_type: "code-analyzer", description: "x" }),
          "done",
        ][step] ?? "end",
      (step) => (step === 0 ? read("a.ts") : "report"),
    );
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const attached = results(events).map(({ agent: who, output }) => [
      who,
      output.includes("No classes here."),
    ]);
    expect(attached).toEqual([
      ["main", true],
      ["main", false],
      ["code-analyzer", true],
    ]);
  });

  it("has skills in the main agent and general-purpose only", async () => {
    const places = await workspaceWith({ ".fiveseam/skills/release/SKILL.md": skill("release") });
    const delegates = ["general-purpose", "reviewer", "poet"];
    const model = modelOf((step) =>
      step < 3 ? call("task", { subagent_type: delegates[step], description: "x" }) : "done",
    );
    const agent = await agentWith({
      ...places,
      model,
      subagents: [{ name: "poet", description: "Writes.", systemPrompt: "Write." }],
    });
    await collect(agent.run("go", { threadId: "t" }));
    const delegated = model.calls.filter(({ tools }) => !tools.some(({ name }) => name === "task"));
    expect(delegated.map(({ messages }) => messages[0]!.text.includes("For release."))).toEqual([
      true,
      false,
      false,
    ]);
    expect(delegated.map(({ tools }) => tools.some(({ name }) => name === "read_skill"))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("notes on the moment", () => {
  it("name the time once a turn, the open editor, what the application says and files that somebody changed", async () => {
    const { workspace, stateDir } = await workspaceWith({ "a.ts": "one", "b.ts": "two" });
    const editor = createFakeEditor({
      active: {
        path: "a.ts",
        language: "typescript",
        dirty: false,
        selection: { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } },
        selectedText: "",
        visible: { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } },
      },
    });
    const model = modelOf((step) => {
      if (step === 0)
        return {
          toolCalls: ["a.ts", "b.ts"].map((name) => ({
            name: "read_file",
            args: { file_path: `/workspace/${name}` },
          })),
        };
      return "ok";
    });
    const agent = await createCodingAgent({
      workspace,
      stateDir,
      model,
      host: { ...nodeHost(workspace), editor },
      context: { notes: [{ name: "weather", write: () => "rain" }] },
    });
    await collect(agent.run("one", { threadId: "t", context: { notes: { ticket: "BUG-7" } } }));
    await writeFile(path.join(workspace, "b.ts"), "changed by the user");
    await collect(agent.run("two", { threadId: "t" }));
    const notes = model.calls.map(({ messages }) => messages.at(-1)!.text);
    expect(notes[0]).toMatch(/\[time\]\n\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(notes[0]).toContain("[open in the user's editor]\na.ts");
    expect(notes[0]).toContain("ticket: BUG-7");
    expect(notes[0]).toContain("[weather]\nrain");
    expect(notes[1]).not.toContain("[time]");
    expect(notes[1]).not.toContain("Not as you know it");
    expect(notes[2]).toContain("Not as you know it: /workspace/b.ts: changed since you read it");
    const state = await agent.graph.getState({ configurable: { thread_id: "t" } });
    expect(JSON.stringify(state.values)).not.toContain("rain");
    await agent.close();
  });
});

describe("compaction", () => {
  it("keeps a long run within the window, says so, and lets the agent read what was taken out", async () => {
    const places = await workspaceWith(
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}.txt`, `file ${at} `.repeat(1_000)])),
    );
    let history = "";
    const model = new ScriptedChatModel({
      contextWindowTokens: 24_000,
      policy: (messages) => {
        const step = messages.filter((message) => message.getType() === "ai").length;
        const text = messages.map((message) => message.text).join("\n");
        history = /\/conversation_history\/[\w/-]+\//.exec(text)?.[0] ?? history;
        const last = messages.at(-1)!;
        if (last.getType() === "human" && last.text.includes("read everything"))
          return call("read_file", { file_path: "/workspace/f0.txt" });
        if (last.getType() === "tool" && step < 12 && last.text.includes("file "))
          return call("read_file", { file_path: `/workspace/f${step}.txt` });
        if (last.getType() === "human" && last.text.includes("look back"))
          return call("grep", { pattern: "file 1 file 1", path: history });
        return "done";
      },
    });
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("read everything", { threadId: "t" }));
    const compacted = ofType(events, "context.compacted");
    expect(compacted.length).toBeGreaterThan(0);
    expect(compacted[0]).toMatchObject({
      tier: 1,
      cause: "threshold",
      keptIn: "/conversation_history/thread_t/",
    });
    expect(compacted[0]!.tokensAfter).toBeLessThan(24_000 * 0.8);
    expect(finished(events).reason).toBe("completed");
    const looked = await collect(agent.run("look back", { threadId: "t" }));
    expect(results(looked)[0]).toMatchObject({ tool: "grep", status: "success" });
    expect(results(looked)[0]?.output).toContain("/conversation_history/thread_t/");
  });

  it("answers a provider's context overflow with a compaction and one retry, in a delegate too", async () => {
    const places = await workspaceWith({ "big.txt": "word ".repeat(6_000) });
    const overflow = () =>
      ContextOverflowError.fromError(new Error("prompt is too long: 210000 tokens > 200000 maximum"));
    const tooLong = (messages: readonly { text: string }[]) =>
      messages.map(({ text }) => text).join("").length > 20_000;
    const model = modelOf(
      (step) => (step === 0 ? call("task", { subagent_type: "code-analyzer", description: "x" }) : "done"),
      (step, messages) => {
        if (tooLong(messages)) return { error: overflow() };
        return step === 0 ? call("read_file", { file_path: "/workspace/big.txt" }) : "report";
      },
    );
    const agent = await agentWith({ ...places, model, failover: { networkRetries: 0 } });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(ofType(events, "context.compacted")).toMatchObject([
      { cause: "overflow", agent: "code-analyzer" },
    ]);
    expect(ofType(events, "delegate.finished")[0]).toMatchObject({ status: "success", report: "report" });
  });

  it("can be switched off, and takes the window that it is told", async () => {
    const places = await workspaceWith({ "a.txt": "word word word word\n".repeat(90) });
    const steps = () =>
      modelOf((step) => (step < 3 ? call("read_file", { file_path: "/workspace/a.txt" }) : "done"));
    const run = async (compaction: false | { windowTokens: number }) => {
      const agent = await agentWith({
        ...places,
        model: steps(),
        compaction,
        stateDir: `${places.stateDir}-${String(!!compaction)}`,
      });
      return ofType(await collect(agent.run("go", { threadId: "t" })), "context.compacted").length;
    };
    expect(await run(false)).toBe(0);
    expect(await run({ windowTokens: 10_000 })).toBeGreaterThan(0);
  });
});

describe("middleware of the product's own", () => {
  const failing = (name: string, when: "before" | "after") =>
    createMiddleware({
      name,
      wrapModelCall: async (request, handler) => {
        if (when === "before") throw new Error(`${name} is broken`);
        await handler(request);
        throw new Error(`${name} is broken`);
      },
    });

  it("that throws is left out of the call, one that cannot be made is left out altogether, each with a warning", async () => {
    const model = modelOf(() => "done");
    const agent = await agentWith({
      ...(await workspaceWith()),
      model,
      middleware: [
        failing("Before", "before"),
        failing("After", "after"),
        createMiddleware({
          name: "Hook",
          beforeModel: () => {
            throw new Error("Hook is broken");
          },
        }),
        () => {
          throw new Error("cannot be made");
        },
        () =>
          createMiddleware({
            name: "Good",
            wrapModelCall: (request, handler) =>
              handler({ ...request, systemMessage: request.systemMessage.concat("\n\nGOOD") }),
          }),
      ],
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]!.messages[0]!.text).toContain("GOOD");
    const warnings = ofType(events, "warning").map(({ code, message }) => `${code}: ${message}`);
    expect(warnings.toSorted()).toEqual([
      "middleware_failed: The middleware After failed and was left out of a call: After is broken",
      "middleware_failed: The middleware Before failed and was left out of a call: Before is broken",
      "middleware_failed: The middleware Hook failed and was left out of a step: Hook is broken",
      "middleware_skipped: The middleware at 3 could not be made and is left out: cannot be made",
    ]);
  });

  it("that is required stops the run, and the agent when it cannot be made; so does the model's own failure", async () => {
    const places = await workspaceWith();
    const agent = await agentWith({
      ...places,
      model: modelOf(() => "done"),
      middleware: [requiredMiddleware(failing("Guard", "before"))],
    });
    expect(finished(await collect(agent.run("go", { threadId: "t" })))).toMatchObject({
      reason: "failed",
      error: { message: expect.stringContaining("Guard is broken") as string },
    });
    await expect(
      createCodingAgent({
        ...places,
        model: "scripted",
        middleware: [
          requiredMiddleware(() => {
            throw new Error("no guard");
          }),
        ],
      }),
    ).rejects.toThrow("no guard");
    const through = await agentWith({
      ...places,
      model: modelOf(() => ({ error: new Error("the model is broken") })),
      middleware: [
        createMiddleware({ name: "Through", wrapModelCall: (request, handler) => handler(request) }),
      ],
    });
    expect(finished(await collect(through.run("go", { threadId: "u" }))).error?.message).toContain(
      "the model is broken",
    );
    await expect(
      createCodingAgent({ ...places, model: "scripted", middleware: [(() => 1) as never] }),
    ).rejects.toMatchObject({ option: "middleware.0" });
  });
});

describe("the order of the middleware", () => {
  it("is files, delegation, compaction, limits, the pipeline, todos, the head of the prompt, yours, notes, failover, cache marks", async () => {
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: modelOf(() => "done"),
      context: { notes: [{ name: "n", write: () => "x" }] },
      middleware: [createMiddleware({ name: "Mine" })],
    });
    const { middleware } = (agent as unknown as { options: { middleware: { name: string }[] } }).options;
    const order = [
      "FilesystemMiddleware",
      "subAgentMiddleware",
      "SummarizationMiddleware",
      "patchToolCallsMiddleware",
      "FiveseamRunLimits",
      "FiveseamNestedInstructions",
      "FiveseamToolPipeline",
      "FiveseamPlanMode",
      "FiveseamDelegation",
      "todoListMiddleware",
      "FiveseamContextPrefix",
      "Mine",
      "FiveseamTurnContext",
      "FiveseamContextOverflow",
      "Failover",
      "PromptCachingMiddleware",
      "CacheBreakpointMiddleware",
    ];
    expect(middleware.map(({ name }) => name)).toEqual(order);
  });
});

describe("the prefix of a session", () => {
  it("stays cached while files, memories and todos change, and a middleware that moves it is named", async () => {
    const places = await workspaceWith({ "AGENTS.md": "Use tabs.\n".repeat(200), "a.txt": "alpha\n" });
    const session = async (middleware: ReturnType<typeof createMiddleware>[]) => {
      const meter = createPrefixMeter();
      await using emulator = await startProviderEmulator({
        policy: (messages) => {
          const step = messages.filter((message) => message.getType() === "ai").length;
          if (step % 3 === 0)
            return call("manage_core_memory", {
              action: "set",
              scope: "project",
              key: "k",
              text: `step ${step}`,
            });
          if (step % 3 === 1)
            return call("write_todos", { todos: [{ content: `t${step}`, status: "pending" }] });
          return "ok";
        },
      });
      const agent = await agentWith({
        ...places,
        stateDir: `${places.stateDir}-${middleware.length}`,
        model: new ChatAnthropic({
          model: "claude-sonnet-4-6",
          apiKey: "none",
          anthropicApiUrl: emulator.url,
          maxRetries: 0,
          clientOptions: { fetch: meter.fetch },
        }),
        prefixMeter: meter,
        middleware,
        context: { notes: [{ name: "n", write: () => `${Math.random()}` }] },
      });
      for (let turn = 0; turn < 6; turn += 1) {
        await writeFile(path.join(places.workspace, "AGENTS.md"), `Turn ${turn}.\n`.repeat(20));
        expect(finished(await collect(agent.run(`turn ${turn}`, { threadId: "t" }))).reason).toBe(
          "completed",
        );
      }
      return meter;
    };
    const { turns } = expectStablePrefix(await session([]), { minReusedShare: 1 });
    expect(turns).toHaveLength(18);
    const clock = createMiddleware({
      name: "Clock",
      wrapModelCall: (request, handler) =>
        handler({ ...request, systemMessage: request.systemMessage.concat(`\n${Math.random()}`) }),
    });
    const noisy = (await session([clock])).report();
    expect(noisy.turns.at(-1)!.moved).toMatchObject({
      where: "system",
      cause: "system_changed",
      middleware: "Clock",
    });
    expect(noisy.totals.keptShare).toBeLessThan(0.6);
  });
});
