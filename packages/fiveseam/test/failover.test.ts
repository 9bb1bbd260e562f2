import type { ServerResponse } from "node:http";
import { FallbackChatModel } from "@fiveseam/failover";
import { createChatModel } from "@fiveseam/models";
import { defineTool } from "@fiveseam/tool-pipeline";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { anthropic, modelServer, openAI, refuse, type ModelServer, type SeenBody } from "./model-servers.js";
import { agentWith, call, collect, finished, modelOf, ofType, results, workspaceWith } from "./support.js";

const ANTHROPIC_OVERLOADED = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
const OPENAI_RATE_LIMIT = {
  error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
};

const claude = ({ url }: ModelServer, model = "claude-sonnet-4-6") => ({
  provider: "anthropic",
  model,
  apiKey: "k-anthropic",
  baseURL: url,
});
const gpt = ({ url }: ModelServer) => ({
  provider: "openai",
  model: "gpt-4.1",
  apiKey: "k-openai",
  baseURL: `${url}/v1`,
});
const groq = ({ url }: ModelServer) => ({
  provider: "groq",
  model: "openai/gpt-oss-120b",
  apiKey: "k-groq",
  baseURL: url,
});

const counted = () => {
  let runs = 0;
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    schema: z.object({}),
    effects: ["state"],
    run: () => String((runs += 1)),
  });
  return { tool, runs: () => runs };
};

const humans = ({ messages }: { messages: { role: string; content: unknown }[] }) =>
  messages.filter(({ role }) => role === "user").length;

describe("a run over real clients", () => {
  it("survives a rate limit on the first provider and an overload on the second, with one user message and each tool once", async () => {
    const first = await modelServer(refuse(429, OPENAI_RATE_LIMIT, { "retry-after": "600" }));
    const second = await modelServer(refuse(529, ANTHROPIC_OVERLOADED));
    const third = await modelServer(
      openAI({ call: { id: "c1", name: "count", args: {} } }),
      openAI({ text: "counted" }),
    );
    const { tool, runs } = counted();
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: gpt(first),
      fallbacks: [claude(second), groq(third)],
      tools: [tool],
    });
    const events = await collect(agent.run("count once", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "counted" });
    expect(ofType(events, "model.retried").map(({ from, to, reason }) => [from, to, reason])).toEqual([
      ["openai:gpt-4.1", "anthropic:claude-sonnet-4-6", "rate_limit"],
      ["anthropic:claude-sonnet-4-6", "groq:openai/gpt-oss-120b", "overloaded"],
    ]);
    expect(runs()).toBe(1);
    // The second model call asks neither of the two that are cooling down.
    expect([first.bodies.length, second.bodies.length, third.bodies.length]).toEqual([1, 1, 2]);
    for (const { bodies } of [first, second, third]) for (const body of bodies) expect(humans(body)).toBe(1);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "t" } });
    const types = (values as { messages: { getType(): string }[] }).messages.map((each) => each.getType());
    expect(types).toEqual(["human", "ai", "tool", "ai"]);
  });

  it("goes on with another provider in the middle of a conversation that the first one began", async () => {
    const first = await modelServer(
      anthropic({ call: { id: "toolu_1", name: "count", args: {} } }),
      refuse(401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }),
    );
    const second = await modelServer(openAI({ text: "done elsewhere" }));
    const { tool, runs } = counted();
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: claude(first),
      fallbacks: [gpt(second)],
      tools: [tool],
    });
    const events = await collect(agent.run("count once", { threadId: "t" }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done elsewhere" });
    expect(ofType(events, "model.retried")[0]?.message).not.toContain("k-anthropic");
    expect(runs()).toBe(1);
    const [body] = second.bodies;
    expect(body?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    // Marks for Anthropic's cache are nothing for another provider.
    expect(JSON.stringify(body)).not.toContain("cache_control");
  });

  it("says that text is void when a stream broke off and the answer starts again", async () => {
    const first = await modelServer(openAI({ text: "half of an ans" }, 1));
    const second = await modelServer(anthropic({ text: "a whole answer" }));
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: gpt(first),
      fallbacks: [claude(second)],
      failover: { networkRetries: 0 },
    });
    const events = await collect(agent.run("hi", { threadId: "t" }));
    const texts = ofType(events, "text.delta");
    const [discarded] = ofType(events, "text.discarded");
    expect(discarded?.messageId).toBe(texts[0]?.messageId);
    const kept = texts.filter(({ messageId }) => messageId !== discarded?.messageId);
    expect(kept.map(({ text }) => text).join("")).toBe("a whole answer");
    expect(finished(events)).toMatchObject({ reason: "completed", text: "a whole answer" });
  });

  it("a delegate's own model fails over to the agent's, and the run completes", async () => {
    const broken = await modelServer(
      refuse(404, { error: { message: "no such model", code: "model_not_found" } }),
    );
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: modelOf(
        (step) =>
          step === 0 ? call("task", { subagent_type: "code-analyzer", description: "look" }) : "done",
        () => "looked",
      ),
      roleModels: { "code-analyzer": gpt(broken) },
    });
    const events = await collect(agent.run("go", { threadId: "t" }));
    expect(ofType(events, "delegate.finished")[0]).toMatchObject({ status: "success", report: "looked" });
    expect(ofType(events, "model.retried")[0]).toMatchObject({
      agent: "code-analyzer",
      from: "openai:gpt-4.1",
      reason: "model_not_found",
    });
    expect(broken.bodies).toHaveLength(1);
  });
});

describe("a conversation that is too long for the model", () => {
  const TOO_LONG = { error: { message: "Prompt exceeds max length", code: "1261" } };
  const agentOn = async (overflows: number) => {
    let left = 0;
    const server = await modelServer((response, body) => {
      // The summarizer offers no tools.
      if (!("tools" in body)) return openAI({ text: "They greeted each other." })(response, body);
      if ((left -= 1) < 0) return openAI({ text: "ok" })(response, body);
      return refuse(400, TOO_LONG)(response, body);
    });
    const model = { ...gpt(server), provider: "glm", model: "glm-4.6" };
    const agent = await agentWith({ ...(await workspaceWith()), model });
    const ask = (text: string) => agent.run(text, { threadId: "t" });
    // Long enough that something is left to leave out: deepagents keeps a tenth of the window.
    for (const text of ["one", "two", "three"]) await collect(ask(`${text} `.repeat(20_000)));
    left = overflows;
    return { ask, server };
  };

  it("is compacted, and the call is made once more", async () => {
    const { ask, server } = await agentOn(1);
    const events = await collect(ask("four"));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "ok" });
    const last = server.bodies.at(-1);
    expect(JSON.stringify(last?.messages)).toContain("They greeted each other.");
    expect(JSON.stringify(last?.messages)).toContain("four");
  });

  it("surfaces when the compacted one is refused as well", async () => {
    const { ask, server } = await agentOn(100);
    const events = await collect(ask("four"));
    expect(finished(events)).toMatchObject({ reason: "failed" });
    expect(finished(events).error?.message).toContain("Prompt exceeds max length");
    expect(server.bodies.length).toBeLessThan(10);
  });
});

describe("models that cannot be made here", () => {
  it("a fallback without a key is left out with a warning, a primary without one throws", async () => {
    vi.stubEnv("GROQ_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const places = await workspaceWith();
    const agent = await agentWith({ ...places, model: modelOf(() => "ok"), fallbacks: ["groq:x"] });
    const events = await collect(agent.run("hi", { threadId: "t" }));
    expect(ofType(events, "warning")).toMatchObject([{ code: "model_unavailable" }]);
    expect(ofType(events, "warning")[0]?.message).toContain("GROQ_API_KEY");
    await expect(agentWith({ ...places, model: "groq:x" })).rejects.toMatchObject({ code: "missing_key" });
  });

  it("tiers give roles their models, which degrade to the agent's when a key is missing", async () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const tier = modelOf(
      () => "from the tier",
      () => "from the tier",
    );
    const main = () =>
      modelOf(
        (step) => (step === 0 ? call("task", { subagent_type: "code-analyzer", description: "x" }) : "done"),
        () => "from the agent's model",
      );
    const report = async (tiers: Parameters<typeof agentWith>[0]["tiers"]) => {
      const agent = await agentWith({
        ...(await workspaceWith()),
        model: main(),
        ...(tiers ? { tiers } : {}),
      });
      return ofType(await collect(agent.run("go", { threadId: "t" })), "delegate.finished")[0]?.report;
    };
    expect(await report(undefined)).toBe("from the agent's model");
    expect(await report({ fast: tier, power: tier })).toBe("from the tier");
    expect(await report({ fast: "openai:gpt-4.1", power: "openai:gpt-4.1" })).toBe("from the agent's model");
  });
});

describe("what a run costs", () => {
  const PRICED = { inputTokens: 1_000, outputTokens: 100 };

  it("is counted once a message, per model, delegates included, and priced when the call ends", async () => {
    const server = await modelServer(
      openAI({
        call: { id: "c1", name: "task", args: { subagent_type: "code-analyzer", description: "x" } },
      }),
      openAI({ text: "looked" }),
      openAI({ text: "done" }),
    );
    const agent = await agentWith({ ...(await workspaceWith()), model: gpt(server) });
    const events = await collect(agent.run("go", { threadId: "t" }));
    // gpt-4.1: $2 a million tokens in, $8 out.
    const each = (PRICED.inputTokens * 2 + PRICED.outputTokens * 8) / 1e6;
    expect(ofType(events, "usage").map(({ cost }) => cost)).toEqual([each, each, each]);
    expect(finished(events).cost.total).toBeCloseTo(3 * each, 12);
    const { byModel, cost, tokens } = agent.costs.thread("t");
    expect(cost.total).toBeCloseTo(3 * each, 12);
    expect(tokens).toMatchObject({ input: 3_000, output: 300 });
    expect(Object.keys(byModel)).toEqual(["openai:gpt-4.1"]);
    expect(agent.costs.thread("another").calls).toBe(0);
    expect(agent.costs.total().calls).toBe(3);
  });

  it("goes by the provider that was named, also where its client speaks OpenAI's protocol", async () => {
    const server = await modelServer(openAI({ text: "ok" }));
    const model = { ...gpt(server), provider: "qwen", model: "qwen3-max" };
    const agent = await agentWith({ ...(await workspaceWith()), model });
    await collect(agent.run("hi", { threadId: "t" }));
    const { byModel, cost } = agent.costs.thread("t");
    expect(Object.keys(byModel)).toEqual(["qwen:qwen3-max"]);
    expect(cost.total).toBeGreaterThan(0);
  });

  it("is that of the model that answered, also inside a FallbackChatModel", async () => {
    const down = await modelServer(refuse(529, { error: { message: "overloaded" } }));
    const up = await modelServer(openAI({ text: "ok" }));
    const [first, second] = [
      await createChatModel(gpt(down)),
      await createChatModel({ ...gpt(up), model: "gpt-5.4-mini", api: "chat" }),
    ];
    const model = new FallbackChatModel({ models: [first, second] });
    const agent = await agentWith({ ...(await workspaceWith()), model });
    await collect(agent.run("hi", { threadId: "t" }));
    expect(Object.keys(agent.costs.thread("t").byModel)).toEqual(["openai:gpt-5.4-mini"]);
  });

  it("is counted for each call, also of a server that gives every message one id", async () => {
    const same = (text: string) => (response: ServerResponse, body: SeenBody) => {
      const write = response.write.bind(response);
      response.write = ((piece: string) =>
        write(piece.replaceAll(/chatcmpl-\d+/g, "chatcmpl-same"))) as never;
      return openAI({ text })(response, body);
    };
    const server = await modelServer(same("one"), same("two"));
    const agent = await agentWith({ ...(await workspaceWith()), model: gpt(server) });
    for (const threadId of ["a", "b"]) await collect(agent.run("hi", { threadId }));
    expect([agent.costs.thread("a").calls, agent.costs.thread("b").calls]).toEqual([1, 1]);
  });

  it("counts for invoke as well, and keeps what is unknown apart", async () => {
    const agent = await agentWith({ ...(await workspaceWith()), model: modelOf(() => "ok") });
    await agent.invoke({ messages: ["hi"] }, { configurable: { thread_id: "t" } });
    expect(agent.costs.thread("t")).toMatchObject({ calls: 1 });
    await agent
      .withConfig({ tags: ["x"] })
      .invoke({ messages: ["hi"] }, { configurable: { thread_id: "t" } });
    expect(agent.costs.thread("t")).toMatchObject({ calls: 2 });
  });

  it("maxCost stops the run before the next tool, and resume goes on with a fresh budget", async () => {
    const server = await modelServer(
      openAI({ call: { id: "c1", name: "count", args: {} } }),
      openAI({ text: "counted" }),
    );
    const { tool, runs } = counted();
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: gpt(server),
      tools: [tool],
      maxCost: 0.001,
    });
    const stopped = await collect(agent.run("go", { threadId: "t" }));
    expect(finished(stopped)).toMatchObject({
      reason: "limit",
      error: { name: "RunLimitError", code: "max_cost" },
    });
    expect(runs()).toBe(0);
    expect(results(stopped)).toEqual([]);
    const resumed = await collect(agent.resume({ threadId: "t", maxCost: 1 }));
    expect(finished(resumed)).toMatchObject({ reason: "completed", text: "counted" });
    expect(runs()).toBe(1);
    expect(server.bodies).toHaveLength(2);
  });

  it("maxCost holds in delegates and for invoke", async () => {
    const server = await modelServer(
      openAI({
        call: { id: "c1", name: "task", args: { subagent_type: "code-analyzer", description: "x" } },
      }),
      openAI({ text: "never asked" }),
    );
    const agent = await agentWith({ ...(await workspaceWith()), model: gpt(server), maxCost: 0.001 });
    await expect(
      agent.invoke({ messages: ["go"] }, { configurable: { thread_id: "t" } }),
    ).rejects.toMatchObject({ name: "RunLimitError" });
    expect(server.bodies).toHaveLength(1);
  });

  it("says once when a call cannot be priced and so does not count", async () => {
    const server = await modelServer(openAI({ text: "ok" }));
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: { ...gpt(server), model: "a-model-nobody-knows" },
      maxCost: 1,
    });
    const events = [
      ...(await collect(agent.run("hi", { threadId: "t" }))),
      ...(await collect(agent.run("again", { threadId: "t" }))),
    ];
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(["cost_unknown"]);
    expect(finished(events).cost).toEqual({ total: 0, unpricedCalls: 1 });
  });
});
