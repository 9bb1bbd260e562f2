import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createCodingBackend } from "@fiveseam/backends";
import { createPipeline, defineTool } from "@fiveseam/tool-pipeline";
import { tool } from "@langchain/core/tools";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createDeepAgent } from "deepagents";
import { createMiddleware, fakeModel } from "langchain";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  createCodingSubagents,
  ROLE_POLICIES,
  ROLES,
  type CodingSubagentsOptions,
  type RoleName,
} from "../src/index.js";

const reader = defineTool({
  name: "peek",
  description: "x",
  schema: z.object({}),
  effects: ["fs.read"],
  run: () => "seen",
});
const writer = defineTool({
  name: "poke",
  description: "x",
  schema: z.object({}),
  effects: ["exec"],
  run: () => "done",
});
const foreign = tool(() => "?", {
  name: "mcp_list_things",
  description: "Only lists.",
  schema: z.object({}),
});

const build = (options: Partial<CodingSubagentsOptions> = {}) =>
  createCodingSubagents({
    backend: createCodingBackend({ workspace: os.tmpdir() }),
    tools: [reader, writer, foreign],
    pipeline: createPipeline(),
    ...options,
  });
const role = (name: RoleName, options?: Partial<CodingSubagentsOptions>) => {
  const found = build(options).find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};
const names = (tools: readonly { name: string }[] | undefined) => tools?.map((each) => each.name);

describe("createCodingSubagents", () => {
  it("gives every role an explicit tool list; a read-only one gets what declares that it reads, and no undeclared tool", () => {
    expect(names(role("code-analyzer").tools)).toEqual(["peek"]);
    expect(names(role("general-purpose").tools)).toEqual(["peek", "poke", "mcp_list_things"]);
    expect(names(role("code-analyzer", { tools: [writer] }).tools)).toEqual([]);
  });

  it("contains every role, general-purpose too, since deepagents adds an unfenced one of that name otherwise", () => {
    const built = build().map((each) => each.name);
    expect(built.toSorted()).toEqual(Object.keys(ROLES).toSorted());
    expect(built).toContain("general-purpose");
  });

  it("goes by declarations: an undeclared tool with the name of a harmless one reaches no read-only role", () => {
    const impostor = tool(() => "?", { name: "read_file", description: "x", schema: z.object({}) });
    expect(names(role("code-analyzer", { tools: [impostor] }).tools)).toEqual([]);
  });

  it("puts the pipeline and the given middleware into each, made anew", () => {
    let made = 0;
    const middleware = () => {
      made += 1;
      return [createMiddleware({ name: "Mine" })];
    };
    for (const each of build({ middleware })) {
      expect(each.middleware?.map(({ name }) => name)).toEqual([
        "FilesystemMiddleware",
        "FiveseamToolPipeline",
        "Mine",
      ]);
    }
    expect(made).toBe(2);
  });

  it("hands gates on, and costs nothing without any", () => {
    expect(role("code-analyzer", { interruptOn: { peek: true } }).interruptOn).toEqual({ peek: true });
    expect(role("code-analyzer")).not.toHaveProperty("interruptOn");
    expect(role("code-analyzer", { interruptOn: {} })).not.toHaveProperty("interruptOn");
  });
});

describe("roles", () => {
  it("have a prompt that follows from their policy: a read-only role is told to return its findings", () => {
    for (const [name, { prompt }] of Object.entries(ROLES)) {
      const readOnly = ROLE_POLICIES[name as RoleName] === "read-only";
      expect(prompt.includes("not change them or run anything")).toBe(readOnly);
      expect(prompt).toContain("one answer");
    }
  });

  it("do not compile without a policy", () => {
    // @ts-expect-error "general-purpose" is missing
    const partial: Record<RoleName, string> = { "code-analyzer": "read-only" };
    expect(partial).toBeDefined();
  });
});

describe("code-analyzer in a plain deep agent", () => {
  it("is refused a tool that a middleware brings when its effects are beyond the role's rights", async () => {
    const backend = createCodingBackend({ workspace: os.tmpdir() });
    let poked = 0;
    const brought = defineTool({
      name: "poke",
      description: "x",
      schema: z.object({}),
      effects: ["exec"],
      run: () => {
        poked += 1;
        return "done";
      },
    });
    const model = fakeModel()
      .respond(
        new AIMessage({
          content: "",
          tool_calls: [{ id: "1", name: "task", args: { subagent_type: "code-analyzer", description: "x" } }],
        }),
      )
      .respond(new AIMessage({ content: "", tool_calls: [{ id: "p", name: "poke", args: {} }] }))
      .respond(new AIMessage("tried"))
      .respond(new AIMessage("end"));
    const agent = createDeepAgent({
      model,
      backend,
      subagents: createCodingSubagents({
        backend,
        tools: [],
        pipeline: createPipeline(),
        middleware: () => [createMiddleware({ name: "Brings", tools: [brought] })],
      }),
    });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    const answer = (model.calls[2]?.messages ?? []).at(-1);
    expect(answer?.text).toContain("exec, which the role code-analyzer does not have here");
    expect(poked).toBe(0);
  });

  it("cannot write: it has no tool for it, and the files refuse it", async () => {
    const workspace = await mkdtemp(path.join(os.tmpdir(), "fiveseam-subagents-"));
    onTestFinished(() => rm(workspace, { recursive: true, force: true }));
    await writeFile(path.join(workspace, "a.txt"), "alpha");
    const backend = createCodingBackend({ workspace, docs: new InMemoryStore() });
    const attempts = [
      { name: "write_file", args: { file_path: "/workspace/b.txt", content: "x" } },
      { name: "edit_file", args: { file_path: "/workspace/a.txt", old_string: "alpha", new_string: "x" } },
      { name: "delete", args: { file_path: "/workspace/a.txt" } },
      { name: "write_file", args: { file_path: "/docs/x.md", content: "x" } },
      { name: "poke", args: {} },
      { name: "task", args: { subagent_type: "general-purpose", description: "write it for me" } },
      { name: "read_file", args: { file_path: "/workspace/a.txt" } },
    ];
    const model = fakeModel()
      .respond(
        new AIMessage({
          content: "",
          tool_calls: [{ id: "1", name: "task", args: { subagent_type: "code-analyzer", description: "x" } }],
        }),
      )
      .respond(
        new AIMessage({ content: "", tool_calls: attempts.map((each, at) => ({ id: `d${at}`, ...each })) }),
      )
      .respond(new AIMessage("tried"))
      .respond(new AIMessage("end"));
    const pipeline = createPipeline();
    const agent = createDeepAgent({
      model,
      backend,
      tools: [reader, writer],
      subagents: createCodingSubagents({ backend, tools: [reader, writer], pipeline }),
    });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    const answers = (model.calls[2]?.messages ?? []).filter((message) => message.getType() === "tool");
    expect(answers).toHaveLength(attempts.length);
    expect(answers.filter((message) => (message as { status?: string }).status === "error")).toHaveLength(6);
    expect(answers.some((message) => message.text.includes("alpha"))).toBe(true);
    expect(await readdir(workspace)).toEqual(["a.txt"]);
  });
});
