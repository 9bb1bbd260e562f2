import { describe, expect, it } from "vitest";
import { createChatModel, ProviderConfigError, type ModelSpec } from "../src/index.js";
import { emulator, type Seen } from "./support/emulator.js";
import { KEY, modelAt } from "./support/providers.js";

/** The body that the real client sends for a spec. */
const sent = async (
  spec: Partial<ModelSpec> & { provider: string; model: string },
): Promise<Seen["body"]> => {
  const { seen, url } = await emulator({ kind: "answer" });
  await (await modelAt(url, spec, spec)).invoke("hi");
  return seen[0]?.body ?? {};
};

const SAMPLING = { temperature: 0.5, topP: 0.9 };

describe("Claude", () => {
  const claude = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "anthropic", model, ...more });

  it.each([
    "claude-sonnet-4-6",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-opus-7-1",
  ])("%s takes adaptive thinking and an effort, and never budget_tokens", async (model) => {
    for (const reasoning of ["low", "high", { budgetTokens: 10_000 }] as const) {
      const body = await claude(model, { reasoning });
      expect(body["thinking"]).toEqual({ type: "adaptive" });
      expect(JSON.stringify(body)).not.toContain("budget_tokens");
    }
    expect((await claude(model, { reasoning: "medium" }))["output_config"]).toEqual({ effort: "medium" });
    expect((await claude(model, { reasoning: "max" }))["output_config"]).toEqual({ effort: "max" });
  });

  it.each([
    "claude-3-7-sonnet-latest",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-20250514",
    "claude-haiku-4-5",
  ])("%s takes budget_tokens, with max_tokens raised by as much", async (model) => {
    const body = await claude(model, { reasoning: "medium", maxTokens: 1000 });
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: 12_288 });
    expect(body["max_tokens"]).toBe(13_288);
    expect(body["output_config"]).toBeUndefined();
  });

  it("a budget never reaches the model's own limit of output", async () => {
    const body = await claude("claude-opus-4-1", { reasoning: "max", maxTokens: 20_000 });
    expect(body["max_tokens"]).toBe(32_000);
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: 30_976 });
  });

  it("gets room for its thoughts, unless the spec says how much", async () => {
    expect((await claude("claude-opus-4-8", { reasoning: "low" }))["max_tokens"]).toBe(32_000);
    expect((await claude("claude-opus-4-8", { reasoning: "low", maxTokens: 5000 }))["max_tokens"]).toBe(5000);
    // Thinks without being asked to.
    expect((await claude("claude-sonnet-5"))["max_tokens"]).toBe(32_000);
  });

  it("is told not to think only where it would, and refuses not to be told", async () => {
    expect((await claude("claude-opus-4-7", { reasoning: "off" }))["thinking"]).toBeUndefined();
    expect((await claude("claude-sonnet-5", { reasoning: "off" }))["thinking"]).toEqual({ type: "disabled" });
    // 5.5 and Fable always think: "off" is the least effort.
    for (const model of ["claude-sonnet-5-5", "claude-fable-5"]) {
      const body = await claude(model, { reasoning: "off" });
      expect(body["thinking"]).toEqual({ type: "adaptive" });
      expect(body["output_config"]).toEqual({ effort: "low" });
    }
  });

  it("gets temperature or top_p, not both, and neither while it thinks or from 4.7 on", async () => {
    const both = await claude("claude-sonnet-4-6", SAMPLING);
    expect(both).toMatchObject({ temperature: 0.5 });
    expect(both).not.toHaveProperty("top_p");
    expect(await claude("claude-sonnet-4-6", { topP: 0.9 })).toMatchObject({ top_p: 0.9 });
    for (const body of [
      await claude("claude-sonnet-4-6", { ...SAMPLING, reasoning: "low" }),
      await claude("claude-haiku-4-5", { ...SAMPLING, reasoning: "low" }),
      await claude("claude-opus-4-7", SAMPLING),
      await claude("claude-opus-4-8", SAMPLING),
      await claude("claude-sonnet-5", { ...SAMPLING, reasoning: "off" }),
    ]) {
      expect(body).not.toHaveProperty("temperature");
      expect(body).not.toHaveProperty("top_p");
    }
  });

  it("may have a large max_tokens without streaming", async () => {
    // Without a timeout of its own the SDK throws "Streaming is strongly recommended".
    expect((await claude("claude-opus-4-8", { maxTokens: 128_000 }))["max_tokens"]).toBe(128_000);
  });
});

describe("OpenAI", () => {
  const openai = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "openai", model, ...more });

  it.each(["o1", "o3", "o4-mini", "o3-mini-2025-01-31", "gpt-5", "gpt-5-mini"])(
    "%s reasons: an effort, max_completion_tokens, and no sampling",
    async (model) => {
      const body = await openai(model, { ...SAMPLING, reasoning: "high", maxTokens: 500 });
      expect(body).toMatchObject({ reasoning_effort: "high", max_completion_tokens: 500 });
      for (const refused of ["temperature", "top_p", "max_tokens"]) expect(body).not.toHaveProperty(refused);
    },
  );

  it.each(["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-nano", "gpt-5-chat-latest"])(
    "%s does not reason: sampling, max_tokens, and an error when it is asked to",
    async (model) => {
      const body = await openai(model, { ...SAMPLING, maxTokens: 500, reasoning: "off" });
      expect(body).toMatchObject({ temperature: 0.5, top_p: 0.9, max_tokens: 500 });
      expect(body).not.toHaveProperty("reasoning_effort");
      await expect(
        createChatModel({ provider: "openai", model, apiKey: KEY, reasoning: "low" }),
      ).rejects.toMatchObject({
        code: "unsupported_reasoning",
        provider: "openai",
        message: expect.stringContaining(model),
      });
    },
  );

  it.each([
    ["gpt-5", "off", "minimal"],
    ["gpt-5", "max", "high"],
    ["gpt-5.1", "off", "none"],
    ["gpt-5.2", "max", "xhigh"],
    ["o3", "off", "low"],
    ["o3", { budgetTokens: 2000 }, "low"],
    ["o3", { budgetTokens: 50_000 }, "high"],
  ] as const)("%s with %j is effort %s", async (model, reasoning, effort) => {
    expect(await openai(model, { reasoning })).toMatchObject({ reasoning_effort: effort });
  });

  it.each([
    ["gpt-5-pro", "low", "high"],
    ["gpt-5.1-codex", "off", "low"],
    ["gpt-5.2-pro", "low", "medium"],
    ["gpt-5.4", "off", "none"],
    ["gpt-5.6-sol", "max", "max"],
  ] as const)("%s with %j is effort %s of the Responses API", async (model, reasoning, effort) => {
    expect(await openai(model, { reasoning })).toMatchObject({ reasoning: { effort } });
  });

  it("sampling reaches gpt-5.1, 5.2 and 5.4 only when they are told not to reason", async () => {
    for (const model of ["gpt-5.1", "gpt-5.2", "gpt-5.4"]) {
      expect(await openai(model, { ...SAMPLING, reasoning: "off" })).toMatchObject({
        temperature: 0.5,
        top_p: 0.9,
      });
      expect(await openai(model, SAMPLING)).not.toHaveProperty("temperature");
      expect(await openai(model, { ...SAMPLING, reasoning: "low" })).not.toHaveProperty("temperature");
    }
    expect(await openai("gpt-5.5", { ...SAMPLING, reasoning: "off" })).not.toHaveProperty("temperature");
  });

  it.each([
    ["gpt-4.1", "/chat/completions"],
    ["gpt-5.2", "/chat/completions"],
    ["o3", "/chat/completions"],
    // Chat completions refuses their tools: "Please use /v1/responses instead".
    ["gpt-5.4", "/responses"],
    ["gpt-5.5", "/responses"],
    ["gpt-5.6-terra", "/responses"],
    ["gpt-5.1-codex", "/responses"],
    ["o3-pro", "/responses"],
  ])("%s is asked at %s", async (model, path) => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "openai", model })).invoke("hi");
    expect(seen[0]?.url).toBe(path);
  });

  it("is asked at the API that the spec names", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "openai", model: "gpt-5.5" }, { api: "chat" })).invoke("hi");
    await (await modelAt(url, { provider: "openai", model: "gpt-4.1" }, { api: "responses" })).invoke("hi");
    await (await modelAt(url, { provider: "openai", model: "gpt-5.3-codex" }, { api: "chat" })).invoke("hi");
    expect(seen.map(({ url: path }) => path)).toEqual([
      "/chat/completions",
      "/responses",
      "/chat/completions",
    ]);
  });

  it("a key is given as `apiKey`, never as the alias, and gpt-4.1 is the default", async () => {
    const model = await createChatModel({ provider: "openai", apiKey: KEY });
    expect(model).toMatchObject({ model: "gpt-4.1", apiKey: KEY });
  });
});

describe("Gemini", () => {
  const gemini = async (model: string, more: Partial<ModelSpec> = {}) =>
    (await sent({ provider: "gemini", model, ...more }))["generationConfig"] as Record<string, unknown>;

  it("2.5 takes a budget within its limits, and 0 only where it can stop thinking", async () => {
    expect(await gemini("gemini-2.5-pro", { reasoning: "low" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 4096 },
    });
    expect(await gemini("gemini-2.5-pro", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 128 },
    });
    expect(await gemini("gemini-2.5-flash", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 0 },
    });
    expect(await gemini("gemini-2.5-flash", { reasoning: { budgetTokens: 99_999 } })).toMatchObject({
      thinkingConfig: { thinkingBudget: 24_576 },
    });
  });

  it("3 takes a level that it has, never a budget", async () => {
    expect(await gemini("gemini-3.1-pro-preview", { reasoning: "medium" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "MEDIUM" },
    });
    expect(await gemini("gemini-3-pro-preview", { reasoning: "medium" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "HIGH" },
    });
    expect(await gemini("gemini-3-flash-preview", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "MINIMAL" },
    });
    expect(
      JSON.stringify(await gemini("gemini-3.5-flash", { reasoning: { budgetTokens: 1 } })),
    ).not.toContain("thinkingBudget");
  });

  it("gets the other settings under its own names", async () => {
    expect(await gemini("gemini-2.5-pro", { ...SAMPLING, maxTokens: 77 })).toMatchObject({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 77,
    });
  });

  it("a base URL may end in /v1beta", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(`${url}/v1beta/`, { provider: "gemini", model: "gemini-2.5-pro" })).invoke("hi");
    expect(seen[0]?.url).toBe("/v1beta/models/gemini-2.5-pro:generateContent");
  });
});

describe("Groq", () => {
  const groq = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "groq", model, ...more });

  it("the base URL reaches the request, with or without the path that its SDK adds", async () => {
    // Its option is `baseUrl`; `baseURL` is ignored, and the request would go to api.groq.com.
    for (const suffix of ["", "/", "/openai/v1", "/proxy/openai/v1"]) {
      const { seen, url } = await emulator({ kind: "answer" });
      await (
        await modelAt(`${url}${suffix}`, { provider: "groq", model: "openai/gpt-oss-20b" })
      ).invoke("hi");
      expect(seen[0]?.url).toBe(`${suffix.startsWith("/proxy") ? "/proxy" : ""}/openai/v1/chat/completions`);
    }
  });

  it("gpt-oss takes an effort and cannot stop, qwen3 is switched, llama cannot reason", async () => {
    expect(await groq("openai/gpt-oss-120b", { reasoning: "medium" })).toMatchObject({
      reasoning_effort: "medium",
    });
    expect(await groq("openai/gpt-oss-120b", { reasoning: "off" })).toMatchObject({
      reasoning_effort: "low",
    });
    expect(await groq("qwen/qwen3-32b", { reasoning: "off" })).toMatchObject({ reasoning_effort: "none" });
    expect(await groq("qwen/qwen3-32b", { reasoning: "high" })).toMatchObject({
      reasoning_effort: "default",
      reasoning_format: "parsed",
    });
    await expect(groq("llama-3.3-70b-versatile", { reasoning: "high" })).rejects.toBeInstanceOf(
      ProviderConfigError,
    );
  });

  it("a temperature is sent when it was given, and not the client's own 0.7", async () => {
    expect(await groq("openai/gpt-oss-120b")).not.toHaveProperty("temperature");
    expect(await groq("openai/gpt-oss-120b", { temperature: 0 })).toMatchObject({ temperature: 0 });
  });
});

describe("DeepSeek", () => {
  const deepseek = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "deepseek", model, ...more });

  it("thinking is switched by `thinking`, and its effort is one that the model has", async () => {
    expect(await deepseek("deepseek-v4-pro", { reasoning: "off" })).toMatchObject({
      thinking: { type: "disabled" },
    });
    expect(await deepseek("deepseek-v4-pro", { reasoning: "low" })).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "high",
    });
    expect(await deepseek("deepseek-v4-flash", { reasoning: "low" })).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "low",
    });
    expect(await deepseek("deepseek-v4-flash")).not.toHaveProperty("thinking");
  });

  it("a temperature is sent only when it does not think", async () => {
    expect(await deepseek("deepseek-v4-pro", { temperature: 0.5 })).not.toHaveProperty("temperature");
    expect(await deepseek("deepseek-v4-pro", { temperature: 0.5, reasoning: "off" })).toMatchObject({
      temperature: 0.5,
    });
  });
});

describe("Grok", () => {
  const grok = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "xai", model, ...more });

  it("an effort is sent only to the models that take one", async () => {
    expect(await grok("grok-4.3", { reasoning: "off" })).toMatchObject({ reasoning_effort: "none" });
    expect(await grok("grok-4.3", { reasoning: "medium" })).toMatchObject({ reasoning_effort: "medium" });
    expect(await grok("grok-3-mini", { reasoning: "medium" })).toMatchObject({ reasoning_effort: "high" });
    // Always reasons, and answers 400 to the parameter.
    for (const model of ["grok-4", "grok-code-fast-1", "grok-4-1-fast-reasoning"]) {
      expect(await grok(model, { reasoning: "high" })).not.toHaveProperty("reasoning_effort");
    }
    await expect(grok("grok-3", { reasoning: "high" })).rejects.toMatchObject({
      code: "unsupported_reasoning",
    });
  });
});

describe("Qwen", () => {
  const qwen = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "qwen", model, ...more });

  it("thinking is switched by enable_thinking and measured by thinking_budget", async () => {
    expect(await qwen("qwen-plus", { reasoning: "off" })).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen-plus", { reasoning: "low" })).toMatchObject({
      enable_thinking: true,
      thinking_budget: 4096,
    });
    expect(await qwen("qwen-plus")).not.toHaveProperty("enable_thinking");
  });

  it("an open-weight hybrid does not think unless asked: it would refuse a call that does not stream", async () => {
    expect(await qwen("qwen3-32b")).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen3-235b-a22b")).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen3-235b-a22b-instruct-2507")).not.toHaveProperty("enable_thinking");
  });

  it("a coder cannot reason", async () => {
    await expect(qwen("qwen3-coder-plus", { reasoning: "low" })).rejects.toMatchObject({
      code: "unsupported_reasoning",
    });
  });
});

describe("GLM", () => {
  it("thinking is switched by `thinking`", async () => {
    const glm = (more: Partial<ModelSpec>) => sent({ provider: "glm", model: "glm-4.7", ...more });
    expect(await glm({ reasoning: "off" })).toMatchObject({ thinking: { type: "disabled" } });
    expect(await glm({ reasoning: "high" })).toMatchObject({ thinking: { type: "enabled" } });
    expect(await glm({})).not.toHaveProperty("thinking");
  });
});

describe("base URLs", () => {
  it.each([
    ["qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"],
    ["glm", "https://api.z.ai/api/paas/v4"],
    ["deepseek", "https://api.deepseek.com"],
    ["xai", "https://api.x.ai/v1"],
    ["openrouter", "https://openrouter.ai/api/v1"],
    ["local", "http://localhost:11434/v1"],
  ])("%s is at %s", async (provider, baseURL) => {
    const model = (await createChatModel({ provider, model: "m", apiKey: KEY })) as unknown as {
      clientConfig: { baseURL: string };
    };
    expect(model.clientConfig.baseURL).toBe(baseURL);
  });

  it("Anthropic's may end in /v1", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(`${url}/v1`, { provider: "anthropic", model: "claude-sonnet-4-6" })).invoke("hi");
    expect(seen[0]?.url).toBe("/v1/messages");
  });
});

describe("local and OpenRouter", () => {
  it("pass the wish on in the words of their API", async () => {
    expect(await sent({ provider: "local", model: "gpt-oss", reasoning: "low" })).toMatchObject({
      reasoning_effort: "low",
    });
    expect(await sent({ provider: "local", model: "qwen3", reasoning: "off" })).toMatchObject({
      reasoning_effort: "none",
    });
    const router = (reasoning: NonNullable<ModelSpec["reasoning"]>, model = "some/model") =>
      sent({ provider: "openrouter", model, reasoning });
    expect(await router({ budgetTokens: 2000 })).toMatchObject({ reasoning: { max_tokens: 2000 } });
    expect(await router("high")).toMatchObject({ reasoning: { effort: "high" } });
    expect(await router("off")).toMatchObject({ reasoning: { enabled: false } });
    await expect(router("high", "openai/gpt-4.1")).rejects.toMatchObject({ code: "unsupported_reasoning" });
  });

  it("a local model with codex in its name is asked for chat completions, which is what its server has", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "local", model: "my-codex-7b" })).invoke("hi");
    expect(seen[0]?.url).toBe("/chat/completions");
  });
});
