import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  createRights,
  createPipeline,
  defineTool,
  failureKind,
  toolPipelineMiddleware,
} from "@fiveseam/tool-pipeline";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { createSubAgentMiddleware, type SubAgent } from "deepagents";
import { fakeModel } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createCodingBackend } from "@fiveseam/backends";
import { defineRole, delegationMiddleware, ROLES } from "../src/index.js";
import { call, resultsIn, setUp, task, toolWith } from "./support.js";

/** A tool in which calls wait until as many are in it, or the time is up; it counts how many were in it at once. */
const meeting = (expected: number) => {
  let inside = 0;
  let most = 0;
  let open = (): void => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  const tool = defineTool({
    name: "meet",
    description: "x",
    schema: z.object({}),
    effects: ["fs.read"],
    run: async () => {
      inside += 1;
      most = Math.max(most, inside);
      if (inside === expected) open();
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 100))]);
      inside -= 1;
      return "met";
    },
  });
  return { tool, most: () => most };
};

const PAIR = {
  main: (step: number) =>
    step === 0
      ? {
          text: "secret of the parent",
          toolCalls: [task("reviewer", "one", "t1"), task("reviewer", "two", "t2")],
        }
      : "end",
  one: (step: number) => (step === 0 ? { toolCalls: [call("meet")] } : "first report"),
  two: (step: number) => (step === 0 ? { toolCalls: [call("meet")] } : "second report"),
};

describe("a delegation", () => {
  it("shows the delegate its brief and nothing of the parent, and the parent one message for each call", async () => {
    const { run, model } = await setUp(PAIR, { tools: [meeting(1).tool] });
    const messages = await run();
    expect(messages.map((message) => message.getType())).toEqual(["human", "ai", "tool", "tool", "ai"]);
    expect(resultsIn(messages).map(({ tool_call_id, text }) => [tool_call_id, text])).toEqual([
      ["t1", "first report"],
      ["t2", "second report"],
    ]);
    const begun = model.calls.filter(({ messages: sent }) => sent.at(-1)?.getType() === "human").slice(1);
    expect(begun).toHaveLength(2);
    for (const { messages: sent } of begun) {
      expect(sent.map((message) => message.getType())).toEqual(["system", "human"]);
      expect(JSON.stringify(sent)).not.toContain("secret of the parent");
    }
  });

  it("overlaps in time with another of the same turn, up to a limit", async () => {
    const free = meeting(2);
    await (await setUp(PAIR, { tools: [free.tool] })).run();
    expect(free.most()).toBe(2);
    const limited = meeting(2);
    const messages = await (
      await setUp(PAIR, { tools: [limited.tool], delegation: { maxParallel: 1 } })
    ).run();
    expect(limited.most()).toBe(1);
    expect(resultsIn(messages).map(({ text }) => text)).toEqual(["first report", "second report"]);
  });

  it("is stopped at its deadline with what runs in it, and says so as a result", async () => {
    const stopped: unknown[] = [];
    const slow = defineTool({
      name: "slow",
      description: "x",
      schema: z.object({}),
      effects: ["exec"],
      run: (_args, { signal }) =>
        new Promise<string>((_resolve, reject) =>
          signal?.addEventListener("abort", () => {
            stopped.push(signal.reason);
            reject(signal.reason as Error);
          }),
        ),
    });
    const { run } = await setUp(
      {
        main: (step) =>
          step === 0 ? { toolCalls: [task("debugger", "long"), task("reviewer", "short")] } : "went on",
        long: () => ({ toolCalls: [call("slow")] }),
        short: () => "in time",
      },
      { tools: [slow], delegation: { deadlineMs: (type) => (type === "debugger" ? 300 : undefined) } },
    );
    const messages = await run();
    const [long, short] = resultsIn(messages);
    expect(long).toMatchObject({
      status: "error",
      text: expect.stringContaining("it had worked for 0.3 s"),
    });
    expect(long && failureKind(long)).toBe("deadline");
    expect(short).toMatchObject({ text: "in time" });
    expect(stopped).toHaveLength(1);
    expect(messages.at(-1)?.text).toBe("went on");
  });

  it("ends with the run when that is aborted, also while it waits for its turn", async () => {
    const controller = new AbortController();
    const stopped: string[] = [];
    const slow = defineTool({
      name: "slow",
      description: "x",
      schema: z.object({}),
      effects: ["fs.read"],
      run: (_args, { signal }) => {
        setTimeout(() => controller.abort(), 20);
        return new Promise<string>((_resolve, reject) =>
          signal?.addEventListener("abort", () => (stopped.push("slow"), reject(signal.reason as Error))),
        );
      },
    });
    const { run, model } = await setUp(
      { ...PAIR, one: () => ({ toolCalls: [call("slow")] }), two: () => "never begun" },
      { tools: [slow], delegation: { maxParallel: 1 } },
    );
    await expect(run({ signal: controller.signal })).rejects.toThrow("aborted");
    expect(stopped).toEqual(["slow"]);
    expect(model.calls.some(({ messages }) => messages.some(({ text }) => text === "two"))).toBe(false);
  });

  it("to a type that is not there, or switched off, is an error result that says what is", async () => {
    const { run, model } = await setUp(
      {
        main: (step) =>
          step === 0 ? { toolCalls: [task("astrologer"), task("general-purpose"), task("tester")] } : "end",
      },
      { roles: [ROLES.reviewer] },
    );
    const results = resultsIn(await run());
    expect(results.map(({ status }) => status)).toEqual(["error", "error", "error"]);
    expect(results[0]?.text).toContain("`reviewer`");
    expect(results[1]?.text).toContain("general-purpose is switched off here");
    expect(results[2]?.text).toContain("`reviewer`");
    const description = model.calls[0]?.tools.find(({ name }) => name === "task")?.description ?? "";
    expect(description).not.toContain("tester");
    expect(description).toContain("- general-purpose: Switched off here");
  });

  it("that fails is its result, and the rest goes on", async () => {
    const { run } = await setUp({
      ...PAIR,
      one: () => ({ error: new Error("the model fell over") }),
      two: () => "second report",
    });
    const [failed, other] = resultsIn(await run());
    expect(failed).toMatchObject({ status: "error", text: expect.stringContaining("fell over") });
    expect(other).toMatchObject({ text: "second report" });
  });
});

describe("a delegate of a delegate", () => {
  const backend = createCodingBackend({ workspace: "." });
  const nested = (ran: string[], reads: boolean, maxDepth: number) => {
    const pipeline = createPipeline();
    const poke = toolWith("poke", ["exec"], ran);
    const rights = createRights({ effects: reads ? ["fs.read"] : "all", read: "all", write: "all" });
    const inner: SubAgent = {
      name: "inner",
      description: "x",
      systemPrompt: "x",
      tools: [poke],
      // Everything, as far as it is concerned.
      middleware: [toolPipelineMiddleware(pipeline, { agent: "inner" })],
    };
    return { pipeline, poke, rights, inner, limits: delegationMiddleware({ maxDepth }) };
  };
  const play = async (reads: boolean, maxDepth: number) => {
    const ran: string[] = [];
    const { pipeline, poke, rights, inner, limits } = nested(ran, reads, maxDepth);
    const turns = {
      main: (step: number) => (step === 0 ? { toolCalls: [task("outer", "middle")] } : "end"),
      middle: (step: number, messages: readonly { text: string }[]) =>
        step === 0 ? { toolCalls: [task("inner", "deep")] } : (messages.at(-1)?.text ?? ""),
      deep: (step: number, messages: readonly { text: string }[]) =>
        step === 0 ? { toolCalls: [call("poke")] } : (messages.at(-1)?.text ?? ""),
    };
    // One that calls tools also where they are not on offer.
    const reckless = fakeModel();
    for (let calls = 0; calls < 10; calls += 1) {
      reckless.respond(((messages: BaseMessage[]) => {
        const brief = messages.find((message) => message.getType() === "human")?.text as keyof typeof turns;
        const turn = turns[brief](messages.filter((message) => message.getType() === "ai").length, messages);
        if (typeof turn === "string") return new AIMessage(turn);
        const tool_calls = turn.toolCalls.map((each) => ({ ...each, id: `${brief} ${calls}` }));
        return new AIMessage({ content: "", tool_calls });
      }) as never);
    }
    const outer: SubAgent = {
      name: "outer",
      description: "x",
      systemPrompt: "x",
      tools: [],
      middleware: [
        toolPipelineMiddleware(pipeline, { agent: "outer", rights }),
        limits,
        createSubAgentMiddleware({
          defaultModel: reckless as never,
          defaultTools: [poke],
          subagents: [inner],
          generalPurposeAgent: false,
        }) as never,
      ],
    };
    const { run } = await setUp(turns, { pipeline, backend, more: [outer] });
    return { text: resultsIn(await run())[0]?.text, ran };
  };

  it("may do no more than the one that sent it", async () => {
    expect(await play(false, 3)).toEqual({ text: "poke ran", ran: ["poke"] });
    const { text, ran } = await play(true, 3);
    expect(text).toContain("poke was refused: it may have the effect exec");
    expect(ran).toEqual([]);
  });

  it("is refused beyond the depth that is allowed, as a result", async () => {
    const { text, ran } = await play(false, 1);
    expect(text).toContain("Delegates may not delegate any deeper (1 is the limit)");
    expect(ran).toEqual([]);
  });
});

describe("delegates side by side", () => {
  it("that write one path: what the second based on a stale reading is a conflict that names the first", async () => {
    let open = (): void => {};
    const written = new Promise<void>((resolve) => (open = resolve));
    let seen = (): void => {};
    const read = new Promise<void>((resolve) => (seen = resolve));
    const until = (name: string, promise: () => Promise<void>) =>
      defineTool({
        name,
        description: "x",
        schema: z.object({}),
        effects: [],
        run: async () => (await promise(), "ok"),
      });
    const edit = (to: string) =>
      call("edit_file", { file_path: "/workspace/a.txt", old_string: "alpha", new_string: to });
    let answer = "";
    const { run, workspace } = await setUp(
      {
        main: (step) =>
          step === 0 ? { toolCalls: [task("debugger", "one"), task("tester", "two")] } : "end",
        one: (step, messages) => {
          if (step === 0) return { toolCalls: [call("read_file", { file_path: "/workspace/a.txt" })] };
          if (step === 1) return { toolCalls: [call("wait_for_other")] };
          if (step === 2) return { toolCalls: [edit("mine")] };
          answer = messages.at(-1)?.text ?? "";
          return "conflict";
        },
        two: (step) => {
          if (step === 0) return { toolCalls: [call("wait_for_reader")] };
          if (step === 1) return { toolCalls: [edit("theirs")] };
          return step === 2 ? { toolCalls: [call("done")] } : "written";
        },
      },
      {
        tools: [
          until("wait_for_other", () => (seen(), written)),
          until("wait_for_reader", () => read),
          until("done", async () => open()),
        ],
      },
    );
    await run();
    expect(answer).toContain("tester has changed it since you read it");
    expect(await readFile(path.join(workspace, "a.txt"), "utf8")).toBe("theirs\n");
  });
});

describe("a compiled delegate", () => {
  it("works for callers who may do everything, and is refused to all others", async () => {
    let ran = 0;
    const compiled = {
      name: "compiled",
      description: "x",
      runnable: RunnableLambda.from(() => {
        ran += 1;
        return { messages: [new AIMessage("did it")] };
      }),
    };
    const { run } = await setUp(
      { main: (step) => (step === 0 ? { toolCalls: [task("compiled")] } : "end") },
      { more: [compiled], delegation: { unfenced: ["compiled"] } },
    );
    expect(resultsIn(await run())[0]?.text).toBe("did it");
    const [refused] = resultsIn(await run({ context: { mode: "plan" } }));
    expect(refused?.text).toContain("cannot be held to what you may do here");
    expect(refused && failureKind(refused)).toBe("denied");
    expect(ran).toBe(1);
  });
});

describe("limits on delegation", () => {
  it("are whole numbers from 1 on", () => {
    for (const options of [{ maxParallel: 0 }, { maxDepth: 1.5 }, { deadlineMs: -1 }])
      expect(() => delegationMiddleware(options)).toThrow(RangeError);
    expect(() => defineRole({ ...ROLES.tester, name: "t" })).not.toThrow();
  });
});
